// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/api/OpenTexels.h"

#include <cassert>
#include <cmath>
#include <set>

using namespace assay;

static bool isWide(const FloatInterval &interval) {
  if (interval.mayBeNan)
    return interval.lo <= interval.hi; // Only NaN is one value.
  return interval.lo != interval.hi && !std::isfinite(interval.hi - interval.lo);
}

static bool isWide(const FieldInterval &field) {
  return field.hi != field.lo && field.hi - field.lo + 1 >= int64_t(1) << (field.bits - 1);
}

TexelCount assay::countOpenTexels(const Buffer &buffer, const BufferState &state) {
  assert(buffer.image && buffer.texelFormat && "no image");
  uint64_t texelBytes = getTexelFormatInfo(*buffer.texelFormat).bytes;
  std::set<uint64_t> open;
  for (const auto &[offset, alternatives] : state.alternatives)
    open.insert(offset / texelBytes);
  for (const auto &[offset, length] : state.indeterminate)
    for (uint64_t texel = offset / texelBytes; texel * texelBytes < offset + length; ++texel)
      open.insert(texel);
  for (const auto &[offset, interval] : state.intervals)
    if (isWide(interval))
      open.insert(offset / texelBytes);
  for (const auto &[bit, field] : state.fields)
    if (isWide(field))
      open.insert(bit / 8 / texelBytes);
  return {open.size(), state.bytes.size() / texelBytes};
}
