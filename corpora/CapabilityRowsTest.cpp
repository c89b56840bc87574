// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every row of the capability table for compute shaders that the reference has is used by a case of
// corpora/compute: a row says 1 there only where a case can show it wrong.
#include "compiler/spirv/Capabilities.h"
#include "oracles/input/CaseReader.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <gtest/gtest.h>
#include <set>

using namespace llvm;
using namespace assay;
using spirv::CapabilityKind;
using spirv::CapabilityRow;

/// Whether a case asks for a feature of the device, by name or by what its pipelines say.
static bool asksFor(const Case &input, StringRef feature) {
  auto isNamed = [&](const std::string &name) {
    return name == feature || StringRef(name).ends_with(("." + feature).str());
  };
  return any_of(input.features, isNamed) ||
         any_of(input.pipelines, [&](const CasePipeline &pipeline) {
           return (feature == "subgroupSizeControl" &&
                   (pipeline.varyingSubgroupSize || any_of(pipeline.description.stages,
                                                           [](const ShaderDescription &each) {
                                                             return each.requiredSubgroupSize != 0;
                                                           }))) ||
                  (feature == "computeFullSubgroups" && pipeline.fullSubgroups);
         });
}

static bool initializesWorkgroupMemory(const spirv::Module &module) {
  return any_of(module.globals, [](const spirv::Instruction &global) {
    return global.opcode == spv::Op::OpVariable && global.size() > 1 &&
           spv::StorageClass(global.operand(0)) == spv::StorageClass::Workgroup;
  });
}

static void addRows(const ShaderDescription &shader, const std::string &path,
                    std::set<StringRef> &rows) {
  Expected<spirv::Module> module = spirv::decode(shader.spirv);
  ASSERT_TRUE(static_cast<bool>(module)) << path << ": " << toString(module.takeError());
  for (const CapabilityRow *row : spirv::usedRows(*module))
    rows.insert(row->name);
  if (initializesWorkgroupMemory(*module))
    rows.insert("shaderZeroInitializeWorkgroupMemory");
}

static void addRows(const Case &input, std::set<StringRef> &rows) {
  for (const CapabilityRow &row : spirv::capabilityTable())
    if (row.kind == CapabilityKind::Device && asksFor(input, row.name))
      rows.insert(row.name);
  for (const CasePipeline &pipeline : input.pipelines)
    for (const ShaderDescription &shader : pipeline.description.stages)
      addRows(shader, input.path, rows);
}

static std::set<StringRef> rowsOfCorpus() {
  std::set<StringRef> rows;
  std::error_code error;
  for (sys::fs::directory_iterator it(ASSAY_SOURCE_DIR "/corpora/compute", error), end;
       it != end && !error; it.increment(error)) {
    if (sys::path::extension(it->path()) != ".amber")
      continue;
    Expected<Case> input = readCase(it->path(), it->path());
    EXPECT_TRUE(static_cast<bool>(input)) << it->path() << ": " << toString(input.takeError());
    if (input)
      addRows(*input, rows);
  }
  return rows;
}

TEST(CapabilityRows, HaveACaseEach) {
  std::set<StringRef> covered = rowsOfCorpus();
  for (const CapabilityRow &row : spirv::capabilityTable()) {
    bool counts = row.kind != CapabilityKind::OtherStage && row.inReference;
    EXPECT_TRUE(!counts || covered.contains(row.name)) << row.name.str() << " needs a case";
  }
}
