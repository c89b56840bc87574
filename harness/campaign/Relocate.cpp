// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/campaign/Relocate.h"

#include "harness/run/Rerun.h"

using namespace llvm;
using namespace assay;

void assay::relocateVerdict(Verdict &verdict, StringRef path, StringRef id) {
  std::string quoted = quoteForShell(path);
  size_t at = verdict.rerun.find(quoted);
  if (at != std::string::npos)
    verdict.rerun.replace(at, quoted.size(), ("findings/" + id + "/case.amber").str());
}
