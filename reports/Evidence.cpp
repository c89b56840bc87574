// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reports/Evidence.h"

#include "llvm/Support/Base64.h"

using namespace llvm;
using namespace assay;

/// Reports embed values that begin so as images; other evidence is shown as text.
static constexpr StringLiteral pictureScheme = "data:image/png;base64,";

std::string assay::makePictureUri(StringRef png) {
  return pictureScheme.str() + encodeBase64(png);
}

bool assay::isPictureUri(StringRef value) {
  return value.starts_with(pictureScheme);
}

std::vector<std::string> assay::historyOf(const Finding &finding) {
  std::vector<std::string> lines;
  for (const auto &[name, value] : finding.evidence)
    if (name == historyEvidence)
      lines.push_back(value);
  return lines;
}
