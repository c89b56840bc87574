// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program spirv-reduce of SPIRV-Tools as one more reduction. It searches by itself and is given
// a test; what the test asks, this does not know.
#pragma once

#include "harness/reduce/Reduction.h"
#include "harness/run/WorkFolder.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <memory>
#include <string>

namespace assay {

/// The command that, with the file of a module after it, ends with 0 when \p subject with that
/// module in \p pipeline is still what is looked for. Files that it needs may be in \p folder.
using MakeModuleTest = std::function<llvm::Expected<std::vector<std::string>>(
    const Subject &subject, size_t pipeline, const std::string &folder)>;

struct SpirvReduceOptions {
  std::string program; ///< spirv-reduce.
  /// Its results, one a file named after what was reduced: nothing is reduced twice.
  std::string results;
  std::string key;       ///< Results hold for the program of the test with this key.
  double maxSeconds = 0; ///< Of a run, which is then ended without result; 0: no bound.
  MakeModuleTest makeTest;
};

/// A chance for each pipeline; a last resort. What it leaves counts when it has fewer instructions
/// in function bodies: with the other reductions, it comes to an end. Where spirv-reduce fails, the
/// subject stays as it is and a log in SpirvReduceOptions::results says why. \p work must outlive
/// it. To be used on the main thread only (Child).
std::unique_ptr<Reduction> makeSpirvReduce(SpirvReduceOptions options, const WorkFolder &work);

} // namespace assay
