# The rules that come with tflint itself. Rules of single providers are plugins, which would be fetched at run time.
plugin "terraform" {
  enabled = true
  preset  = "all"
}

# The subject of a file is worth more than a main.tf, and talos.tf holds the one map that others are compared with.
rule "terraform_standard_module_structure" {
  enabled = false
}
