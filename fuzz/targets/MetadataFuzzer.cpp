// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any bytes as the fields of the compiler's model of PAL metadata: written, and read by the
// validator to the same model.
#include "fuzz/elf/CheckMetadata.h"
#include "fuzz/targets/Target.h"

using namespace assay::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  assay::pal::Metadata metadata = readMetadataFields({data, size});
  return settle(checkMetadata(metadata, assay::pal::writeMetadata(metadata)));
}
