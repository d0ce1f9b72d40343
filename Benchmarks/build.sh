#!/usr/bin/env bash
# Builds the yardsticks into .build/bench.
set -euo pipefail
cd "$(dirname "$0")/.."
out=.build/bench
mkdir -p "$out"
cxx=${CXX:-c++}
flags=(-std=c++17 -O3 -DNDEBUG -Wall -Wextra)
# The instruction set that simdjson calls haswell. The yardsticks and the framework may both use it.
avx2=()
[ "$(uname -m)" = x86_64 ] && avx2=(-mavx2 -mfma -mbmi -mbmi2 -mlzcnt -mpclmul -mpopcnt)

compile() { # name, further arguments
    local name=$1 source=Benchmarks/Yardsticks/$1.cpp target=$out/$1
    shift
    if [ ! -e "$target" ] || [ -n "$(find Benchmarks/Yardsticks -newer "$target" -print -quit)" ]; then
        "$cxx" "${flags[@]}" "$source" -o "$target" "$@"
    fi
}

compile generate
compile chain
compile decode "${avx2[@]}" -lsimdjson
compile recognize "${avx2[@]}" -lsimdjson
# The kernels of the framework, compiled with the same options as in the framework.
kernels=()
for source in Sources/CKernels/*.c; do
    object=$out/$(basename "$source" .c).o
    kernels+=("$object")
    if [ ! -e "$object" ] || [ -n "$(find Sources/CKernels -newer "$object" -print -quit)" ]; then
        "${KERNEL_CC:-clang}" -O2 -ISources/CKernels/include -c "$source" -o "$object"
        rm -f "$out/recognize_cloud"
    fi
done
compile recognize_cloud "${avx2[@]}" -ISources/CKernels/include "${kernels[@]}" -lsimdjson -lm
compile match "${avx2[@]}"
compile bitmaps "${avx2[@]}"
# libmsgpack has another name since version 6.
msgpack=$(pkg-config --libs msgpack-c 2>/dev/null || pkg-config --libs msgpack 2>/dev/null || echo -lmsgpackc)
compile receive "${avx2[@]}" -lzmq -lsimdjson $msgpack -pthread
compile send -lzmq
compile relay -lzmq
compile pace -lzmq -pthread
compile latency -lzmq -pthread
compile punctual -lzmq -pthread
compile mcap -lzstd -lz
compile consume "${avx2[@]}" -lrdkafka -lsimdjson
compile send_lines -lzmq -lsimdjson $msgpack
"${CC:-cc}" -O2 -Wall Benchmarks/Yardsticks/peak.c -o "$out/peak"
[ "$(uname)" = Linux ] && "${CC:-cc}" -O2 -Wall -shared -fPIC Benchmarks/Yardsticks/allocations.c -o "$out/allocations.so"
exit 0
