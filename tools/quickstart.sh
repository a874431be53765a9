#!/usr/bin/env bash
# Benchmarks the all-gather on this machine and writes a report: tools/quickstart.sh BUILD
# RESULTS, RANKS, SIZES, SIZES_V and MAX_TIME (a case) change what it does.
set -euo pipefail
build=${1:?the build folder}
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
results=${RESULTS:-results/quickstart}
ranks=${RANKS:-2 4 5 8}
sizes=${SIZES:-1:64K}
sizes_v=${SIZES_V:-1,4,16,64,256,1K,4K,16K,64K}
max_time=${MAX_TIME:-1s}
report=$results/report.html

# A finished run is kept under another name; an unfinished one is gone on with.
if [[ -e $report ]]; then
    kept=$results-$(date -r "$report" +%Y%m%d-%H%M%S)
    mv -- "$results" "$kept"
    echo "quickstart: the results of before are now in $kept"
fi
mkdir -p -- "$results"
echo "quickstart: with the defaults and 2 cores it takes under 4 minutes, set-up and build included"

run() { # ranks program options...
    local csv=$results/${2%_bench}-$1.csv
    echo "quickstart: $2 with $1 ranks"
    "$build/bin/mpirun_here" "$1" "$build/bin/$2" "${@:3}" --max-time "$max_time" \
        --output "$csv" --resume >"${csv%.csv}.txt"
}
for p in $ranks; do
    run "$p" allgather_bench --message-size "$sizes"
    run "$p" allgatherv_bench --sizes "$sizes_v" --distributions all
done

.venv/bin/agreport page "$results"/*.csv -o "$report"
echo
.venv/bin/agreport table "$results"/*.csv
echo
echo "quickstart: the whole report is $(realpath -- "$report")"
