// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Glue: code that is added to the part of an unlinked stage when formats are known. It runs before
// a vertex part, which finds its attributes in VGPRs, or after a fragment part, which leaves its
// colors in VGPRs. What a part needs is in its metadata, at '.glue', until the parts are joined.
#pragma once

#include "compiler/pal/GraphicsMetadata.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace assay::pal {

/// What the glue of a part must load or export, and where it finds its user data.
struct GlueNeeds {
  HardwareStage stage = HardwareStage::Ps;
  std::vector<uint32_t> userData; ///< '.user_data_reg_map' of its user SGPRs.
  /// Of a vertex part: 4 * location + component of each attribute, in the order of its VGPRs. Of a
  /// fragment part: location, component, index and InOutType of each color, likewise.
  std::vector<uint32_t> values;
};

/// What the relocatable ELF \p part needs; nothing when it needs no glue. InvalidInput when it
/// can't be read.
llvm::Expected<std::optional<GlueNeeds>> readGlueNeeds(llvm::ArrayRef<uint8_t> part);

/// The code of the one function of the ELF \p glue. InvalidInput when there is not one, or when it
/// has relocations.
llvm::Expected<std::string> readGlueCode(llvm::ArrayRef<uint8_t> glue);

} // namespace assay::pal
