#!/usr/bin/env bash
# Lints C++ with clang-tidy, by the compile commands of a build: tools/tidy.sh BUILD [changed|all|every]
#   changed  what differs from the branch main, committed or not; a header is linted in the source of
#            its name, or else in the first one that includes it
#   all      every source of the product, those of a folder as one, and alone what has changed; so too if
#            there is no main, nothing differs from it, or .clang-tidy does. Without the static analyzer,
#            which takes as long as all else
#   every    each source alone, of the tests too
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

product() { sources | grep -v '^tests/'; }

# shellcheck disable=SC2046
.venv/bin/python tools/lint_commands.py "$build" $(product)

linted() { # folder of compile_commands.json, options; sources from the standard input
    xargs -r -P "$(nproc)" -n 4 .venv/bin/clang-tidy --quiet -p "$1" --extra-arg=-Wno-unknown-warning-option \
        --extra-arg=-Wno-deprecated-declarations "${@:2}"
}
# Two checks would find that a source includes others, and that several of these read one list of declarations.
# Names of one source may hide those of another.
if [[ $which == all ]]; then
    printf '%s\n' "$build"/lint/together/*.cpp | linted "$build/lint/together" --extra-arg=-Wno-shadow \
        '--checks=-clang-analyzer-*,-bugprone-suspicious-include,-readability-redundant-declaration'
fi
checks=()
[[ $which == changed ]] || checks=('--checks=-clang-analyzer-*')
{
    changed '*.cpp'
    changed '*.h' '*.inc' | while read -r header; do linted_in "$header"; done
    [[ $which != every ]] || sources
} | sort -u | comm -12 - <(sources | sort) | linted "$build/lint" "${checks[@]}"
