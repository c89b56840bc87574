// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The hashes in the metadata of a finished ELF.
#pragma once

#include "support/Hash.h"
#include <cstdint>
#include <vector>

namespace assay::pal {

/// Writes `.internal_pipeline_hash` and `.api_shader_hash` of a pipeline with one shader into \p
/// elf, in place. False, and \p elf is unchanged, when it does not have both exactly once, or a
/// number of them, old or new, does not take all of msgpack's uint 64 (one of 2^32 hashes).
bool setElfHashes(std::vector<uint8_t> &elf, const Hash128 &pipeline, const Hash128 &shader);

} // namespace assay::pal
