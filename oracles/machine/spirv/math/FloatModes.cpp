// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/spirv/math/FloatModes.h"

#include "llvm/ADT/STLExtras.h"
#include <spirv/unified1/GLSL.std.450.h>

using namespace llvm;
using namespace assay;
using namespace assay::reference;

/// Index of a width in FloatModes::m_modes.
static unsigned indexOf(unsigned width) {
  return width == 16 ? 0 : width == 32 ? 1 : 2;
}

/// Notes the mode for the width in its operand. Modes that do not concern floats are ignored.
void FloatModes::read(const spirv::ExecutionMode &mode) {
  using spv::ExecutionMode;
  static constexpr std::pair<ExecutionMode, bool Modes::*> rows[] = {
      {ExecutionMode::DenormPreserve, &Modes::preservesDenormals},
      {ExecutionMode::DenormFlushToZero, &Modes::flushesDenormals},
      {ExecutionMode::RoundingModeRTZ, &Modes::towardZero},
      {ExecutionMode::RoundingModeRTE, &Modes::nearestEven},
      {ExecutionMode::SignedZeroInfNanPreserve, &Modes::keepsSignsOfZero}};
  for (const auto &[kind, member] : rows)
    if (mode.mode == kind && !mode.operands.empty())
      m_modes[indexOf(mode.operands[0])].*member = true;
}

/// True where neither a mode nor Precision::Ieee fixes the rounding for this width.
bool FloatModes::roundsAsItLikes(unsigned width) const {
  if (m_precision == Precision::Ieee)
    return false;
  const Modes &modes = m_modes[indexOf(width)];
  return !modes.towardZero && !modes.nearestEven;
}

/// The core instructions that respect both DenormPreserve and SignedZeroInfNanPreserve.
static constexpr spv::Op strictOps[] = {
    spv::Op::OpFConvert,
    spv::Op::OpFNegate,
    spv::Op::OpFAdd,
    spv::Op::OpFSub,
    spv::Op::OpFMul,
    spv::Op::OpVectorTimesScalar,
    spv::Op::OpMatrixTimesScalar,
    spv::Op::OpVectorTimesMatrix,
    spv::Op::OpMatrixTimesVector,
    spv::Op::OpMatrixTimesMatrix,
    spv::Op::OpOuterProduct,
    spv::Op::OpDot,
    spv::Op::OpFOrdEqual,
    spv::Op::OpFUnordEqual,
    spv::Op::OpFOrdNotEqual,
    spv::Op::OpFUnordNotEqual,
    spv::Op::OpFOrdLessThan,
    spv::Op::OpFUnordLessThan,
    spv::Op::OpFOrdGreaterThan,
    spv::Op::OpFUnordGreaterThan,
    spv::Op::OpFOrdLessThanEqual,
    spv::Op::OpFUnordLessThanEqual,
    spv::Op::OpFOrdGreaterThanEqual,
    spv::Op::OpFUnordGreaterThanEqual,
    spv::Op::OpGroupNonUniformAllEqual,
    spv::Op::OpSubgroupAllEqualKHR,
    spv::Op::OpGroupNonUniformFMin,
    spv::Op::OpGroupNonUniformFMax,
    spv::Op::OpAtomicFAddEXT,
    spv::Op::OpAtomicFMinEXT,
    spv::Op::OpAtomicFMaxEXT,
};
/// Those that respect SignedZeroInfNanPreserve alone.
static constexpr spv::Op signOps[] = {spv::Op::OpFDiv, spv::Op::OpIsNan, spv::Op::OpIsInf};
/// Those of GLSL.std.450 that respect DenormPreserve; none has to respect signs of zeros.
static constexpr uint32_t preservingGlsl[] = {
    GLSLstd450FAbs, GLSLstd450FSign,        GLSLstd450Radians,        GLSLstd450Degrees,
    GLSLstd450FMin, GLSLstd450FMax,         GLSLstd450FClamp,         GLSLstd450FMix,
    GLSLstd450Fma,  GLSLstd450PackHalf2x16, GLSLstd450PackDouble2x32, GLSLstd450UnpackHalf2x16,
    GLSLstd450NMin, GLSLstd450NMax,         GLSLstd450NClamp,         GLSLstd450UnpackDouble2x32};
/// And those of it that need not respect DenormFlushToZero, though they give floats.
static constexpr uint32_t keepingGlsl[] = {GLSLstd450Ldexp, GLSLstd450Frexp, GLSLstd450FrexpStruct};

FloatRules FloatModes::rulesFor(spv::Op opcode, uint32_t glslNumber, unsigned width) const {
  const Modes &modes = m_modes[indexOf(width)];
  bool isGlsl = opcode == spv::Op::OpExtInst;
  bool preserves = isGlsl ? is_contained(preservingGlsl, glslNumber)
                          : is_contained(strictOps, opcode) || opcode == spv::Op::OpSpecConstantOp;
  bool flushes =
      isGlsl ? !is_contained(keepingGlsl, glslNumber) : opcode != spv::Op::OpQuantizeToF16;
  FloatRules rules;
  rules.width = static_cast<uint8_t>(width);
  rules.mayFlush = !(modes.preservesDenormals && preserves);
  rules.mustFlush = modes.flushesDenormals && flushes;
  rules.towardZero = modes.towardZero;
  rules.freeRounding = roundsAsItLikes(width);
  // No implementation is known to leave out an absolute value because of a zero's sign.
  bool clearsSign = isGlsl && glslNumber == GLSLstd450FAbs;
  rules.signedZero =
      clearsSign || (modes.keepsSignsOfZero && !isGlsl &&
                     (is_contained(strictOps, opcode) || is_contained(signOps, opcode)));
  rules.isPractical = m_precision >= Precision::Practical;
  rules.isIeee = m_precision == Precision::Ieee;
  rules.signedZero |= rules.isIeee;
  return rules;
}
