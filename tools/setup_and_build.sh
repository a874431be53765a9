#!/usr/bin/env bash
# Installs Python packages while C++ compiles: tools/setup_and_build.sh BUILD MPI TARGET...
# Either that fails, or an interrupt, ends the other too.
set -euo pipefail
source "$(dirname -- "${BASH_SOURCE[0]}")/environment.sh"
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

set -m # a process group of its own, which can be ended with all that is in it
tools/setup.sh &
setup=$!
set +m
end_setup() {
    kill -TERM -- "-$setup" 2>/dev/null || true
    wait "$setup" || true
}
trap 'end_setup; exit 130' INT TERM
tools/build.sh "$@" || { failed=$? && end_setup && exit "$failed"; }
wait "$setup"
