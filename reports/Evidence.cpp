// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reports/Evidence.h"

#include "llvm/Support/Base64.h"

using namespace llvm;
using namespace assay;

/// Reports embed values that begin so as images; other evidence is shown as text.
static constexpr StringLiteral pictureScheme = "data:image/png;base64,";

/// Returns a data URI with the bytes of the PNG file in base64.
std::string assay::makePictureUri(StringRef png) {
  return pictureScheme.str() + encodeBase64(png);
}

bool assay::isPictureUri(StringRef value) {
  return value.starts_with(pictureScheme);
}

/// Returns the values in the order of the evidence; a finding may have any number of them.
std::vector<std::string> assay::historyOf(const Finding &finding) {
  std::vector<std::string> lines;
  for (const auto &[name, value] : finding.evidence)
    if (name == historyEvidence)
      lines.push_back(value);
  return lines;
}
