// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For the tests of this folder: calling a row by name, and vectors of awkward values.
#pragma once

#include "oracles/machine/gcn_alu/Alu.h"
#include "llvm/ADT/bit.h"
#include <array>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <vector>

namespace assay::gcn {

/// The mode LLVM gives compute shaders of PAL: denormals as given, IEEE off.
inline AluMode testMode(unsigned gfxMajor, bool denormals = true) {
  AluMode mode;
  mode.f32DenormIn = mode.f32DenormOut = denormals;
  mode.gfxMajor = gfxMajor;
  return mode;
}

inline const AluOp *anyOp(llvm::StringRef name, unsigned gfxMajor) {
  return name.starts_with("s_") ? findSaluOp(name, gfxMajor) : findValuOp(name, gfxMajor);
}

/// Runs the row of \p name on \p sources in \p input's setting. Aborts when there is no row: a test
/// that names none is wrong.
inline AluOutput runOp(llvm::StringRef name, std::initializer_list<uint64_t> sources,
                       const AluMode &mode, AluInput input = {}) {
  const AluOp *op = anyOp(name, mode.gfxMajor);
  if (!op || op->sourceCount() != sources.size())
    std::abort();
  std::copy(sources.begin(), sources.end(), input.src);
  return op->function(input, mode);
}

inline uint64_t resultOf(llvm::StringRef name, std::initializer_list<uint64_t> sources,
                         unsigned gfxMajor = 11) {
  return runOp(name, sources, testMode(gfxMajor)).value;
}

inline uint32_t bits32(float value) {
  return llvm::bit_cast<uint32_t>(value);
}
inline uint64_t bits64(double value) {
  return llvm::bit_cast<uint64_t>(value);
}
inline float float32(uint64_t bits) {
  return llvm::bit_cast<float>(uint32_t(bits));
}
inline double float64(uint64_t bits) {
  return llvm::bit_cast<double>(bits);
}

/// The same numbers for the same \p seed, everywhere.
inline std::mt19937 numbersFrom(unsigned seed) {
  return std::mt19937(seed);
}

/// Edge values of \p width bits - as integers and as floats - then random ones; always the same.
inline std::vector<uint64_t> vectorsOf(unsigned width, unsigned randomCount) {
  uint64_t mask = width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
  std::vector<uint64_t> result = {0, 1, 2, 31, 32, mask, mask - 1, mask >> 1, (mask >> 1) + 1};
  unsigned fraction = width == 16 ? 10 : width == 32 ? 23 : 52;
  uint64_t fractionMask = (uint64_t(1) << fraction) - 1;
  uint64_t infinity = (mask >> 1) & ~fractionMask;
  uint64_t one = (infinity >> 1) & ~fractionMask;
  for (uint64_t magnitude : {infinity, infinity - 1, infinity + 1, infinity | (infinity >> 1), one,
                             one - 1, one + 1, one + fractionMask, fractionMask, fractionMask + 1,
                             fractionMask + 2, one + (uint64_t(3) << (fraction - 1))})
    for (uint64_t sign : {uint64_t(0), (mask >> 1) + 1})
      result.push_back((magnitude | sign) & mask);
  std::mt19937_64 random(width);
  for (unsigned count = 0; count < randomCount; ++count)
    result.push_back(random() & mask);
  // Random floats of like exponents, which cancel and align.
  for (unsigned count = 0; count < randomCount; ++count)
    result.push_back(((random() & ((mask >> 1) + 1)) | (random() & fractionMask)) |
                     ((one + ((random() % 16) << fraction)) & infinity));
  return result;
}

} // namespace assay::gcn
