// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/cli/Results.h"

#include "harness/cli/Cli.h"
#include "reports/VerdictJson.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;
using namespace assay;

Expected<Report> assay::readResult(StringRef path) {
  Expected<std::string> text = readFileText(path);
  if (!text)
    return text.takeError();
  Expected<Report> report = readJsonReport(*text);
  if (!report)
    return addContext(report.takeError(), path);
  return report;
}

int assay::failResult(StringRef path, Error error) {
  bool isFolder = sys::fs::is_directory(path);
  bool isInput =
      isFolder ? sys::fs::exists(path + "/campaign.json") || sys::fs::exists(path + "/store.json")
               : sys::fs::exists(path);
  if (path == "-" || isInput)
    return fail(std::move(error));
  return fail(ExitUsage, takeError(std::move(error)).message);
}
