// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A set of registers of one wave: vector registers, scalar ones by their numbers (sreg), and SCC.
#pragma once

#include "oracles/machine/gcn_isa/Inst.h"
#include "oracles/machine/gcn_isa/WaitRule.h"
#include <array>
#include <cstdint>

namespace assay::gcn {

/// A slot is a bit: VGPRs from 0, scalar registers from FirstScalar, then SCC.
class RegisterSet {
public:
  static constexpr unsigned FirstScalar = 256;                   ///< Slot of s0; VGPRs come first.
  static constexpr unsigned Scc = FirstScalar + sreg::Count + 2; ///< Slot of SCC.

  void add(unsigned slot) { m_words[slot / 64] |= uint64_t(1) << (slot % 64); }
  void remove(unsigned slot) { m_words[slot / 64] &= ~(uint64_t(1) << (slot % 64)); }
  /// Slots beyond SCC are dropped.
  void addVector(unsigned first, unsigned count = 1) { addSlots(first, count); }
  /// NULL is no register.
  void addScalar(unsigned first, unsigned count = 1) {
    if (first != sreg::Null)
      addSlots(FirstScalar + first, count);
  }
  /// Those that an instruction leaves pending.
  void add(const PendingRegisters &registers) {
    if (registers.vector)
      addVector(registers.first, registers.count);
    else
      addScalar(registers.first, registers.count);
  }

  bool has(unsigned slot) const { return m_words[slot / 64] >> (slot % 64) & 1; }
  bool hasVector(unsigned index) const { return has(index); }
  bool hasScalar(unsigned index) const { return has(FirstScalar + index); }
  bool empty() const {
    uint64_t any = 0;
    for (uint64_t word : m_words)
      any |= word;
    return any == 0;
  }
  bool intersects(const RegisterSet &other) const {
    uint64_t any = 0;
    for (unsigned i = 0; i < WordCount; ++i)
      any |= m_words[i] & other.m_words[i];
    return any != 0;
  }
  RegisterSet operator&(const RegisterSet &other) const {
    RegisterSet result;
    for (unsigned i = 0; i < WordCount; ++i)
      result.m_words[i] = m_words[i] & other.m_words[i];
    return result;
  }
  RegisterSet operator|(const RegisterSet &other) const {
    RegisterSet result;
    for (unsigned i = 0; i < WordCount; ++i)
      result.m_words[i] = m_words[i] | other.m_words[i];
    return result;
  }
  /// Without the members of \p other.
  RegisterSet operator-(const RegisterSet &other) const {
    RegisterSet result;
    for (unsigned i = 0; i < WordCount; ++i)
      result.m_words[i] = m_words[i] & ~other.m_words[i];
    return result;
  }
  /// Only the vector registers.
  RegisterSet vectors() const { return masked(0, FirstScalar / 64); }
  /// Scalar registers and SCC.
  RegisterSet scalars() const { return masked(FirstScalar / 64, WordCount); }
  /// The lowest member, for messages; the set must not be empty.
  unsigned first() const {
    unsigned slot = 0;
    while (!has(slot))
      ++slot;
    return slot;
  }

private:
  static constexpr unsigned WordCount = 7;
  static_assert(Scc < WordCount * 64, "every register has a bit");

  /// Slots after that of SCC are dropped.
  void addSlots(unsigned first, unsigned count) {
    for (unsigned i = 0; i < count && first + i <= Scc; ++i)
      add(first + i);
  }
  /// Only words \p begin to \p end, without \p end; each has 64 slots.
  RegisterSet masked(unsigned begin, unsigned end) const {
    RegisterSet result;
    for (unsigned i = begin; i < end; ++i)
      result.m_words[i] = m_words[i];
    return result;
  }

  std::array<uint64_t, WordCount> m_words{};
};

/// "v5", "s12", "vcc_lo", "m0", "scc": the register of \p slot, as the assembler names it.
std::string registerName(unsigned slot);

} // namespace assay::gcn
