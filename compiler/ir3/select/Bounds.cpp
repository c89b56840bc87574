// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir3/select/Bounds.h"

#include "compiler/ir3/select/Select.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::ir3;

/// No bound is known.
static constexpr uint32_t unknown = UINT32_MAX;
/// Producers that boundOf() follows from one value.
static constexpr unsigned maxDepth = 8;

/// maxComputeWorkGroupCount and maxComputeWorkGroupSize of turnip (Mesa 25.0, tu_device.cc).
static constexpr uint32_t maxWorkgroupId = 65534, maxLocalId = 1023;

static uint32_t boundOf(const Register &value, unsigned depth);

/// The bound of a component of the ids that the launch fills in; unknown for another split.
static uint32_t boundOfInput(const ir3::Instruction &split) {
  const Register &vector = split.registers[1];
  if (!vector.isSsa() || vector.def->opcode != Opcode::MetaInput)
    return unknown;
  switch (vector.def->dst().number) {
  case WorkgroupIdRegister:
    return maxWorkgroupId;
  case LocalIdRegister:
    return maxLocalId;
  default:
    return unknown;
  }
}

/// \p value, or unknown where it exceeds 32 bits: the hardware's result has wrapped.
static uint32_t saturated(uint64_t value) {
  return static_cast<uint32_t>(std::min<uint64_t>(value, unknown));
}

/// The bound that follows from the opcode and the bounds of the sources. Sources with modifiers
/// have none.
static uint32_t boundOfResult(const ir3::Instruction &inst, unsigned depth) {
  auto source = [&](unsigned index) -> uint64_t {
    const Register &operand = inst.registers[index];
    bool isPlain = !operand.is(registerflag::Negate | registerflag::Absolute);
    return isPlain ? boundOf(operand, depth + 1) : unknown;
  };
  auto amount = [&]() -> std::optional<unsigned> {
    const Register &operand = inst.registers[2];
    if (!operand.isImmediate() || operand.value < 0 || operand.value > 31)
      return std::nullopt;
    return static_cast<unsigned>(operand.value);
  };
  switch (inst.opcode) {
  case Opcode::MetaSplit:
    return boundOfInput(inst);
  case Opcode::Mov:
    return inst.isPlainMove() ? saturated(source(1)) : unknown;
  case Opcode::AddU:
    return saturated(source(1) + source(2));
  case Opcode::AndB:
    return saturated(std::min(source(1), source(2)));
  case Opcode::MinU:
    return saturated(std::min(source(1), source(2)));
  case Opcode::ShlB:
    return amount() ? saturated(source(1) << *amount()) : unknown;
  case Opcode::ShrB:
    return amount() ? saturated(source(1) >> *amount()) : unknown;
  default:
    return unknown;
  }
}

/// Immediates are their own bound; constants and half values have none. Phis end the search.
static uint32_t boundOf(const Register &value, unsigned depth) {
  if (value.isImmediate())
    return static_cast<uint32_t>(value.value);
  if (!value.isSsa() || value.isHalf() || depth > maxDepth)
    return unknown;
  return boundOfResult(*value.def, depth);
}

/// Follows the producers of \p value for a few steps, so that the cost does not depend on the size
/// of the program.
uint32_t ir3::upperBound(const Register &value) {
  return boundOf(value, 0);
}
