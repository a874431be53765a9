# Of both scripts named mpirun_here: their own words.
if [[ ${1-} == --help || ${1-} == -h ]]; then
    echo "usage: mpirun_here RANKS PROGRAM [ARGUMENT...]"
    echo "Runs a program of this build with the MPI that it was built with, on this machine."
    exit
fi
ranks=${1-}
if [[ ! $ranks =~ ^[1-9][0-9]*$ ]]; then
    echo "mpirun_here: RANKS: '$ranks' is not legal; legal: 1 or more" >&2
    exit 2
fi
shift
if (($# == 0)); then
    echo "mpirun_here: PROGRAM is missing; legal: a program, such as ${0%/*}/allgather_bench" >&2
    exit 2
fi
