#!/usr/bin/env bash
# Lints C++ with clang-tidy, by the compile commands of a build: tools/tidy.sh BUILD [changed|all]
#   changed  what differs from the branch main, committed or not; a header is linted in the source of
#            its name, or else in the first one that includes it
#   all      every source; so too if there is no main, or .clang-tidy is what has changed
set -euo pipefail
build=${1:?the build folder} which=${2:-changed}
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
all) ;;
changed)
    if ! base=$(git merge-base main HEAD 2>/dev/null) || [[ -n $(changed .clang-tidy) ]]; then
        which=all
    fi
    ;;
*) echo "tidy: '$which' is neither changed nor all" >&2 && exit 2 ;;
esac

if [[ $which == all ]]; then
    sources
else
    {
        changed '*.cpp'
        changed '*.h' | while read -r header; do linted_in "$header"; done
    } | sort -u | comm -12 - <(sources | sort)
fi | xargs -r -P "$(nproc)" -n 4 clang-tidy --quiet -p "$build" --extra-arg=-Wno-unknown-warning-option
