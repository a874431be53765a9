#!/usr/bin/env bash
# Benchmarks the all-gather on this machine and writes a report: tools/quickstart.sh BUILD
# Environment variables change what it does:
#   RANKS      the numbers of ranks, with blanks between them
#   LAUNCHES   how often each program is launched with each number of ranks
#   MAX_TIME   the longest time of a case in one launch
#   SIZES      the block sizes of MPI_Allgather: a list, or a range such as 1:64K of powers of two
#   SIZES_V    the block sizes of MPI_Allgatherv, a list
#   SIZES_UNALIGNED
#              a list of block sizes of MPI_Allgather into a buffer that begins 16 bytes behind a
#              page, with no more ranks than cores
#   RESULTS    the folder of the results
#   AGREPORT   the program that makes the report
set -euo pipefail
source "$(dirname -- "${BASH_SOURCE[0]}")/environment.sh"

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
results=$(realpath -ms -- "${RESULTS:-results/quickstart}") # without a slash at its end
cores=$(cores_here)
ranks=${RANKS:-$(ranks_on "$cores")}
launches=${LAUNCHES:-7}
# Programs seldom gather powers of two, so two sizes are none: 1000, and 64K + 16.
sizes=${SIZES:-1,2,4,8,16,32,64,128,256,512,1000,1K,2K,4K,8K,16K,32K,64K,65552}
[[ $sizes == *:* ]] && sizes_option=--message-size || sizes_option=--sizes
sizes_unaligned=${SIZES_UNALIGNED:-16K,64K}
sizes_v=${SIZES_V:-1,4,16,64,256,1K,4K,16K,64K}
max_time=${MAX_TIME:-15ms}
report=$results/report.html
agreport=${AGREPORT:-.venv/bin/agreport}

refuse() { printf 'quickstart: %s\n' "$*" >&2; exit 2; }
[[ $launches =~ ^[1-9][0-9]{0,2}$ ]] || refuse "LAUNCHES: '$launches' is not legal; legal: 1 to 999"
number='[1-9][0-9]{0,6}'
[[ $ranks =~ ^\ *$number(\ +$number)*\ *$ ]] ||
    refuse "RANKS: '$ranks' is not legal; legal: numbers with blanks between them, such as '2 4'"
command -v -- "$agreport" >/dev/null ||
    refuse "AGREPORT: there is no program '$agreport'; legal: agreport, which make setup brings"

# Prints a result file whose name before .csv is as the pattern says, or with `!` is not so.
result_file() { # pattern [!]
    local file name is_not
    for file in "$results"/*.csv "$results"/*.csv.gz; do
        name=${file##*/} is_not='!'
        [[ ! ${name%.csv*} =~ ^($1)$ ]] || is_not=
        [[ ! -e $file || $is_not != "${2-}" ]] || { echo "$file" && return; }
    done
}
current='allgather(v|-unaligned)?-[0-9]+-[0-9]+'
former='allgatherv?-[0-9]+' # of versions that launched each program once
if [[ ! -e $report ]]; then
    others=$(result_file "$current|$former" !)
    [[ -z $others ]] ||
        refuse "RESULTS: '$results' has ${others##*/}, which no quickstart wrote; legal: a folder of its own"
fi

echo "quickstart: $launches launches each with $ranks ranks on $cores cores; RANKS='2 4' asks for" \
    "other ranks, LAUNCHES=10 for more launches"
if [[ -z ${RANKS-} ]] && ((cores < 4)); then
    echo "quickstart: 2 ranks cannot tell the algorithms apart, so 4 and 8 share the cores;" \
        "their times hold for such a machine only"
fi

kinds=(allgather allgather-unaligned allgatherv)
of_kind() { # kind: sets program and options
    case $1 in
    allgather) program=allgather_bench options=("$sizes_option" "$sizes") ;;
    allgather-unaligned) program=allgather_bench options=(--sizes "$sizes_unaligned" --buffer-offset 0,16) ;;
    allgatherv) program=allgatherv_bench options=(--sizes "$sizes_v" --distributions all) ;;
    esac
    # Launches differ by more than many iterations of one could tell, so the time is for launches.
    options+=(--iterations 100 --warmup 5 --max-time "$max_time")
}
# What a program refuses is refused before anything is touched.
read -r first _ <<<"$ranks"
for kind in "${kinds[@]}"; do
    of_kind "$kind"
    "$build/bin/mpirun_here" "$first" "$build/bin/$program" "${options[@]}" --dry-run >/dev/null
done

keep() { # when what
    local kept
    kept=$results-$(date -r "$1" +%Y%m%d-%H%M%S)
    mv -T -- "$results" "$kept"
    echo "quickstart: $2 are now in $kept"
}
# A finished run is kept under another name; an unfinished one is gone on with, unless it is of a
# version that launched each program once.
if [[ -e $report ]]; then
    keep "$report" "the results of before"
elif file=$(result_file "$former") && [[ $file ]]; then
    keep "$file" "unfinished results of a former version, which this one cannot go on with,"
fi
mkdir -p -- "$results"

# Compressed, if the build can; what was begun without is gone on with.
ending=.csv
! "$build/bin/mpirun_here" 2 "$build/bin/allgather_bench" --dry-run --output "$results/none.csv.gz" \
    >/dev/null 2>&1 || ending=.csv.gz
run() { # kind ranks launch
    local file=$results/$1-$2-$3
    local csv=$file.csv
    [[ -e $csv ]] || csv=$file$ending
    of_kind "$1"
    "$build/bin/mpirun_here" "$2" "$build/bin/$program" "${options[@]}" --output "$csv" --resume >"$file.txt"
}
# Launches of one kind are apart in time: a machine changes within seconds, and what is seen in one
# state of it alone would be taken for a property of an algorithm.
for ((launch = 1; launch <= launches; ++launch)); do
    for p in $ranks; do
        echo "quickstart: launch $launch of $launches with $p ranks"
        for kind in "${kinds[@]}"; do
            # Where ranks wait for processors, how fast they copy decides little.
            [[ $kind == allgather-unaligned ]] && ((p > cores)) || run "$kind" "$p" "$launch"
        done
    done
done

"$agreport" page "$results" -o "$report"
echo
"$agreport" loss "$results"
echo
echo "quickstart: the whole report is $(realpath -- "$report")"
