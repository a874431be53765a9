#!/usr/bin/env bash
# What `cmake --install` and the wheel bring as the command gatherbench.
set -euo pipefail
prefix=$(realpath -- "$(dirname -- "$(realpath -- "${BASH_SOURCE[0]}")")/..")

usage="usage: gatherbench quickstart
Benchmarks the all-gather on this machine and writes results/quickstart/report.html.
RESULTS, RANKS, LAUNCHES, SIZES, SIZES_V, SIZES_UNALIGNED and MAX_TIME (a case of a launch) change
what it does."

die() { printf 'gatherbench: %s\n' "$*" >&2; exit 2; }
case ${1-} in
-h | --help) echo "$usage" && exit ;;
quickstart) ;;
'') die "command line: a command is missing; legal: quickstart" ;;
*) die "command line: '${1-}' is no command; legal: quickstart" ;;
esac
(($# == 1)) || die "quickstart: '${*: -1}' is not known; legal: no words (RANKS, SIZES, ... choose)"

agreport=$prefix/bin/agreport
[[ -x $agreport ]] || agreport=$(command -v agreport) ||
    die "AGREPORT: there is no agreport in $prefix/bin or on the PATH; legal: pip install . of the sources brings it"
# Before it is run: a library that is missing would be found after the first line alone.
"$prefix/bin/mpirun_here" 1 "$prefix/bin/allgather_bench" --version >/dev/null
RESULTS=$(realpath -m -- "${RESULTS:-results/quickstart}") AGREPORT=${AGREPORT:-$agreport} \
    exec "$prefix/libexec/gatherbench/quickstart.sh" "$prefix"
