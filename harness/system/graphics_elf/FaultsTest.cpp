// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Faults planted in the metadata of a graphics pipeline before LLVM's back-end adds its own: each
// is reported by its rule, in both versions of metadata.
#include "harness/system/graphics_elf/ExamplePipeline.h"
#include "oracles/pal_elf/ValidateElf.h"
#include "llvm/ADT/StringExtras.h"
#include <gtest/gtest.h>
#include <set>

using namespace llvm;
using namespace assay;
using namespace assay::pal;

namespace {

struct PlantedFault {
  StringLiteral name;
  StringLiteral target;
  GraphicsPipelineType type;
  StringLiteral rule;
  void (*plant)(GraphicsMetadata &);
  bool inRegisters = true; ///< Metadata 2.6 can say it, too.
};

constexpr auto VsPs = GraphicsPipelineType::VsPs;
constexpr auto Ngg = GraphicsPipelineType::Ngg;

constexpr PlantedFault faults[] = {
    {"shader in a stage that is missing", "gfx1030", VsPs, "TOP-06",
     [](GraphicsMetadata &metadata) { metadata.shaders[0].hardware = HardwareStage::Gs; }},
    {"wave32 on GFX9", "gfx900", VsPs, "RES-01",
     [](GraphicsMetadata &metadata) { metadata.stages[0].wavefrontSize = 32; }},
    {"parameter that is not exported", "gfx1030", VsPs, "GEO-06",
     [](GraphicsMetadata &metadata) { metadata.registers.spiPsInputCntl[0].offset = 3; }},
    {"interpolant without control", "gfx1030", VsPs, "PS-04",
     [](GraphicsMetadata &metadata) { metadata.registers.spiPsInControl.numInterps = 2; }},
    {"attribute beyond the interpolants", "gfx1100", Ngg, "PS-05",
     [](GraphicsMetadata &metadata) { metadata.registers.spiPsInControl.numInterps = 0; }},
    {"user SGPR beyond the count", "gfx1030", VsPs, "UD-01",
     [](GraphicsMetadata &metadata) { metadata.stages[1].userSgprs = 1; }, false},
    {"user data entry out of range", "gfx1030", VsPs, "UD-02",
     [](GraphicsMetadata &metadata) { metadata.stages[1].userDataRegMap[1] = 200; }},
    {"vertex data in the pixel shader", "gfx1030", VsPs, "UD-06",
     [](GraphicsMetadata &metadata) { metadata.stages[1].userDataRegMap[1] = BaseVertex; }},
    {"color without format", "gfx1030", VsPs, "PS-06",
     [](GraphicsMetadata &metadata) { metadata.registers.spiShaderColFormat = {}; }},
    {"target that is not exported", "gfx1030", VsPs, "PS-07",
     [](GraphicsMetadata &metadata) { metadata.registers.setColorMask(3, 0xf); }},
    {"depth format without depth", "gfx1030", VsPs, "PS-08",
     [](GraphicsMetadata &metadata) { metadata.registers.spiShaderZFormat = 1; }},
    {"position without vector", "gfx1030", VsPs, "GEO-04",
     [](GraphicsMetadata &metadata) {
       metadata.registers.spiShaderPosFormat[1] = PositionFormat::FourComponents;
     }},
    {"point size without vector", "gfx1030", VsPs, "GEO-02",
     [](GraphicsMetadata &metadata) { metadata.registers.paClVsOutCntl.useVtxPointSize = true; }},
    {"clip distance without vector", "gfx1030", VsPs, "GEO-03",
     [](GraphicsMetadata &metadata) { metadata.registers.paClVsOutCntl.clipDistEna5 = true; }},
    {"no position", "gfx1030", VsPs, "GEO-01",
     [](GraphicsMetadata &metadata) {
       metadata.registers.spiShaderPosFormat[0] = PositionFormat::None;
     }},
    {"parameters that are exported, but not declared", "gfx1030", VsPs, "GEO-07",
     [](GraphicsMetadata &metadata) { metadata.registers.spiVsOutConfig.noPcExport = true; }},
    {"viewport index without viewports", "gfx1030", VsPs, "GEO-08",
     [](GraphicsMetadata &metadata) {
       metadata.registers.paClVsOutCntl.useVtxViewportIndx = true;
       metadata.registers.paClVsOutCntl.vsOutMiscVecEna = true;
       metadata.registers.spiShaderPosFormat[1] = PositionFormat::FourComponents;
     }},
    {"place of the position that is reserved", "gfx1030", VsPs, "PS-16",
     [](GraphicsMetadata &metadata) { metadata.registers.spiBarycCntl.posFloatLocation = 3; }},
    {"stages of another pipeline", "gfx1030", Ngg, "TOP-08",
     [](GraphicsMetadata &metadata) { metadata.registers.vgtShaderStagesEn.primgenEn = false; }},
    {"subgroup that is too large", "gfx1030", Ngg, "GEO-10",
     [](GraphicsMetadata &metadata) {
       metadata.registers.vgtGsOnchipCntl.esVertsPerSubgroup = 300;
     }},
    {"no amplification", "gfx1030", Ngg, "GEO-12",
     [](GraphicsMetadata &metadata) { metadata.registers.geNggSubgrpCntl.primAmpFactor = 0; }},
    {"too many vertices of a subgroup", "gfx1201", Ngg, "GEO-11",
     [](GraphicsMetadata &metadata) { metadata.registers.maxVertsPerSubgroup = 300; }, false},
};

} // namespace

/// Rules with a finding above a note.
static std::set<std::string> rulesOf(ArrayRef<uint8_t> elf) {
  std::set<std::string> rules;
  for (const Finding &finding : cantFail(validateElf(elf, {})))
    if (finding.severity != Severity::Note)
      rules.insert(finding.rule);
  return rules;
}

TEST(GraphicsElf, FaultsAreReported) {
  for (const PlantedFault &fault : faults)
    for (PalVersion version : {PalVersion::V3_0, PalVersion::V2_6}) {
      if (version == PalVersion::V2_6 && !fault.inRegisters)
        continue;
      const TargetInfo &target = *cantFail(findAmdTarget(fault.target));
      ExamplePipeline example{fault.type, ExampleShaders::Both, 64, version};
      std::set<std::string> rules = rulesOf(cantFail(compileExample(example, target, fault.plant)));
      EXPECT_TRUE(rules.contains(fault.rule.str()))
          << fault.name.str() << " in " << getPalVersionName(version).str() << ": "
          << join(rules, " ");
    }
}
