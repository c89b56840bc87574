// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is in the data of a pipeline binary of RADV: a struct of Mesa's, written as it lies in
// memory. The offsets are those of Mesa 25.0; every binary is checked in many places, and
// RadvPeer.h tries known shaders before it believes any.
#pragma once

#include "oracles/radv/RadvShader.h"

namespace assay {

/// The shader in \p data. compiler, driver, target and bindings are left to the caller. Unsupported
/// when the bytes are not laid out as expected, with the first thing that is odd.
llvm::Expected<radv::RadvShader> readPipelineBinary(llvm::ArrayRef<uint8_t> data);

} // namespace assay
