// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compilations as the oracle of hash chains wants to see them.
#pragma once

#include "compiler/driver/Compiler.h"
#include "fuzz/pair/PairMutations.h"
#include "oracles/hash_chain/ChainRecord.h"

namespace assay {

/// Compiles \p input without a cache and records the chains of its shaders, the IR after each pass,
/// and the code. Errors as of Compiler::compile, of graphics pipelines as of compileStages.
/// \p compiler has no PassWatcher afterwards.
llvm::Expected<PipelineRecord> recordChains(Compiler &compiler, const PairInput &input);

} // namespace assay
