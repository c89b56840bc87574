// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Links the stages of a graphics pipeline: the one place that has the modules of all of them. They
// may be in different contexts.
#pragma once

#include "compiler/lgc/link/StageInterface.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace assay {

/// The steps of linking, in their order. LinkInputs is of fragment stages, LinkOutputs of vertex
/// stages.
constexpr llvm::StringLiteral removePoisonOutputsStep = "remove-poison-outputs";
constexpr llvm::StringLiteral linkInputsStep = "link-inputs";
constexpr llvm::StringLiteral linkOutputsStep = "link-outputs";
constexpr llvm::StringLiteral packInputsStep = "pack-inputs";

/// Is shown a stage after each step that was done to it.
using LinkObserver = llvm::function_ref<void(llvm::StringRef step, llvm::Module &module)>;

/// Removes writes of poison: a stage need not write an output that it has not computed.
void removePoisonOutputs(llvm::Module &module);

/// In/out matching of the stages in \p modules, in the order of ShaderStage, at most one Vertex and
/// one Fragment. Each has one function, no lgc op that only records, and values rather than memory
/// for inputs and outputs (SROA). In this order: constants and undefined values of fragment inputs;
/// removal of unread vertex outputs; packing of fragment inputs. Each stage's !llpc.hash
/// is extended by what was read of the other. \p observer may be empty. InvalidInput, Unsupported:
/// see StageInterface::of.
llvm::Error linkStages(llvm::ArrayRef<llvm::Module *> modules, LinkObserver observer = nullptr);

/// Prepares the stage in \p module to be compiled without the other one: locations stay, and each
/// has one way of interpolation. InvalidInput, Unsupported: see StageInterface::of; also where
/// there are more than 32 locations with those of built-ins.
llvm::Error isolateStage(llvm::Module &module, LinkObserver observer = nullptr);

} // namespace assay
