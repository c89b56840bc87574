// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compilations as the oracle of hash chains wants to see them.
#pragma once

#include "compiler/driver/Compiler.h"
#include "fuzz/pair/PairMutations.h"
#include "oracles/hash_chain/ChainRecord.h"

namespace assay {

/// Compiles \p input without a cache and records its chains, the IR after each pass, and the ELF.
/// Errors as of Compiler::compile. \p compiler has no PassWatcher afterwards.
llvm::Expected<ChainRecord> recordChains(Compiler &compiler, const PairInput &input);

} // namespace assay
