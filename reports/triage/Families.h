// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What belongs together though its names differ: operations that one pass makes in one way, rules
// that are about one thing. Tables, from how compilers and artifacts are made.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace assay {

/// The family of \p operation where \p pass goes wrong: "sampling", "group arithmetic". Empty where
/// that pass has a way of its own for it, or nobody knows.
llvm::StringRef familyOf(llvm::StringRef pass, llvm::StringRef operation);

/// Whether \p operation is a kind of change by which one instruction of machine code is repaired:
/// "comparison", "register".
bool isRepair(llvm::StringRef operation);

/// What of an artifact \p rule is about, ".scratch_memory_size"; empty where that is said by the
/// signature alone.
llvm::StringRef subjectOf(llvm::StringRef rule);

/// The component that compilers or drivers \p a and \p b both contain and in which one bug can show
/// with both: "NIR" of ACO and lavapipe. Empty where there is none; of several the smallest.
llvm::StringRef sharedComponent(llvm::StringRef a, llvm::StringRef b);

} // namespace assay
