// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether the atomic accesses of a run pass the caches that other agents do not share.
#pragma once

#include "oracles/ir/Interpreter.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Function.h"
#include <string>

namespace assay {

/// The first atomic access of \p before, the events of a run, of which no buffer instruction among
/// \p after has the cache policy that its scope needs on the chip of \p lowered ("target-cpu"), or
/// nothing. Other instructions than those of buffers say their scope themselves. Nothing, too, for
/// chips without a row: GFX9.4 and later of GFX9, and unknown ones.
std::string compareCaches(llvm::ArrayRef<ir::Event> before, llvm::ArrayRef<ir::Event> after,
                          const llvm::Function &lowered);

} // namespace assay
