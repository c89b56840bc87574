// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What must hold for lower-buffer-fat-pointers on any module. Knows no fuzz engine.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Module.h"
#include <memory>
#include <string>

namespace assay::fuzz {

/// The module in \p bytes, text or bitcode, with the target's data layout; null for what can't be
/// read, breaks LLVM's rules, or has another layout.
std::unique_ptr<llvm::Module> readModule(llvm::ArrayRef<uint8_t> bytes, llvm::LLVMContext &context);

/// Lowers a copy of \p module and asks the oracle, with \p trials a function. Returns what is
/// wrong; empty: nothing. A pass that refuses, and a function that can't be compared, are not
/// wrong.
std::string checkLowering(llvm::Module &module, unsigned trials);

} // namespace assay::fuzz
