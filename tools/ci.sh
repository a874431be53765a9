#!/usr/bin/env bash
# Runs parts of the CI one after the other until one fails, then says how long each took, and how
# much of that time the processors were busy: tools/ci.sh MAKE TARGET...
set -euo pipefail
source "$(dirname -- "${BASH_SOURCE[0]}")/environment.sh"
make=${1:?the make to run}
shift
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

taken=()
begin() { began=$SECONDS && idle=$(idle_ticks); }
# Of all processors since the start of the machine; waiting for a disk is idle, too.
idle_ticks() { awk '/^cpu / { print $5 + $6 }' /proc/stat; }
end() { # part
    local seconds=$((SECONDS - began))
    local offered=$((seconds * $(getconf _NPROCESSORS_ONLN) * $(getconf CLK_TCK)))
    local busy=-
    ((offered == 0)) || busy=$((100 - 100 * ($(idle_ticks) - idle) / offered))%
    taken+=("$seconds" "$busy" "$1")
}
tell() {
    printf '\nci: %8s  %5s  %s\n' seconds busy part
    printf 'ci: %8s  %5s  %s\n' "${taken[@]}" "$SECONDS" '' 'all of it'
}
trap tell EXIT
for part; do
    printf '\nci: %s\n' "$part"
    begin
    # Without the flags of the make around it, whose job server is not meant.
    if ! env -u MAKEFLAGS -u MAKELEVEL "$make" --no-print-directory "$part" FILES=all; then
        end "$part: failed"
        exit 1
    fi
    end "$part"
done
