#!/usr/bin/env bash
# Runs parts of the CI one after the other until one fails, then says how long each took:
# tools/ci.sh MAKE TARGET...
set -euo pipefail
make=${1:?the make to run}
shift
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

seconds=()
tell() {
    printf '\nci: %8s  %s\n' seconds part
    printf 'ci: %8s  %s\n' "${seconds[@]}" "$SECONDS" 'all of it'
}
trap tell EXIT
for part; do
    began=$SECONDS
    printf '\nci: %s\n' "$part"
    # Without the flags of the make around it, whose job server is not meant.
    if ! env -u MAKEFLAGS -u MAKELEVEL "$make" --no-print-directory "$part" FILES=all; then
        seconds+=("$((SECONDS - began))" "$part: failed")
        exit 1
    fi
    seconds+=("$((SECONDS - began))" "$part")
done
