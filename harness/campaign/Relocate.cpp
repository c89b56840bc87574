// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/campaign/Relocate.h"

using namespace llvm;
using namespace assay;

void assay::relocateVerdict(Verdict &verdict, StringRef path, StringRef id) {
  size_t at = verdict.rerun.find(path);
  if (at != std::string::npos)
    verdict.rerun.replace(at, path.size(), ("findings/" + id + "/case.amber").str());
}
