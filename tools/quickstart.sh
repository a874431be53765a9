#!/usr/bin/env bash
# Benchmarks the all-gather on this machine and writes a report: tools/quickstart.sh BUILD
# RESULTS, RANKS, SIZES, SIZES_V and MAX_TIME (a case) change what it does. AGREPORT is the program
# that makes the report.
set -euo pipefail

# One rank a core, a half, a quarter and an eighth of them; two at least. More ranks than cores would
# time the scheduler, so RANKS has to ask for them.
ranks_here() {
    local cores ranks found=
    cores=$(lscpu --parse=CORE,SOCKET | grep -v '^#' | sort -u | wc -l)
    ((cores <= $(nproc))) || cores=$(nproc)
    for ((ranks = cores > 2 ? cores : 2; ranks >= 2 && ranks * 8 >= cores; ranks /= 2)); do
        found="$ranks $found"
    done
    echo "${found% }"
}

build=${1:?the build folder}
if (($# > 1)) || [[ $build == -* ]]; then
    echo "quickstart: '${*: -1}' is not known; legal: a build folder, and no options" >&2
    exit 2
fi
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
results=${RESULTS:-results/quickstart}
ranks=${RANKS:-$(ranks_here)}
sizes=${SIZES:-1:64K}
sizes_v=${SIZES_V:-1,4,16,64,256,1K,4K,16K,64K}
max_time=${MAX_TIME:-1s}
report=$results/report.html
agreport=${AGREPORT:-.venv/bin/agreport}

# A finished run is kept under another name; an unfinished one is gone on with.
if [[ -e $report ]]; then
    kept=$results-$(date -r "$report" +%Y%m%d-%H%M%S)
    mv -- "$results" "$kept"
    echo "quickstart: the results of before are now in $kept"
fi
mkdir -p -- "$results"
echo "quickstart: with $ranks ranks; RANKS='2 4 8' asks for others"

# Compressed, if the build can; what was begun without is gone on with.
ending=$("$build/bin/allgather_schedule" catalogue --names output | tail -n 1)
run() { # ranks program options...
    local file=$results/${2%_bench}-$1
    local csv=$file.csv
    [[ -e $csv ]] || csv=$file$ending
    echo "quickstart: $2 with $1 ranks"
    "$build/bin/mpirun_here" "$1" "$build/bin/$2" "${@:3}" --max-time "$max_time" \
        --output "$csv" --resume >"$file.txt"
}
for p in $ranks; do
    run "$p" allgather_bench --message-size "$sizes"
    run "$p" allgatherv_bench --sizes "$sizes_v" --distributions all
done

"$agreport" page "$results" -o "$report"
echo
"$agreport" winners "$results" --as loss
echo
echo "quickstart: the whole report is $(realpath -- "$report")"
