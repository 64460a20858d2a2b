module function-tofu-workspace/tools/opentofu-1.10

go 1.26

tool github.com/opentofu/opentofu/cmd/tofu

require github.com/opentofu/opentofu v1.10.10

replace github.com/hashicorp/hcl/v2 => github.com/opentofu/hcl/v2 v2.20.2-0.20251021132045-587d123c2828
