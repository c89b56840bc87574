// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/memory/LdsDirect.h"

#include "oracles/machine/gcn/alu/Valu.h"
#include "oracles/machine/gcn/memory/Transfer.h"
#include "llvm/ADT/Twine.h"
#include "llvm/ADT/bit.h"
#include <cstring>
#include <optional>

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

constexpr int64_t LdsDirectCode = 254; ///< The number of the source.

bool gcn::isLdsDirect(const Operand &operand) {
  return operand.type == OperandType::Text && operand.index == LdsDirectCode;
}

namespace {
/// A data type of M0[18:16].
struct ElementType {
  uint8_t bytes; ///< 0: no type.
  bool isSigned;
};
} // namespace

/// The element as the 32 bits that lanes see; nothing after ending the run.
static std::optional<uint32_t> readElement(Wave &wave, const MicroOp &op) {
  static constexpr ElementType Types[] = {{1, false}, {2, false}, {4, false}, {0, false},
                                          {1, true},  {2, true},  {0, false}, {0, false}};
  uint32_t m0 = wave.s[sreg::M0];
  ElementType type = Types[m0 >> 16 & 7];
  if (!type.bytes) {
    wave.fail(OutcomeKind::Trap, "ILLEGAL", op, "M0 has data type " + Twine(m0 >> 16 & 7));
    return std::nullopt;
  }
  auto lane = static_cast<unsigned>(countr_zero(wave.exec()));
  const uint8_t *memory = findLds(wave, op, lane, m0 & 0xffff, type.bytes, false);
  if (!memory)
    return std::nullopt;
  uint32_t value = 0;
  std::memcpy(&value, memory, type.bytes);
  unsigned unused = 32 - 8 * type.bytes;
  return type.isSigned ? static_cast<uint32_t>(static_cast<int32_t>(value << unused) >> unused)
                       : value;
}

/// Without active lanes, LDS is not read.
void gcn::runValuOnLds(Wave &wave, const MicroOp &op) {
  MicroOp copy = op;
  std::optional<uint32_t> element = wave.exec() ? readElement(wave, op) : 0;
  if (!element)
    return;
  for (Source &source : MutableArrayRef(copy.sources).take_front(copy.sourceCount))
    if (isLdsDirect(source.operand)) {
      source.operand.type = OperandType::Literal;
      source.constant = *element;
    }
  runValu(wave, copy);
}
