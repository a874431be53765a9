#!/usr/bin/env bash
# Makes a wheel of the Python programs and of a build for MPI's standard ABI, which runs with any
# library that has it: tools/wheel.sh BUILD. The wheel is then in BUILD/wheel.
set -euo pipefail
source "$(dirname -- "${BASH_SOURCE[0]}")/environment.sh"
build=${1:?the build folder}
if (($# > 1)) || [[ $build == -* ]]; then
    echo "wheel: '${*: -1}' is not known; legal: a build folder, and no options" >&2
    exit 2
fi
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
grep -qs '^MPI_CXX_LIB_NAMES:.*mpi_abi' "$build/CMakeCache.txt" || {
    echo "wheel: BUILD: '$build' is no build for MPI's standard ABI; legal: a folder of make build MPI=abi" >&2
    exit 2
}
rm -rf -- "$build/wheel"
sources=$build/wheel/sources
installed=$sources/installed
mkdir -p -- "$sources"
cp -R formats jobs reports pyproject.toml VERSION LICENSE "$sources"
find "$sources" -name __pycache__ -prune -exec rm -rf {} +
cmake "$build" -DCMAKE_INSTALL_LIBDIR=lib >/dev/null # where Python packages have it, on every Linux
cmake --install "$build" --component programs --prefix "$installed" --strip >/dev/null
# No other machine has the launcher of this build.
sed -i 's,^launcher=.*,launcher=${MPIEXEC:-},' "$installed/bin/mpirun_here"

# Libraries that not every Linux has are carried along; which ones those are says Python's PEP 600.
everywhere='lib(mpi_abi|stdc\+\+|gcc_s|c|m|dl|pthread|rt)\.so|ld-linux'
elf() { find "$installed" -type f \( -path '*/bin/*' -o -path '*/lib/*' \) -exec sh -c 'readelf -h "$1" >/dev/null 2>&1' - {} \; -print; }
mapfile -t binaries < <(elf)
needed=$(LC_ALL=C readelf -d "${binaries[@]}" | sed -n 's/.*Shared library: \[\(.*\)\]/\1/p' | sort -u)
mkdir -p -- "$installed/lib/gatherbench"
while read -r name; do
    [[ ! $name =~ ^($everywhere) ]] || continue
    file=$(ldd "$build"/bin/*_bench "$build/bin/allgather_schedule" | awk -v name="$name" '$1 == name { file = $3 } END { print file }')
    install -m 644 -- "$(realpath -- "$file")" "$installed/lib/gatherbench/$name"
done <<<"$needed"

# As old a C library as the programs can do with; pip refuses the wheel on an older one.
glibc=$(objdump -T "${binaries[@]}" "$installed"/lib/gatherbench/* | grep -oE 'GLIBC_2\.[0-9]+' | sort -Vu | tail -n 1)
platform=manylinux_${glibc#GLIBC_}_$(uname -m)
.venv/bin/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --no-index \
    --wheel-dir "$build/wheel" "--config-settings=--build-option=--plat-name=${platform/./_}" "$sources"
rm -rf -- "$sources"
realpath -- "$build"/wheel/*.whl
