# gatherbench: `make help` lists what there is.
#
# MPI=mpich, MPI=/path/to/prefix, MPI=abi, MPI=simgrid   the MPI to build against (default: mpicxx on the PATH)
# BUILD=build-mpich                the build folder; one a MPI, as in: make build MPI=mpich BUILD=build-mpich
MPI   ?=
BUILD ?= build
# FILES=all                        lint all C++ sources but tests that are as on main, not only what differs from main
# FILES=every                      those tests too
FILES ?= changed
# GATHERBENCH_BUILD=build          of .venv/bin/pytest FILE, which runs one file of tests after make setup-dev build-tests

# Ninja compiles a new source file alone; Make would compile all that its library is made of.
export CMAKE_GENERATOR ?= $(if $(shell command -v ninja),Ninja,Unix Makefiles)
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
# These variables of the user's own shell would change what programs here do.
unexport $(shell . tools/environment.sh && echo $$foreign)
venv := .venv/bin
cpp := $$(git ls-files '*.h' '*.cpp')
# Without the flags of this make, whose job server is not meant.
build_preset := env -u MAKEFLAGS -u MAKELEVEL cmake --build --parallel "$$(nproc)" --preset
# MPI libraries leak by design.
sanitizer_options := ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1

.PHONY: help
help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'
	@sed -n 's/^# \([A-Z].*=.*\)/  \1/p' $(MAKEFILE_LIST)

.PHONY: setup
setup: ## Install what is missing, and only that
	@tools/setup.sh

.PHONY: setup-dev
setup-dev: ## The same, and what tests and linters need
	@tools/setup.sh --dev

.PHONY: build
build: ## Build into BUILD/bin, against MPI
	@tools/build.sh '$(BUILD)' '$(MPI)'

.PHONY: build-tests
build-tests: ## The same, with the C++ tests
	@tools/build.sh '$(BUILD)' '$(MPI)' --tests

.PHONY: quickstart
quickstart: ## Benchmark the all-gather on this machine; writes results/quickstart/report.html
	@tools/setup.sh --packages
	@tools/setup_and_build.sh '$(BUILD)' '$(MPI)' allgather_bench allgatherv_bench
	@tools/quickstart.sh '$(BUILD)'

.PHONY: wheel
wheel: BUILD = build-abi
wheel: setup ## A wheel of all programs for MPI's standard ABI, in BUILD/wheel (docs/how-to/packages.md)
	@tools/build.sh '$(BUILD)' abi programs agtrace agstar
	@tools/wheel.sh '$(BUILD)'

# Some containers set it, and then every process compiles all of our modules and tests again.
unexport PYTHONDONTWRITEBYTECODE
# Programs of MPI keep both processors busy, so no more than two tests run at once.
pytest := $(venv)/pytest -q -n 2 --dist loadfile --no-loadscope-reorder
ctest := ctest --output-on-failure --no-tests=error --parallel "$$(nproc)" --test-dir

.PHONY: check
check: setup-dev build-tests ## After each edit, a minute: ruff and the quick tests
	@$(venv)/ruff check .
	@$(ctest) '$(BUILD)' --label-exclude 'slow|rest'
	@GATHERBENCH_BUILD='$(BUILD)' $(pytest) -m quick

.PHONY: test
test: setup-dev build-tests ## Everything that has to be right on this machine, quick tests first
	@$(ctest) '$(BUILD)' --label-exclude 'slow|rest'
	@GATHERBENCH_BUILD='$(BUILD)' $(pytest) -m quick
	@$(ctest) '$(BUILD)' --label-regex slow
	@GATHERBENCH_BUILD='$(BUILD)' $(pytest) -m 'not quick and not rest'

.PHONY: test-rest
test-rest: setup-dev build-tests ## What takes long: more ranks, Slurm
	@$(ctest) '$(BUILD)' --label-regex rest
	@GATHERBENCH_BUILD='$(BUILD)' $(pytest) -m rest

.PHONY: ci
ci: ## What has to pass before a change lands, a part after the other; says how long each took
	@tools/ci.sh '$(MAKE)' style build-tests tidy test test-rest test-sanitize test-mpis test-bounds

.PHONY: test-sanitize
test-sanitize: setup-dev build-tests ## The C++ tests and all programs with AddressSanitizer, UndefinedBehaviorSanitizer, some with ThreadSanitizer
	@cmake --build '$(BUILD)' --target thread_tests && '$(BUILD)'/bin/thread_tests --gtest_brief=1
	@cmake --preset sanitize -D GATHERBENCH_TEST_OBJECTS_OF='$(abspath $(BUILD))' && $(build_preset) sanitize
	@$(sanitizer_options) $(ctest) build-sanitize --label-exclude 'slow|rest'
	@$(sanitizer_options) $(ctest) build-sanitize --tests-regex '^(mpi|example)_'
	@$(sanitizer_options) GATHERBENCH_BUILD=build-sanitize $(pytest) tests/program/test_whole_programs.py \
		tests/program/options/test_combinations.py tests/program/runtime/test_agstar_sanitized.py \
		tests/program/buffers/test_devices.py

.PHONY: test-mpis
test-mpis: setup-dev build-tests ## The MPI tests on other MPI libraries: Debian's, PyPI's, SimGrid
	@tools/test_mpis.sh

.PHONY: test-bounds
test-bounds: setup-dev build ## The lowest and the newest versions of what is needed (BOUNDS="oldest newest clang")
	@GATHERBENCH_BUILD='$(abspath $(BUILD))' tools/test_bounds.sh

PEERS ?= --ranks 2,4
.PHONY: test-peers
test-peers: setup-dev build ## MPICH's and mpi4py's own tests under both preloaded libraries (PEERS=--help), half an hour
	@$(venv)/python tests/program/runtime/peer_suites.py '$(BUILD)' $(PEERS)

FUZZ_SECONDS ?= 3600
.PHONY: fuzz
fuzz: setup-dev build ## Damaged files and odd texts for every reader, options at random, FUZZ_SECONDS in all (default: 3600)
	@FUZZ_SECONDS=$$(($(FUZZ_SECONDS) / 2)) $(pytest) tests/fuzz
	@COMBINATIONS=400 GATHERBENCH_BUILD='$(BUILD)' $(pytest) tests/program/options/test_combinations.py
	@tools/fuzz.sh build-fuzz $$(($(FUZZ_SECONDS) - $(FUZZ_SECONDS) / 2))s

.PHONY: durations
durations: setup-dev build-tests ## The quick Python tests one by one; fails where one takes over half a second
	@GATHERBENCH_BUILD='$(BUILD)' GATHERBENCH_SLOW_S=0.5 $(venv)/pytest -q -m quick --durations 20

.PHONY: bench-parity
bench-parity: setup build ## Our algorithms' times over the MPI library's own of the same name
	@$(venv)/python docs/studies/parity.py '$(BUILD)'

.PHONY: bench-company
bench-company: setup build ## Algorithms' times among others over those alone, and over a program's
	@$(venv)/python docs/studies/company.py '$(BUILD)'

.PHONY: lint
lint: style tidy ## All linters: style, then tidy

.PHONY: style
style: setup-dev ## clang-format, ruff, mypy
	@clang-format --dry-run --Werror $(cpp)
	@! LC_ALL=C.UTF-8 grep -nE '^.{101,}' $(cpp) # clang-format leaves comments alone
	@$(venv)/ruff check .
	@$(venv)/ruff format --check .
	@$(venv)/mypy

.PHONY: tidy
tidy: setup-dev build-tests ## clang-tidy (what differs from main; or FILES=all, FILES=every)
	@tools/tidy.sh '$(BUILD)' '$(FILES)'

.PHONY: site
site: setup-dev build ## README.md and docs/ as a site, with a drawing of each algorithm, in build-site/
	@GATHERBENCH_BUILD='$(BUILD)' $(venv)/python -m sphinx -q -W --keep-going -d build-site/.doctrees -c docs/site . build-site

.PHONY: catalogue
catalogue: build ## Write what the C++ tables say to formats/agformats/catalogue.json and docs/
	@'$(BUILD)'/bin/allgather_schedule catalogue --json > formats/agformats/catalogue.json
	@'$(BUILD)'/bin/allgather_schedule catalogue --markdown > docs/reference/names.md
	@$(venv)/python tools/algorithms_page.py '$(BUILD)'

.PHONY: format
format: setup-dev ## Format the sources in place
	@clang-format -i $(cpp)
	@$(venv)/ruff format .
	@$(venv)/ruff check --fix .

.PHONY: clean
clean: ## Remove BUILD; results and .venv stay
	rm -rf '$(BUILD)'
