// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The execution modes of floats (SPV_KHR_float_controls), per width, and which instructions have to
// respect which of them (Vulkan 1.3, "Precision and Operation of SPIR-V Instructions").
#pragma once

#include "compiler/spirv/Module.h"
#include "oracles/api/Precision.h"
#include "oracles/machine/spirv/math/Interval.h"

namespace assay::reference {

class FloatModes {
public:
  explicit FloatModes(Precision precision) : m_precision(precision) {}
  /// Takes in one execution mode of the entry point; others than those of floats mean nothing here.
  void read(const spirv::ExecutionMode &mode);
  /// The rules for \p opcode (of \p glslNumber where that is OpExtInst) on floats of \p width, as
  /// far as modes decide them.
  /// The assumptions of \p precision are part of them.
  FloatRules rulesFor(spv::Op opcode, uint32_t glslNumber, unsigned width) const;
  /// No mode says how conversions to \p width round.
  bool roundsAsItLikes(unsigned width) const;

private:
  struct Modes {
    bool preservesDenormals = false;
    bool flushesDenormals = false;
    bool towardZero = false;
    bool nearestEven = false;
    bool keepsSignsOfZero = false;
  };
  Precision m_precision;
  Modes m_modes[3]; ///< Of 16, 32 and 64 bits.
};

} // namespace assay::reference
