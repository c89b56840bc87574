// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A module of IR made ready to be launched.
#pragma once

#include "compiler/api/ShaderStage.h"
#include "oracles/machine/gcn/launch/CodeImage.h"
#include "oracles/machine/ir/StageRows.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace assay::irm {

/// User SGPRs of a launch before the entry point has its signature: of an interface that no
/// compiler has, through which the ops of the dialect reach the tables.
constexpr unsigned pushPointerSgpr = 0;
constexpr unsigned firstTableSgpr = 1; ///< Then a set's table each, as ResourceLayout has them.

/// A parsed module. The context comes first, so that it outlives the module.
struct IrImage {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  llvm::Function *entry = nullptr;
  bool hasSignature = false; ///< It takes what the hardware gives.
  gcn::CodeImage code;       ///< Its launch state; no code at all.
};

/// A graphics stage, from what the compiler prints: IR after a line "; stage NAME".
struct StageImage {
  ShaderStage stage = ShaderStage::Vertex;
  bool earlyFragmentTests = false;
  bool sampleShading = false; ///< An input asks for one invocation a sample.
  IrImage image;
  StageRows rows; ///< Of image.module.
};

/// The stages in \p text. InvalidInput where one is no module that the compiler would have made,
/// or where there is none.
llvm::Expected<std::vector<StageImage>>
loadStages(llvm::StringRef text, const ResourceLayout &layout, const TargetInfo &target);

/// InvalidInput where \p text is no module that the compiler would have made.
llvm::Expected<IrImage> loadIr(llvm::StringRef text, const ResourceLayout &layout,
                               const TargetInfo &target);

} // namespace assay::irm
