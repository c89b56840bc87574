// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled pipelines in a Cache: by what key, and as what bytes.
#pragma once

#include "compiler/api/Pipeline.h"
#include "compiler/api/Target.h"
#include "compiler/cache/Cache.h"

namespace assay {

/// The key of a compute pipeline: the hash of its shader by meaning, of the state and options that
/// code depends on, and of \p build. With CompileOptions::validate also of the words, because what
/// spirv-val reports need not be reachable. InvalidInput when the SPIR-V can't be parsed.
llvm::Expected<Hash128> makeCacheKey(const PipelineDescription &pipeline,
                                     const ShaderDescription &shader, const CompileOptions &options,
                                     const Hash128 &build);

/// An ELF and its warnings as bytes.
std::vector<uint8_t> printCached(const CompileResult &result);
/// The reverse, without hash chains. Nothing for bytes that printCached() did not write.
std::optional<CompileResult> parseCached(llvm::ArrayRef<uint8_t> bytes);

} // namespace assay
