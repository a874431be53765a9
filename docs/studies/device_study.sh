#!/usr/bin/env bash
# From packages alone to the table of devices.py: docs/studies/device_study.sh FOLDER [OPTION...]
#   FOLDER   where Debian's Open MPI is built once more, for addresses in NVIDIA's devices, and
#            gatherbench with it; what is there already is not made again
#   OPTION   of devices.py: --ranks 2,4,8
#
# Needs Debian or Ubuntu with apt-get source, make setup, a C compiler and pip, and half an hour.
# CUDA's headers come from PyPI; the driver is opened while programs run.
set -euo pipefail
root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
source "$root/tools/environment.sh"

die() { printf 'device_study: %s\n' "$*" >&2; exit 2; }

[[ $# -ge 1 && $1 != -* ]] || die "FOLDER: '${1-}' is no folder; legal: FOLDER [OPTION...]"
mkdir -p "$1"
folder=$(cd -- "$1" && pwd)
shift
[[ -x $root/.venv/bin/python ]] || die "needs .venv, which make setup makes"

fetch_sources() { # of Debian's package, also where no deb-src is among apt's sources
    local list=$folder/apt
    mkdir -p "$list/lists" "$folder/source"
    cat /etc/apt/sources.list /etc/apt/sources.list.d/{debian,ubuntu}.sources 2>/dev/null |
        sed 's/^Types: deb$/Types: deb-src/; s/^deb /deb-src /' >"$list/all.sources" || true
    grep -q '^Types' "$list/all.sources" || mv "$list/all.sources" "$list/all.list"
    local options=(-o "Dir::Etc::sourcelist=$(echo "$list"/all.*)" -o Dir::Etc::sourceparts=-
                   -o "Dir::State::lists=$list/lists")
    apt-get -q "${options[@]}" update
    (cd "$folder/source" && apt-get -q "${options[@]}" source --download-only openmpi)
    tar -xf "$folder"/source/openmpi_*.orig.tar.* -C "$folder/source"
}

if [[ ! -x $folder/openmpi/bin/mpicxx ]]; then
    compgen -G "$folder/source/openmpi-*/configure" >/dev/null || fetch_sources
    "$root/.venv/bin/python" -m pip install -q --target "$folder/cuda" nvidia-cuda-runtime-cu12
    cd "$folder"/source/openmpi-*/
    ./configure --prefix="$folder/openmpi" --with-cuda="$folder/cuda/nvidia/cuda_runtime" \
        --enable-mpi-fortran=no --disable-oshmem --without-verbs --without-ucx --disable-doc \
        --with-hwloc=internal --with-libevent=internal --with-pmix=internal
    make -j "$(nproc)"
    make install
fi
"$folder/openmpi/bin/ompi_info" --parsable --all | grep 'mpi_built_with_cuda_support:value:true' ||
    die "this Open MPI was built without CUDA: $folder/openmpi"
cd "$root"
tools/build.sh "$folder/build" "$folder/openmpi"
exec .venv/bin/python docs/studies/devices.py "$folder/build" "$@"
