// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The capability table: what of SPIR-V and Vulkan 1.3 each part of Assay has. The rows are
// in Capabilities.def.
#pragma once

#include "compiler/api/ShaderStage.h"
#include "compiler/spirv/Module.h"

namespace assay::spirv {

/// What a row is about. OtherStage: a capability that means something in some stages only.
enum class CapabilityKind : uint8_t { Capability, Mode, ExtInst, Device, OtherStage };

/// A row of Capabilities.def.
struct CapabilityRow {
  CapabilityKind kind;
  llvm::StringRef name; ///< Capability, execution mode, instruction set (a last '*' represents any
                        ///< rest) or device feature.
  uint32_t number;      ///< Of the capability or execution mode.
  llvm::StringRef feature; ///< What a Vulkan device must have for it; may be empty.
  bool inCompiler;
  bool inReference;
  StageMask stages = 0; ///< Of OtherStage: where the capability means something.
};

llvm::ArrayRef<CapabilityRow> capabilityTable();

/// The rows that \p module uses (Capability, Mode and ExtInst), each once, in the table's order.
std::vector<const CapabilityRow *> usedRows(const Module &module);

/// Who asks whether a module is within reach.
enum class CapabilityUser : uint8_t { Compiler, Reference };

/// Unsupported, with the name, for the first capability or extended instruction set of \p module
/// that has no row or that \p user lacks: "OpCapability Float64 (word 9)". Those that mean nothing
/// to
/// \p stage do not count.
llvm::Error checkCapabilities(const Module &module, CapabilityUser user, ShaderStage stage);

/// Whether the module of \p words has subgroup operations or built-ins, and so may see the subgroup
/// size.
bool usesSubgroups(llvm::ArrayRef<uint32_t> words);

/// "AtomicFloat32AddEXT"; the number where the installed SPIRV-Tools does not know the name.
std::string capabilityName(spv::Capability capability);

} // namespace assay::spirv
