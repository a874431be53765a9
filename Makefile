# gatherbench: `make help` lists what there is.
#
# MPI=mpich, MPI=/path/to/prefix, MPI=simgrid   the MPI to build against (default: mpicxx on the PATH)
# BUILD=build-mpich                the build folder; one a MPI
MPI   ?=
BUILD ?= build

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
venv := .venv/bin
cpp := $$(git ls-files '*.h' '*.cpp')

.PHONY: help
help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'
	@sed -n 's/^# \([A-Z].*=.*\)/  \1/p' $(MAKEFILE_LIST)

.PHONY: setup
setup: ## Install what is missing, and only that (see README)
	@tools/setup.sh

.PHONY: setup-dev
setup-dev:
	@tools/setup.sh --dev

.PHONY: build
build: ## Build into BUILD/bin, against MPI
	@tools/build.sh '$(BUILD)' '$(MPI)'

.PHONY: build-tests
build-tests:
	@tools/build.sh '$(BUILD)' '$(MPI)' --tests

.PHONY: quickstart
quickstart: setup build ## Benchmark the all-gather on this machine; writes results/quickstart/report.html
	@tools/quickstart.sh '$(BUILD)'

.PHONY: test
test: setup-dev build-tests ## Run every test (about 20 minutes)
	@ctest --test-dir '$(BUILD)' --output-on-failure --no-tests=error
	@GATHERBENCH_BUILD='$(BUILD)' $(venv)/pytest -q

.PHONY: test-mpis
test-mpis: setup-dev ## Run the MPI tests on other MPI libraries too: Debian's, PyPI's, SimGrid
	@tools/test_mpis.sh

.PHONY: test-sanitize
test-sanitize: setup-dev ## Run the C++ tests with AddressSanitizer and UndefinedBehaviorSanitizer
	@cmake --preset debug && env -u MAKEFLAGS -u MAKELEVEL cmake --build --preset debug --parallel "$$(nproc)"
	@ASAN_OPTIONS=detect_leaks=0 ctest --test-dir build-debug --output-on-failure --no-tests=error

.PHONY: bench-parity
bench-parity: setup build ## Our algorithms' times over the MPI library's own of the same name
	@$(venv)/python tools/parity.py '$(BUILD)'

.PHONY: lint
lint: setup-dev build-tests ## clang-format, clang-tidy, ruff, mypy
	@clang-format --dry-run --Werror $(cpp)
	@git ls-files '*.cpp' ':!tests/program' ':!*_simgrid.cpp' | xargs -P "$$(nproc)" -n 4 \
		clang-tidy --quiet -p '$(BUILD)' --extra-arg=-Wno-unknown-warning-option
	@$(venv)/ruff check .
	@$(venv)/ruff format --check .
	@$(venv)/mypy

.PHONY: format
format: setup-dev ## Format the sources in place
	@clang-format -i $(cpp)
	@$(venv)/ruff format .
	@$(venv)/ruff check --fix .

.PHONY: clean
clean: ## Remove BUILD; results and .venv stay
	rm -rf '$(BUILD)'
