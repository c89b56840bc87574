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

/// Relocatable ELFs of glue (Glue.h); empty where a part has none.
struct PartGlue {
  llvm::ArrayRef<uint8_t> vertex, fragment;
  /// Code between a part and its glue: what LLVM would put between two functions.
  std::string junction = "";
};

/// One relocatable ELF of a vertex-processing part and a fragment part, both of this compiler:
/// loaded sections of one name are joined, symbols and relocations follow, metadata are combined.
/// No code is changed; that of \p glue runs before the vertex part and after the fragment part.
/// \p pipeline becomes '.internal_pipeline_hash'. Where \p vertex is empty, the result is the
/// fragment part with its glue, still a part. InvalidInput when the parts
/// are for different chips, both define a symbol, or their metadata do not go together.
///
/// Parts of metadata 2.6 have the fields of 3.0, next to the registers that LLVM has written
/// (hideVersion in PixelMetadata.h). So has the result, which useRegisterMetadata
/// (RegisterMetadata.h) brings to version 2.6.
llvm::Expected<std::vector<uint8_t>> combineParts(llvm::ArrayRef<uint8_t> vertex,
                                                  llvm::ArrayRef<uint8_t> fragment,
                                                  const Hash128 &pipeline,
                                                  const PartGlue &glue = {});

/// The metadata of the whole pipeline, of the version that both parts have. Interpolant n reads the
/// parameter whose
/// '.preraster_output_semantic' equals element n of '.ps_input_semantic', or zeros where there is
/// none, as PAL links separate parts (gfx9PipelineChunkVsPs.cpp; LLPC: OFFSET bit 5). Both keys
/// are removed, and so is '.glue'. \p glue are the metadata of glue: a hardware stage has the
/// larger numbers of registers of its part and its glue, and the formats of colors are the glue's.
llvm::Expected<std::string> combineMetadata(llvm::StringRef vertex, llvm::StringRef fragment,
                                            const Hash128 &pipeline,
                                            llvm::ArrayRef<std::string> glue = {});

/// The metadata \p part with those of its glue, and without '.glue'.
llvm::Expected<std::string> addGlueMetadata(llvm::StringRef part, const Hash128 &pipeline,
                                            llvm::ArrayRef<std::string> glue);

} // namespace assay::pal
