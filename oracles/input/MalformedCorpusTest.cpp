// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of the corpus of broken inputs that readers and spirv-val see; the command's own test
// checks exit codes on the same MANIFEST.
#include "compiler/spirv/Module.h"
#include "oracles/input/CaseReader.h"
#include "support/Error.h"
#include "support/File.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

namespace {

const std::string folder = ASSAY_SOURCE_DIR "/corpora/regress/malformed/";

/// Exit code and message that the command owes for \p path.
std::pair<int, std::string> judge(const std::string &path) {
  auto codeOf = [](ErrorKind kind) {
    if (kind == ErrorKind::Environment)
      return 2;
    return kind == ErrorKind::Unsupported || kind == ErrorKind::Limit ? 77 : 1;
  };
  Expected<Case> result = readCase(path, path);
  if (!result) {
    ErrorParts parts = assay::takeError(result.takeError());
    return {codeOf(parts.kind), parts.message};
  }
  if (!result->unsupported.empty())
    return {77, result->unsupported[0].reason};
  for (const CasePipeline &pipeline : result->pipelines)
    for (const ShaderDescription &shader : pipeline.description.stages)
      if (Error error = spirv::validate(shader.spirv)) {
        ErrorParts parts = assay::takeError(std::move(error));
        return {codeOf(parts.kind), parts.message};
      }
  return {0, "accepted"};
}

TEST(MalformedCorpus, IsRefusedAsItsManifestSays) {
  Expected<std::string> manifest = readFileText(folder + "MANIFEST");
  ASSERT_TRUE(!!manifest) << toString(manifest.takeError());
  SmallVector<StringRef> lines;
  StringRef(*manifest).split(lines, '\n', -1, false);
  unsigned checked = 0;
  for (StringRef line : lines) {
    if (line.starts_with("#"))
      continue;
    SmallVector<StringRef, 4> fields;
    line.split(fields, " | ", 3);
    ASSERT_EQ(fields.size(), 4u) << line.str();
    if (fields[1] == "validate-elf")
      continue; // Not a case.
    ++checked;
    auto [code, message] = judge(folder + fields[0].str());
    EXPECT_EQ(std::to_string(code), fields[2]) << line.str() << "\n" << message;
    EXPECT_NE(message.find(fields[3]), std::string::npos) << line.str() << "\n" << message;
  }
  EXPECT_GE(checked, 20u);
}

} // namespace
