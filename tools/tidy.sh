#!/usr/bin/env bash
# Lints C++ with clang-tidy, by the compile commands of a build: tools/tidy.sh BUILD [changed|all|every]
#   changed  what differs from the branch main, committed or not; a header is linted in the source of
#            its name, or else in the first one that includes it
#   all      every source of the product, and of the tests what has changed; so too if there is no
#            main, nothing differs from it, or .clang-tidy does. Without the static analyzer, which
#            takes as long as all else
#   every    those of all tests too
set -euo pipefail
source "$(dirname -- "${BASH_SOURCE[0]}")/environment.sh"
build=${1:?the build folder} which=${2:-changed}
[[ $build != -* ]] || { echo "tidy: '$build' is no option here; legal: a build folder" >&2 && exit 2; }
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

# What the build compiles: neither for SimGrid nor what tests compile themselves.
sources() { git ls-files --cached --others --exclude-standard '*.cpp' ':!tests/program' ':!*_simgrid.cpp'; }

changed() {
    git diff --name-only --diff-filter=d "$base" -- "$@"
    git ls-files --others --exclude-standard -- "$@"
}

linted_in() { # header
    local same=${1%.h}.cpp
    if [[ -e $same ]]; then
        echo "$same"
    else
        { sources | xargs grep -lF "#include \"$1\"" || true; } | head -n 1
    fi
}

case $which in
all | changed | every)
    if ! base=$(git merge-base main HEAD 2>/dev/null); then
        base=HEAD which=${which/changed/all}
    elif [[ $which == changed && (-z $(changed) || -n $(changed .clang-tidy)) ]]; then
        which=all
    fi
    ;;
*) echo "tidy: '$which' is none of changed, all, every" >&2 && exit 2 ;;
esac

# Each source has to do with its own includes, without what the build precompiles; and once, though
# libraries share sources.
mkdir -p "$build/lint"
.venv/bin/python - "$build" <<'END'
import json, pathlib, re, sys

build = pathlib.Path(sys.argv[1])
once = {}
for entry in json.loads((build / "compile_commands.json").read_text()):
    precompiled = r" -Winvalid-pch -include \S*/cmake_pch\.hxx"
    entry["command"] = re.sub(precompiled, "", entry["command"])
    once.setdefault(entry["file"], entry)
(build / "lint" / "compile_commands.json").write_text(json.dumps(list(once.values()), indent=1))
END

checks=()
[[ $which == changed ]] || checks=('--checks=-clang-analyzer-*')
{
    changed '*.cpp'
    changed '*.h' '*.inc' | while read -r header; do linted_in "$header"; done
    case $which in
    all) sources | grep -v '^tests/' ;;
    every) sources ;;
    esac
} | sort -u | comm -12 - <(sources | sort) | xargs -r -P "$(nproc)" -n 4 .venv/bin/clang-tidy --quiet -p "$build/lint" \
    --extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-deprecated-declarations "${checks[@]}"
