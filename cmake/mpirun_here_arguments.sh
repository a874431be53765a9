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
beside=$(dirname -- "$0")
if (($# == 0)); then
    echo "mpirun_here: PROGRAM is missing; legal: a program, such as $beside/allgather_bench" >&2
    exit 2
fi
# Each launcher would tell of it in many lines. What begins with a dash is an option of the launcher.
if [[ $1 != -* && ! (-f $1 && -x $1) ]] && ! type -P -- "$1" >/dev/null; then
    example=$beside/${1##*/}
    [[ -x $example ]] || example=$beside/allgather_bench
    echo "mpirun_here: PROGRAM: there is no program '$1'; legal: a path, or a name on the PATH, such as $example" >&2
    exit 2
fi
if ! type -P -- "$launcher" >/dev/null; then
    echo "mpirun_here: MPIEXEC: there is no launcher '$launcher'; legal: that of this build's MPI, such as mpiexec or srun" >&2
    exit 2
fi
