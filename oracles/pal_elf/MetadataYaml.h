// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A metadata tree as the YAML that LLVM's assembler reads and LGC prints. LLVM's own printer is not
// for what strangers wrote: it knows neither binary values nor keys that are no scalars.
#pragma once

#include "oracles/pal_elf/MsgPack.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace assay {

/// Writes \p root between "---" and "...": entries in their order, unsigned integers in
/// hexadecimal, tags (!str, !nil, !float) where a reader would take the text for another kind. What
/// msgpack has and the assembler's YAML has not: binary values and extensions are YAML's !!binary,
/// a key that is an array or a map is described.
void printMetadataYaml(const MsgValue &root, llvm::raw_ostream &os);

} // namespace assay
