# shellcheck shell=bash
# Sourced by setup.sh: whether a program or a library is there, and new enough. Looks for the thing
# itself, whoever installed it, and changes nothing. A find_* that succeeds may set variables:
# cxx, cxx_version and cxx_note; mpi; python.

has() { command -v "$1" >/dev/null 2>&1; }

new_enough() { # program major minor: prints the version of the program if it is at least that
    local text version major minor
    text=$("$1" --version 2>/dev/null) && [[ $text =~ [0-9]+(\.[0-9]+)+ ]] || return 1
    version=${BASH_REMATCH[0]}
    IFS=. read -r major minor _ <<<"$version"
    ((major > $2 || (major == $2 && minor >= $3))) && printf '%s' "$version"
}

preprocess() { # compiler source flags...: prints what follows the word "found" in the result
    local -a command
    read -ra command <<<"$1"
    "${command[@]}" "${@:3}" -E -x c++ - <<<"$2" 2>/dev/null |
        sed -n 's/^found *//; T; s/ \. /./g; s/"//g; p'
}

cxx_source='#include <version>
#if __cplusplus < 202002L || !defined __cpp_lib_span
#error too old
#endif
found __VERSION__'

find_cxx() { # without CXX, CMake takes the first that is there, usable or not
    local first='' candidates=(c++ g++ clang++)
    [[ -z ${CXX:-} ]] || candidates=("$CXX")
    for cxx in "${candidates[@]}"; do
        if cxx_version=$(preprocess "$cxx" "$cxx_source" -std=c++20); then
            cxx_note=${first:+"CMake would take $first, too old for C++20: export CXX=$cxx"}
            return
        fi
        ! has "$cxx" || first=${first:-$cxx}
    done
    return 1
}

mpi_source='#include <mpi.h>
#if defined OMPI_MAJOR_VERSION
found "Open MPI" OMPI_MAJOR_VERSION.OMPI_MINOR_VERSION.OMPI_RELEASE_VERSION
#elif defined I_MPI_VERSION
found "Intel MPI" I_MPI_VERSION
#elif defined MPICH_VERSION
found "MPICH" MPICH_VERSION
#else
found "MPI" MPI_VERSION.MPI_SUBVERSION
#endif'

find_mpicxx() {
    mpi=$(preprocess "${MPICXX:-mpicxx}" "$mpi_source" -DOMPI_SKIP_MPICXX -DMPICH_SKIP_MPICXX)
}
# On a Cray, whose wrapper is CC, srun alone starts ranks.
find_launcher() {
    has "${MPIEXEC:-mpirun}" || has "${MPIEXEC:-mpiexec}" ||
        { [[ ${MPICXX:-mpicxx} != *mpi* ]] && has "${MPIEXEC:-srun}"; }
}

find_library() { # CMake package: is its configuration file where find_package looks?
    local dir=${1}_DIR hint=${1}_ROOT prefix
    local -a prefixes found
    IFS=: read -ra prefixes <<<"${!hint:-}:${CMAKE_PREFIX_PATH:-}:$PATH:/usr/local:/usr"
    found=(${!dir:+"${!dir}"/"$1"*onfig.cmake})
    for prefix in "${prefixes[@]%/bin}"; do
        found+=("$prefix"/{lib,lib64,lib/*-linux-gnu,share}/cmake/"$1"*/"$1"*onfig.cmake)
    done
    ((${#found[@]} > 0))
}

find_header() { # header prefix...: is it in the include folder of one of these or the usual ones?
    local prefix
    for prefix in "${@:2}" ${CMAKE_PREFIX_PATH:+${CMAKE_PREFIX_PATH//:/ }} /usr/local /usr; do
        [[ ! -e $prefix/include/$1 ]] || return 0
    done
    return 1
}

# The first Python that can make a virtual environment; inside one, what that was made from.
find_python() {
    local candidate
    for candidate in "${PYTHON:-python3}" python3 python3.1{3,2,1,0} /usr/bin/python3; do
        python=$("$candidate" -I -c '
import os, sys, venv, ensurepip
if sys.version_info < (3, 10): sys.exit(1)
is_base = sys.prefix == sys.base_prefix
print(sys.executable if is_base else os.path.realpath(sys.executable))' 2>/dev/null) && return
    done
    return 1
}
