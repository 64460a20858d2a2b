# Every target sets up what it needs. `make help` lists them.
# render and test need Node 20.19+ and make, nothing else; tools, golden, conformance and e2e also need Go 1.26+.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help render doctor test serve check golden tools conformance bench bench-guard e2e provider-opentofu \
        docs docs-check playground browser-check packages packages-check packages-push version-set \
        infra-check infra-tofu-check infra-ansible-check bootstrap-check \
        check-static check-generated check-types check-lint check-format check-arrows check-tests check-go

# Case folders under examples/ that `make render` explains, and the one whose objects it prints.
CASES ?= backup-and-route foreign-namespace-decoy retained-bucket
CASE ?= backup-and-route
# Layers that `make infra-check` looks at.
LAYERS ?= ansible k8s talos tofu

CONFORMANCE_TOOLS := crossplane crossplane-cli opentofu opentofu-1.10 schema-replay versitygw hcl-dump
E2E_TOOLS := kubernetes coredns helm pause crane crossplane crossplane-cli opentofu schema-replay versitygw

# Only where it is said to make: nobody's usual cluster becomes a test cluster because the environment names it.
E2E_KUBECONFIG := $(if $(filter command,$(firstword $(origin KUBECONFIG))),--kubeconfig $(KUBECONFIG))

MODULES := node_modules/.installed
DIST := dist/.built
SOURCES := $(shell find src -name '*.ts')
# Keeps the output of things that run side by side apart, where make can (4.0+).
TOGETHER := $(MAKE) --no-print-directory -j2 $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

render: $(DIST) ## run the function on examples: what it composes and why (CASES="a b" to explain, CASE=a to print)
	@for case in $(CASES); do printf '\n== explain examples/%s\n' "$$case"; node dist/cli.js explain "examples/$$case" || exit; done
	@printf '\n== render examples/%s\n' "$(CASE)"
	@node dist/cli.js render "examples/$(CASE)"

doctor: $(DIST) ## what is wrong between the layers, and what to do, e.g. ARGS="--infra infra"
	@node dist/cli.js doctor $(ARGS)

test: $(DIST) ## unit, golden and contract tests
	npm test

serve: $(DIST) ## run the function's server, e.g. ARGS="--insecure --address 127.0.0.1:9443"
	node dist/main.js $(ARGS)

check: $(MODULES) ## what must pass before a commit: generated files, types, lint, format, arrows, tests
	@$(MAKE) --no-print-directory check-static
	@$(MAKE) --no-print-directory check-tests

check-static: $(MODULES)
	@$(MAKE) --no-print-directory check-generated
	@$(TOGETHER) check-lint check-types check-format check-arrows

check-generated: $(MODULES)
	scripts/check-generated.sh

check-types: $(MODULES)
	npm run --silent types

check-lint: $(MODULES)
	npm run --silent lint

check-format: $(MODULES)
	npm run --silent format:check

check-arrows: $(MODULES)
	npm run --silent arrows

check-tests: test

# Not part of check: it needs Go.
check-go: ## the Go of tools/: gofmt, go vet, tests
	scripts/check-go.sh

golden: $(DIST) ## rewrite the expected/ folders of all examples with the real Crossplane; read the diff afterwards
	tools/build.sh crossplane crossplane-cli
	npm run --silent golden

tools: ## build the real tools that conformance and e2e need, pinned in tools/, cached outside git
	tools/build.sh

# On a machine that does nothing else: it writes what it finds into docs/performance.md.
bench: $(MODULES) ## measure the server beside its floor, on Linux, e.g. ARGS="--seconds 2 --print"
	node --import tsx bench/run.ts $(ARGS)

# CPU time against the codec's in the same process: holds on a busy machine too. After a change for a good reason: ARGS=--record.
bench-guard: $(MODULES) ## fail where a call costs 30 % more, against the codec alone, than bench/guard.json says
	node --import tsx bench/guard.ts $(ARGS)

# Where the tools cannot be built (no Go), the tests that need them are skipped and say so; with CI set that is a failure.
conformance: $(DIST) ## every example through the real Crossplane and tofu (builds what make tools builds)
	@tools/build.sh $(CONFORMANCE_TOOLS) || [ -z "$$CI" ]
	npm run --silent conformance

docs: $(MODULES) ## the documentation as a site in build/docs, to be read without a server or a network
	rm -rf build/docs
	npm run --silent docs -- --quiet

# Commands that need the pinned tools are run where these are built; with CI set they have to be.
docs-check: $(DIST) ## build the documentation; check its links, quotations and commands, and run what can be run
	npm run --silent docs:check

infra-tofu-check: $(MODULES) ## check infra/tofu by the real tofu, against the providers' true schemas
	infra/tofu/check.sh

# REGISTRY=host/organisation; IMAGE_BUILDER=crane needs no container engine. More in docs/release.md.
packages: $(MODULES) ## build both packages, their bill of materials and checksums into build/packages
	tools/build.sh crossplane-cli crane
	scripts/packages.sh

packages-push: $(MODULES) ## push what make packages left to REGISTRY
	tools/build.sh crossplane-cli
	@[ -n "$(REGISTRY)" ] || { echo 'say where to: make packages-push REGISTRY=host/organisation' >&2; exit 2; }
	REGISTRY=$(REGISTRY) scripts/packages.sh push

packages-check: $(MODULES) ## build images and packages both ways, push, read back and run them (root on Debian, with docker.io)
	tools/build.sh crossplane-cli crane
	test/packages/check.sh

# One file without a request: it opens from a disk, and lies anywhere in a site.
playground: $(MODULES) ## build the playground, the decision for browsers, into build/playground/index.html
	npm run --silent playground

# CHROMIUM=file names one that is not where Debian puts it.
browser-check: playground ## the page of explain --html and the playground in the real Chromium (Debian's chromium)
	npm run --silent browser-check

# Each layer brings its own tools: infra/<layer>/check.sh says which. The seams between the layers come last.
infra-check: $(DIST) ## check the layers of infra/ with the real tools, and the conventions between them (LAYERS="k8s tofu")
	@for layer in $(LAYERS); do printf '\n== infra/%s\n' "$$layer"; "infra/$$layer/check.sh" || exit; done
	npx vitest run --config vitest.infra.config.ts test/infra/seams

bootstrap-check: $(MODULES) ## check infra/bootstrap: pipeline, phase 0, router, OpenTofu, Talos, Flux (root on Debian)
	infra/bootstrap/check.sh

infra-ansible-check: $(MODULES) ## lint infra/ansible and run its playbooks on test hosts (Python 3.12+; root on Debian)
	infra/ansible/check.sh

# Needs etcd on the PATH, and util-linux's flock.
provider-opentofu: $(MODULES) ## the end-to-end suite's stand-in for provider-opentofu, against the real kube-apiserver and tofu
	tools/build.sh kubernetes opentofu-1.10 schema-replay versitygw
	npm run --silent provider-opentofu

# CLUSTER=kind, or KUBECONFIG=file REGISTRY=host/organisation, for another cluster; ARGS for vitest. See test/e2e/README.md.
# In the script's environment, not in the recipe's text: words in quotes stay words.
e2e: export ARGS := $(ARGS)
e2e: export CLUSTER := $(CLUSTER)
e2e: export REGISTRY := $(REGISTRY)
e2e: $(DIST) ## a cluster from the real parts, the packages installed as the README says, and the suite (root on Debian)
	tools/build.sh $(E2E_TOOLS)
	test/e2e/run.sh $(E2E_KUBECONFIG)

version-set: $(MODULES) ## write VERSION=x.y.z wherever the version occurs
	@node --import tsx scripts/version-set.ts $(VERSION)

# npm ci starts by removing node_modules, so the mark is there only after a whole install.
$(MODULES): package-lock.json
	@node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)' || \
	  { echo 'Node 20.19 or newer is needed on the PATH.' >&2; exit 1; }
	npm ci --no-audit --no-fund
	@touch $@

# Built anew as a whole, so that no file outlives its source.
$(DIST): $(MODULES) $(SOURCES) tsconfig.json tsconfig.build.json
	rm -rf dist
	npm run --silent build
	@touch $@
