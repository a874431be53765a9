#!/usr/bin/env bash
# The lowest and the newest versions of what gatherbench needs, each in a folder of its own below
# build-bounds/. BOUNDS="oldest newest clang" chooses.
#   oldest  each Python package in the lowest version that pyproject.toml allows: the quick tests; and the
#           lowest CMake, which configures
#   newest  the same with what PyPI has today
#   clang   the newest clang++-N that apt has: what it has refused, or with SOURCES all programs
# SOURCES is a folder with the sources of fmt, CLI11, nlohmann_json and googletest (a folder each), which
# clang then takes instead of installed ones. The lowest of them that are tested in each CI are Debian 12's.
set -euo pipefail
(($# == 0)) || { echo "test_bounds: '$1' is not known; legal: no words (BOUNDS=... chooses)" >&2 && exit 2; }
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
folder=build-bounds
mkdir -p "$folder"

lowest() { # the requirements of pyproject.toml, of these versions alone
    .venv/bin/python - <<'PY'
import re, tomllib
for each in tomllib.load(open("pyproject.toml", "rb"))["project"]["dependencies"]:
    print(each.replace(">=", "=="))
PY
}
first_python() { # minor versions...: the first of them that is here and runs
    local minor
    for minor; do
        ! "python3.$minor" -c '' 2>/dev/null || { echo "python3.$minor" && return; }
    done
    echo .venv/bin/python
}

quick_tests() { # venv python requirements...
    local venv=$folder/$1
    [[ -x $venv/bin/pytest ]] || {
        "$2" -m venv --clear "$venv"
        "$venv/bin/python" -m pip install --quiet --disable-pip-version-check pytest pytest-xdist jsonschema \
            reframe-hpc playwright "${@:3}"
    }
    PYTHONPATH=formats:jobs:reports "$venv/bin/python" -m pytest -q -n 2 -m quick -p no:cacheprovider tests
}

configured_by() { # cmake's version
    local venv=$folder/cmake
    python3 -m venv --clear "$venv"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check "cmake$1"
    "$venv/bin/cmake" --version | head -n 1
    local build=$folder/configured
    rm -rf -- "$build" # CMake 3.20 has no --fresh
    "$venv/bin/cmake" -S . -B "$build" -DGATHERBENCH_TESTS=ON >"$folder/cmake.log" 2>&1 ||
        { tail -30 "$folder/cmake.log"; return 1; }
}

newest_clang() {
    local name
    name=$(apt-cache search --names-only '^clang-[0-9]+$' 2>/dev/null | awk '{ print $1 }' | sort -V | tail -n 1)
    if [[ $name ]] && ! command -v "clang++${name#clang}" >/dev/null && ((EUID == 0)); then
        DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$name" >/dev/null
    fi
    compgen -c clang++- | grep -E '^clang\+\+-[0-9]+$' | sort -Vu | tail -n 1
}

with_clang() {
    local build=$folder/clang compiler name options=() targets=()
    compiler=$(newest_clang)
    echo "test-bounds: $compiler"
    for name in fmt CLI11 nlohmann_json GTest; do
        [[ ${SOURCES-} ]] || break
        options+=("-DCMAKE_DISABLE_FIND_PACKAGE_$name=ON" "-DFETCHCONTENT_SOURCE_DIR_${name^^}=$(realpath -- "$SOURCES/$name")")
    done
    cmake -G Ninja -S . -B "$build" -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_CXX_FLAGS_RELEASE=-O0 ${options[@]+"${options[@]}"} >"$build.log" 2>&1 || { tail -30 "$build.log"; return 1; }
    # Those that sort, and those that clang has refused with other options than the precompiled headers'.
    targets=(programs)
    [[ ${SOURCES-} ]] || mapfile -t targets < <(grep -lE 'stable_sort|CLI/CLI.hpp' -r algorithms distributions formats --include='*.cpp' |
        sed 's,.*,CMakeFiles/gatherbench_core.dir/&.o,')
    cmake --build "$build" --parallel "$(nproc)" --target "${targets[@]}" >"$build.log" 2>&1 || { tail -30 "$build.log"; return 1; }
}

for name in ${BOUNDS:-oldest newest clang}; do
    echo "test-bounds: $name"
    case $name in
    oldest)
        mapfile -t requirements < <(lowest)
        quick_tests oldest "$(first_python 10 11 12)" "${requirements[@]}"
        configured_by "==$(sed -n 's/^cmake_minimum_required(VERSION \(.*\))/\1/p' CMakeLists.txt).*"
        ;;
    newest)
        quick_tests newest "$(first_python 15 14 13 12 11 10)" \
            jinja2 matplotlib numpy pandas pyarrow scipy shtab
        configured_by '>=4'
        ;;
    clang) with_clang ;;
    *) echo "test-bounds: BOUNDS: '$name' is none; legal: oldest newest clang" >&2 && exit 2 ;;
    esac
done
