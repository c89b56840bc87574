#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The build script that ClusterFuzzLite and OSS-Fuzz run in their image: all fuzz targets, each with
# seeds, dictionary, options and the libraries it needs, in $OUT. The engine gives CC, CXX, CFLAGS,
# CXXFLAGS, LIB_FUZZING_ENGINE, SANITIZER, SRC, WORK and OUT.
set -euo pipefail
: "${CC:?}" "${CXX:?}" "${LIB_FUZZING_ENGINE:?}" "${SRC:?}" "${WORK:?}" "${OUT:?}"
source=$SRC/assay
build=$WORK/assay
# libLLVM is a C++ library of the system, built with its libstdc++: libc++ does not go with it. Its
# objects have no vtables that UBSan could check.
flags=${CXXFLAGS:-}
flags="${flags//-stdlib=libc++/} -fno-sanitize=vptr"
[ "${SANITIZER:-}" != undefined ] || flags+=" -fno-sanitize-recover=all"
cmake -S "$source" -B "$build" -G Ninja -DASSAY_FUZZING=ON -DASSAY_FAULTS=ON -DBUILD_TESTING=OFF \
  -DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER="$CXX" -DCMAKE_C_FLAGS="${CFLAGS:-}" \
  -DCMAKE_CXX_FLAGS="$flags" -DLIB_FUZZING_ENGINE="$LIB_FUZZING_ENGINE" \
  -DCMAKE_BUILD_RPATH='$ORIGIN/lib' -DLLVM_DIR="${LLVM_DIR:-/usr/lib/llvm-22/lib/cmake/llvm}"
cmake --build "$build" --target fuzz-targets
"$source/ci/cflite/package.py" "$build" "$OUT"
