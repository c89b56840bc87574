// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Volatile and atomic accesses of two runs: what a lowering may change of them and what not.
#pragma once

#include "oracles/ir/Interpreter.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>

namespace assay {

/// The first difference that another agent could tell, or nothing. Compared are the normal forms
/// (ir::normalizeEvents) of both runs: the same accesses in the same order, where an atomic
/// operation on a part of a word may be one on the word, and a copy or a fill any pieces
/// (foldCopies); and between two accesses each fence of
/// before has one of after that is at least as strong, in ordering and scope. Further fences do
/// not matter.
std::string compareEvents(llvm::ArrayRef<ir::Event> before, llvm::ArrayRef<ir::Event> after);

} // namespace assay
