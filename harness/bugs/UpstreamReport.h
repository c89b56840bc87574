// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A bug in the form that its project asks for.
#pragma once

#include "harness/bugs/Bug.h"

namespace assay {

/// An issue for the tracker of \p project (llvm, mesa, spirv-tools or glslang), as Markdown; its
/// first line is the title. The input's files are in it, so that it can be sent as it is.
/// InvalidInput where the bug is another project's, Environment where a file can't be read.
llvm::Expected<std::string> makeUpstreamReport(const KnownBug &bug, llvm::StringRef project);

} // namespace assay
