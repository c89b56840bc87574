// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/campaign/Relocate.h"

#include "support/ShellQuote.h"

using namespace llvm;
using namespace assay;

std::string assay::placeOfFinding(StringRef id) {
  return ("findings/" + id + "/case.amber").str();
}

void assay::relocateVerdict(Verdict &verdict, StringRef from, StringRef to) {
  std::string quoted = quoteForShell(from);
  size_t at = verdict.rerun.find(quoted);
  if (at != std::string::npos)
    verdict.rerun.replace(at, quoted.size(), quoteForShell(to));
}
