#!/usr/bin/env bash
# Configures and builds against one MPI: tools/build.sh BUILD [MPI [--tests] [TARGET...]]
#   BUILD    the build folder
#   MPI      a prefix that holds bin/mpicxx, or a name such as mpich for the wrapper mpicxx.mpich,
#            or simgrid for smpicxx, or abi for mpicxx_abi: MPI's standard ABI, for several libraries;
#            without it, $MPICXX or mpicxx
#   --tests  builds the tests too, which need GoogleTest
#   TARGET   only these of CMake's targets
set -euo pipefail
source "$(dirname -- "${BASH_SOURCE[0]}")/environment.sh"
build=${1:?the build folder} mpi=${2:-} tests=
shift $(($# < 2 ? $# : 2))
[[ ${1-} != --tests ]] || { tests=$1 && shift; }
targets=("$@")
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)

die() { printf 'build: %s\n' "$*" >&2; exit 2; }

[[ $build != -* ]] || die "BUILD: '$build' is no option here; legal: a folder"

if [[ -z $mpi ]]; then
    wrapper=${MPICXX:-mpicxx}
elif [[ $mpi == simgrid ]]; then
    wrapper=smpicxx
elif [[ $mpi == abi ]]; then
    wrapper=mpicxx_abi
elif [[ -d $mpi ]]; then
    wrapper=$(cd -- "$mpi" && pwd)/bin/mpicxx
else
    wrapper=mpicxx.$mpi
fi
if ! wrapper=$(command -v -- "$wrapper"); then
    known=$({ compgen -c mpicxx. || true; } | sed 's/^mpicxx\.//' | sort -u | paste -sd' ')
    [[ $mpi != abi ]] || die "MPI=abi needs mpicxx_abi on the PATH, of MPICH 5 or newer: pip install mpich brings one"
    [[ $mpi != simgrid ]] || die "MPI=simgrid needs smpicxx: apt-get install libsimgrid-dev, or see simgrid.org"
    [[ -n $mpi ]] || die "there is no ${MPICXX:-mpicxx} on the PATH: run make setup, or give MPI=PREFIX"
    die "MPI='$mpi' is neither a prefix with bin/mpicxx nor the name of a wrapper mpicxx.NAME;" \
        "legal: a prefix, abi, simgrid${known:+, $known}"
fi

# A PATH or MPICXX may be from this folder; CMake keeps whole paths, which are compared below.
[[ $wrapper == /* ]] || wrapper=$(cd -- "$(dirname -- "$wrapper")" && pwd)/${wrapper##*/}

# Intel MPI's wrappers of PyPI ask for their own prefix.
[[ ! -e ${wrapper%/*}/impi_info ]] || export I_MPI_ROOT=${I_MPI_ROOT:-${wrapper%/bin/*}}

# One build folder, one MPI: CMake would keep half of what it found before.
[[ $build == /* ]] || build=$root/$build
cache=$build/CMakeCache.txt
if [[ -e $cache ]]; then
    before=$(sed -n 's/^MPI_CXX_COMPILER:[A-Z]*=//p' "$cache")
    [[ $before == "$wrapper" ]] ||
        die "BUILD='$build' is configured for $before, not for $wrapper: give another BUILD=FOLDER"
fi
if [[ ! -e $cache || ! ( -e $build/build.ninja || -e $build/Makefile ) ]]; then
    # A first try that failed before it wrote these may have had a bad compiler, which CMake would keep.
    [[ ! -e $cache ]] || rm -rf -- "$build/CMakeFiles"
    # Compiling a folder's sources as one takes less for all of them.
    cmake -S "$root" -B "$build" -U CMAKE_CXX_COMPILER -DMPI_CXX_COMPILER="$wrapper" \
        -DGATHERBENCH_UNITY_BUILD=ON
fi
# With tests each source is compiled alone: an edit leaves its neighbours as they are, and clang-tidy and
# other builds find the command and the object of each. A build that takes such objects has none to give.
if [[ $tests == --tests ]] && ! grep -q '^GATHERBENCH_TESTS:BOOL=ON' "$cache"; then
    cmake -S "$root" -B "$build" -DGATHERBENCH_TESTS=ON \
        -DGATHERBENCH_UNITY_BUILD="$([[ ${GATHERBENCH_OBJECTS_OF-} ]] && echo ON || echo OFF)"
fi
# Make reads its files before they are made anew, so it would not know a target that is new there.
[[ -z ${targets[*]-} ]] || cmake "$build" >/dev/null
# Without the flags of a make around it, whose job server and "Entering directory" are not meant.
env -u MAKEFLAGS -u MAKELEVEL cmake --build "$build" --parallel "$(nproc)" \
    ${targets[@]+--target "${targets[@]}"}
