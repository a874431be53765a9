#!/bin/sh
# Writes the archive TO: FROM with a P before the name of each MPI function that it calls. What a
# link-time optimiser would read has the names of before, so it is left out.
# profiling_names.sh NM OBJCOPY FROM TO
set -eu
names=$(mktemp)
trap 'rm -f "$names"' EXIT
"$1" -u "$3" | sed -n 's/^ *U \(MPI_[A-Z][a-z].*\)$/\1 P\1/p' | sort -u >"$names"
[ -s "$names" ] || { echo "profiling_names: $3 calls no MPI function" >&2; exit 1; }
"$2" --remove-section='.gnu.lto_*' --redefine-syms="$names" "$3" "$4"
