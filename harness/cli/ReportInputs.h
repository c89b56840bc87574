// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `assay report` reads: results, folders of campaigns, a store; and the folder of pages that
// it and --html write.
#pragma once

#include "reports/site/Site.h"

namespace assay {

/// Adds the result, campaign or store at \p path to \p input. InvalidInput for what is none of them
/// and for a second store; Environment.
llvm::Error addReportInput(const std::string &path, SiteInput &input);

/// The scripts of those cases of \p report that can be read as text.
void collectSources(Report &report);

/// Writes the pages about \p input to \p folder. 0, or another exit code having said why.
int printSite(SiteInput input, const std::string &folder);

} // namespace assay
