// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The variant file that Assay's ir3 compiler writes (docs/ir3.md, "The variant file"), and what a
// driver would set up to launch it with the resources of a case: the same as for a shader of
// turnip, whose form it gets.
#pragma once

#include "oracles/api/Case.h"
#include "oracles/turnip/TurnipShader.h"

namespace assay {

/// Where the descriptors of one binding are.
struct Ir3Binding {
  uint32_t set = 0, binding = 0;
  uint32_t first = 0, count = 1; ///< Descriptors of bindless base \p set.
  uint32_t kind = 0;             ///< A DescriptorKind.
};

/// Dwords of an element of a binding that the launch copies to the const file.
struct Ir3Uniforms {
  uint32_t set = 0, binding = 0, element = 0;
  uint32_t firstByte = 0; ///< Of the bound range of the buffer; what is after its end is 0.
  uint32_t dwords = 0;
  uint32_t constDword = 0;
};

struct Ir3Variant {
  std::string target; ///< "a630".
  turnip::Launch launch;
  uint32_t pushConstantDwords = 0;  ///< At the start of the const file.
  uint32_t groupCountDword = 0;     ///< Where the counts of workgroups are.
  uint32_t immediateDword = 0;      ///< Where \p immediates are.
  std::vector<uint32_t> immediates; ///< Dwords of the const file.
  std::vector<Ir3Uniforms> uniforms;
  std::vector<Ir3Binding> bindings;
  std::vector<uint64_t> code; ///< One instruction each.

  /// Of a4xx: `first` of a binding is the number of a slot, whatever the set is.
  bool usesSlots() const { return launch.workgroupIdConstant != ~0U; }
  std::string statistics; ///< The line of shader-db.
};

/// InvalidInput for bytes that are no such file.
llvm::Expected<Ir3Variant> readIr3Variant(llvm::ArrayRef<uint8_t> bytes);

/// \p variant with descriptors of the resources that \p pipeline binds, as turnip makes
/// them (buffers: tu_descriptor_set.cc; others: ImageDescriptors.h). Unsupported for a resource
/// without a descriptor there.
llvm::Expected<turnip::TurnipShader> bindVariant(const Ir3Variant &variant, const Case &input,
                                                 const CasePipeline &pipeline);

} // namespace assay
