#!/usr/bin/env bash
# The lowest and the newest versions of what gatherbench needs, each in a folder of its own below
# build-bounds/. BOUNDS="oldest newest clang" chooses.
#   oldest  each Python package in the lowest version that pyproject.toml allows: the quick tests of
#           what is Python; and the lowest CMake, which configures
#   newest  the same with the newest that PyPI had on DAY
#   clang   the newest clang++-N that apt has, up to NEWEST_CLANG: what it has refused, or with SOURCES
#           all programs, which g++ then compiles, too
# DAY and NEWEST_CLANG stand below, so that what others publish tomorrow fails no CI; before a release:
# DAY=$(date -I) NEWEST_CLANG=99. What a machine does not have is said, and what was taken in its place.
# With SOURCES no installed libraries are taken, but those that CMake fetches where none are installed. It
# is a folder with mirrors of their repositories by git, OWNER/NAME.git, or https://github.com for the
# originals. The lowest versions of libraries, which each CI tests, are Debian 12's.
set -euo pipefail
source "$(dirname -- "${BASH_SOURCE[0]}")/environment.sh"
(($# == 0)) || { echo "test_bounds: '$1' is not known; legal: no words (BOUNDS=... chooses)" >&2 && exit 2; }
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
DAY=${DAY:-2026-11-26} NEWEST_CLANG=${NEWEST_CLANG:-22}
[[ $DAY =~ ^[0-9]{4}-[0-9]{2}-[0-9]{2}$ ]] ||
    { echo "test_bounds: DAY: '$DAY' is no day; legal: YYYY-MM-DD" >&2 && exit 2; }
[[ $NEWEST_CLANG =~ ^[1-9][0-9]?$ ]] ||
    { echo "test_bounds: NEWEST_CLANG: '$NEWEST_CLANG' is not legal; legal: 1 to 99" >&2 && exit 2; }
folder=build-bounds
mkdir -p "$folder"

say() { echo "test-bounds: $*"; }

requirements() { # lowest | any: those of pyproject.toml, of the lowest versions alone or of any
    .venv/bin/python - "$1" <<'PY'
import re, sys
if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib
for each in tomllib.load(open("pyproject.toml", "rb"))["project"]["dependencies"]:
    print(each.replace(">=", "==") if sys.argv[1] == "lowest" else re.sub(">=[0-9.]+", "", each))
PY
}
first_python() { # minor versions...: the first of them that is here and runs
    local minor
    for minor; do
        ! "python3.$minor" -c '' 2>/dev/null || { echo "python3.$minor" && return; }
        say "python3.$minor is not here" >&2
    done
    echo .venv/bin/python
}

packages() { # venv python packages...: as they were on DAY
    local venv=$folder/$1
    say "$1: $("$2" --version) of ${2}, packages of $DAY"
    "$2" -m venv --clear "$venv"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check pip==26.3
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --only-binary :all: \
        --uploaded-prior-to "${DAY}T23:59:59Z" "${@:3}" \
        $(grep -E '^(jsonschema|playwright|pytest|pytest-xdist|reframe-hpc)==' requirements-dev.txt)
}

tested_and_configured() { # venv
    local venv=$folder/$1
    PYTHONPATH=formats:jobs:reports "$venv/bin/python" -m pytest -q -n 2 -m quick -p no:cacheprovider \
        tests/formats tests/jobs tests/reports
    say "$1: $("$venv/bin/cmake" --version | head -n 1)"
    local build=$folder/configured
    rm -rf -- "$build" # CMake 3.20 has no --fresh
    "$venv/bin/cmake" -S . -B "$build" -DGATHERBENCH_TESTS=ON >"$folder/cmake.log" 2>&1 ||
        { tail -30 "$folder/cmake.log"; return 1; }
}

newest_clang() { # its number, brought by apt if we may
    local number
    [[ $(apt-cache search --names-only '^clang-[0-9]+$' 2>/dev/null) ]] || ((EUID != 0)) || apt-get update >&2 || true
    number=$(apt-cache search --names-only '^clang-[0-9]+$' 2>/dev/null | sed 's/^clang-\([0-9]*\).*/\1/' |
        awk -v most="$NEWEST_CLANG" '$1 <= most' | sort -n | tail -n 1)
    if [[ $number ]] && ! command -v "clang++-$number" >/dev/null && ((EUID == 0)); then
        DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "clang-$number" >/dev/null
    fi
    compgen -c clang++- | sed -n 's/^clang++-\([0-9]*\)$/\1/p' | awk -v most="$NEWEST_CLANG" '$1 <= most' |
        sort -n | tail -n 1
}

with_clang() {
    local number name compiler compilers options=() rooms=() targets=()
    number=$(newest_clang)
    command -v ninja >/dev/null || { say "clang: NOT TRIED: ninja is not here" && return; }
    [[ $number ]] || { say "clang: NOT TRIED: no clang++-N is here, and apt brings none" && return; }
    ((number == NEWEST_CLANG)) || say "clang: $NEWEST_CLANG is not here, and apt brings none"
    compilers=("clang++-$number") targets=(programs)
    if [[ ${SOURCES-} ]]; then
        compilers+=(g++)
        while read -r name; do
            options+=("-DCMAKE_DISABLE_FIND_PACKAGE_$name=ON")
        done < <(sed -n 's/^ *gatherbench_require(\([^ ]*\) .*/\1/p' cmake/dependencies.cmake)
        [[ $SOURCES == *://* ]] || SOURCES=file://$(realpath -- "$SOURCES")
        export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=url.$SOURCES/.insteadOf GIT_CONFIG_VALUE_0=https://github.com/
    else
        # Those that sort, and those that clang has refused with other options than the precompiled headers'.
        read -ra rooms < <(sed -n 's/^set(core_rooms \(.*\))/\1/p' CMakeLists.txt)
        mapfile -t targets < <(grep -lE 'stable_sort|CLI/CLI.hpp' -r "${rooms[@]}" --include='*.cpp' |
            sed 's,.*,CMakeFiles/gatherbench_core.dir/&.o,')
    fi
    for compiler in "${compilers[@]}"; do
        say "clang: $compiler${SOURCES:+, with what is fetched from $SOURCES}"
        compiled "$folder/$compiler"
    done
}

compiled() { # build: by the compiler, the options and the targets of with_clang
    cmake -G Ninja -S . -B "$1" -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_CXX_FLAGS_RELEASE=-O0 ${options[@]+"${options[@]}"} >"$1.log" 2>&1 || { tail -30 "$1.log"; return 1; }
    cmake --build "$1" --parallel "$(nproc)" --target "${targets[@]}" >"$1.log" 2>&1 || { tail -30 "$1.log"; return 1; }
}

for name in ${BOUNDS:-oldest newest clang}; do
    case $name in
    oldest)
        mapfile -t wanted < <(requirements lowest)
        cmake=$(sed -n 's/^cmake_minimum_required(VERSION \(.*\))/\1/p' CMakeLists.txt)
        packages oldest "$(first_python 10 11 12)" "${wanted[@]}" "cmake==$cmake.*"
        tested_and_configured oldest
        ;;
    newest)
        mapfile -t wanted < <(requirements any)
        packages newest "$(first_python 15 14 13 12 11 10)" "${wanted[@]}" cmake
        tested_and_configured newest
        ;;
    clang) with_clang ;;
    *) echo "test-bounds: BOUNDS: '$name' is none; legal: oldest newest clang" >&2 && exit 2 ;;
    esac
done
