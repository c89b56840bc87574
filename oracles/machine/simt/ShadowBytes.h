// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which bits of a block of memory are uninitialized: a set bit of the shadow is an undefined bit.
#pragma once

#include <cstdint>
#include <vector>

namespace assay::simt {

/// The shadow of a block of bytes: eight bits for each.
class ShadowBytes {
public:
  /// Begins again with \p bytes bytes whose shadow is \p shadow (0xff: all bits are undefined).
  void reset(uint64_t bytes, uint8_t shadow) { m_bits.assign(bytes, shadow); }
  uint64_t size() const { return m_bits.size(); }
  /// The shadow of byte \p at, or null beyond the end.
  uint8_t *find(uint64_t at) { return at < m_bits.size() ? &m_bits[at] : nullptr; }

private:
  std::vector<uint8_t> m_bits;
};

} // namespace assay::simt
