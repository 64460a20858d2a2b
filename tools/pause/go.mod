module function-tofu-workspace/tools/pause

go 1.26.0
