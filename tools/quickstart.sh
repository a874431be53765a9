#!/usr/bin/env bash
# Benchmarks the all-gather on this machine and writes a report: tools/quickstart.sh BUILD
# RESULTS, RANKS, SIZES, SIZES_V and MAX_TIME (a case) change what it does. AGREPORT is the program
# that makes the report.
set -euo pipefail

cores_here() {
    local cores
    cores=$(lscpu --parse=CORE,SOCKET | grep -v '^#' | sort -u | wc -l)
    echo "$((cores <= $(nproc) ? cores : $(nproc)))"
}

# One rank a core, a half, a quarter and an eighth of them; two at least. With fewer than 4 cores that
# would be 2 ranks alone, where nearly all algorithms send the same messages: 4 and 8 share the cores.
ranks_on() { # cores
    local ranks found=
    for ((ranks = $1 < 4 ? 8 : $1; ranks >= 2 && ranks * 8 >= $1; ranks /= 2)); do
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
cores=$(cores_here)
ranks=${RANKS:-$(ranks_on "$cores")}
sizes=${SIZES:-1:64K}
sizes_v=${SIZES_V:-1,4,16,64,256,1K,4K,16K,64K}
max_time=${MAX_TIME:-300ms}
report=$results/report.html
agreport=${AGREPORT:-.venv/bin/agreport}

# A finished run is kept under another name; an unfinished one is gone on with.
if [[ -e $report ]]; then
    kept=$results-$(date -r "$report" +%Y%m%d-%H%M%S)
    mv -- "$results" "$kept"
    echo "quickstart: the results of before are now in $kept"
fi
mkdir -p -- "$results"
echo "quickstart: with $ranks ranks on $cores cores; RANKS='2 4' asks for others"
if [[ -z ${RANKS-} ]] && ((cores < 4)); then
    echo "quickstart: 2 ranks cannot tell the algorithms apart, so 4 and 8 share the cores;" \
        "their times hold for such a machine only"
fi

# Compressed, if the build can; what was begun without is gone on with.
ending=.csv
! "$build/bin/mpirun_here" 2 "$build/bin/allgather_bench" --dry-run --output "$results/none.csv.gz" \
    >/dev/null 2>&1 || ending=.csv.gz
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
