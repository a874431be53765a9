#!/usr/bin/env bash
# Fuzzes what reads texts in C++, with AddressSanitizer and UndefinedBehaviorSanitizer:
# tools/fuzz.sh BUILD [RUNS|SECONDSs]
#   BUILD    a folder of its own, for the objects, the program and the texts that it finds
#   RUNS     so many texts (default: 200000), SECONDSs: for so long, such as 3600s
# Needs clang++ with libFuzzer (Debian: clang, libclang-rt-dev), {fmt}, zlib, CLI11 and nlohmann's JSON library.
set -euo pipefail
source "$(dirname -- "${BASH_SOURCE[0]}")/environment.sh"
build=${1:?the build folder} how_long=${2:-200000}
[[ $build != -* ]] || { echo "fuzz: '$build' is no option here; legal: a build folder" >&2 && exit 2; }
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

compiler=${FUZZ_CXX:-$(command -v clang++ || command -v clang++-14 || true)}
[[ -n $compiler ]] || { echo "fuzz: there is no clang++ (Debian: clang libclang-rt-dev); FUZZ_CXX=COMPILER names one" >&2; exit 2; }
case $how_long in
*s) limit=-max_total_time=${how_long%s} ;;
*) limit=-runs=$how_long ;;
esac
[[ ${limit#*=} =~ ^[0-9]+$ ]] || { echo "fuzz: '$how_long' is neither RUNS nor SECONDSs" >&2; exit 2; }

mkdir -p "$build/texts"
flags=(-std=c++20 -O1 -g -I. -fno-sanitize-recover=all
    -fsanitize=fuzzer-no-link,address,undefined)
# What the readers need; the newest header tells whether an object is old.
read -ra folders < <(sed -n 's/^set(core_rooms \(.*\))/\1/p' CMakeLists.txt)
newest=$(find "${folders[@]}" \( -name '*.h' -o -name '*.inc' \) -printf '%T@ %p\n' | sort -n | tail -n 1 | cut -d' ' -f 2-)
sources=() objects=()
mapfile -t all < <(find "${folders[@]}" -name '*.cpp')
for source in "${all[@]}" tests/fuzz/fuzz_texts.cpp; do
    object=$build/${source//\//_}.o
    objects+=("$object")
    [[ $object -nt $source && $object -nt $newest ]] || sources+=("$source" "$object")
done
if ((${#sources[@]})); then
    printf '%s\0' "${sources[@]}" |
        xargs -0 -n 2 -P "$(nproc)" bash -c '"${@:1:$#-2}" -c "${@: -2:1}" -o "${@: -1}"' \
            compile "$compiler" "${flags[@]}"
fi
"$compiler" -fsanitize=fuzzer,address,undefined "${objects[@]}" -lfmt -lz -o "$build/fuzz_texts"
ASAN_OPTIONS=detect_leaks=0 "$build/fuzz_texts" -seed=1 -max_len=2000 -timeout=20 -print_final_stats=1 \
    "$limit" "$build/texts" tests/fuzz/texts 2> "$build/log" || { tail -n 40 "$build/log" >&2; exit 1; }
grep -E 'stat::number_of_executed_units' "$build/log"
