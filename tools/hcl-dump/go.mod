module function-tofu-workspace/tools/hcl-dump

go 1.26.0

require (
	github.com/hashicorp/hcl/v2 v2.20.1
	github.com/zclconf/go-cty v1.18.0
)

require (
	github.com/agext/levenshtein v1.2.1 // indirect
	github.com/apparentlymart/go-textseg/v15 v15.0.0 // indirect
	github.com/mitchellh/go-wordwrap v0.0.0-20150314170334-ad45545899c7 // indirect
	golang.org/x/text v0.37.0 // indirect
)

// As in tools/opentofu: the library that OpenTofu is built with.
replace github.com/hashicorp/hcl/v2 => github.com/opentofu/hcl/v2 v2.20.2-0.20251021132045-587d123c2828
