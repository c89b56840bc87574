// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two parts of a graphics pipeline, compiled apart, become one PAL ELF.
#pragma once

#include "support/Hash.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace assay::pal {

/// One relocatable ELF of a vertex-processing part and a fragment part, both of this compiler:
/// loaded sections of one name are joined, symbols and relocations follow, metadata are combined.
/// No code is changed. \p pipeline becomes '.internal_pipeline_hash'. InvalidInput when the parts
/// are for different chips, both define a symbol, or their metadata do not go together.
llvm::Expected<std::vector<uint8_t>> combineParts(llvm::ArrayRef<uint8_t> vertex,
                                                  llvm::ArrayRef<uint8_t> fragment,
                                                  const Hash128 &pipeline);

/// The metadata of the whole pipeline, version 3.x. Interpolant n reads the parameter whose
/// '.preraster_output_semantic' equals element n of '.ps_input_semantic', or zeros where there is
/// none, as PAL links separate parts (gfx9PipelineChunkVsPs.cpp; LLPC: OFFSET bit 5). Both keys
/// are removed.
llvm::Expected<std::string> combineMetadata(llvm::StringRef vertex, llvm::StringRef fragment,
                                            const Hash128 &pipeline);

} // namespace assay::pal
