// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the folder of a campaign's finding back to what was transformed, and how.
#pragma once

#include "fuzz/transform/Transform.h"
#include <optional>

namespace assay {

/// What became the second pipeline of the case in \p folder, findings/ID of a campaign's folder;
/// nothing where the finding has no log. InvalidInput where a file is broken, or where this build
/// generates or transforms another case than case.amber: then the log says nothing of it.
llvm::Expected<std::optional<fuzz::LoggedCase>> readFindingOrigin(const std::string &folder);

} // namespace assay
