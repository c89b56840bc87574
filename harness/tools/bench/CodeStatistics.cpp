// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/tools/bench/CodeStatistics.h"

#include "oracles/machine/gcn_isa/Decoder.h"
#include "oracles/pal_elf/ArtifactViews.h"
#include "oracles/pal_elf/FieldMap.h"
#include "support/Error.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace assay;

/// LLVM's getVGPRAllocGranule (AMDGPUBaseInfo.cpp): 4 before GFX10; of a wave of 32 lanes twice as
/// many as of one of 64; of chips with 1.5 times the registers (gfx1100, gfx1151, GFX12) 24 and 12.
static unsigned vgprGranule(const TargetInfo &target, unsigned waveSize) {
  if (target.major < 10)
    return 4;
  unsigned ofWave64 = target.major == 10 && target.minor < 3 ? 4 : 8;
  if (target.name == "gfx1100" || target.name == "gfx1151" || target.major == 12)
    ofWave64 = 12;
  return waveSize == 32 ? 2 * ofWave64 : ofWave64;
}

/// Adds the code of one stage, of which \p code begins with the first instruction. Trailing padding
/// (s_code_end, s_nop and words that don't decode) does not count. \p vgprs is rounded up to the
/// granule that the hardware allocates; zero counts as one.
static Error addStage(ArrayRef<uint8_t> code, uint64_t vgprs, unsigned waveSize,
                      const TargetInfo &target, CodeStatistics &sum) {
  auto decoder = gcn::Decoder::create(target.name, waveSize);
  if (!decoder)
    return decoder.takeError();
  std::vector<gcn::Inst> insts = (*decoder)->decodeRange(code, 0, code.size());
  while (!insts.empty() && (!insts.back().valid || insts.back().mnemonic == "s_code_end" ||
                            insts.back().mnemonic == "s_nop"))
    insts.pop_back();
  sum.instructions += insts.size();
  sum.bytes += insts.empty() ? 0 : insts.back().pc + insts.back().size;
  sum.vgprs += alignTo(std::max<uint64_t>(vgprs, 1), vgprGranule(target, waveSize));
  return Error::success();
}

/// PAL: vs_export_count is the number of parameters less 1; no_pc_export where there are none.
/// Returns 0 for compute pipelines and for metadata without these registers.
static uint64_t countParameters(const MsgValue &root) {
  FieldMap metadata(&root);
  ArrayRef<MsgValue> pipelines = metadata.items("amdpal.pipelines");
  if (pipelines.empty())
    return 0;
  FieldMap config = FieldMap(&pipelines.front()).at(".graphics_registers").at(".spi_vs_out_config");
  if (!config.exists() || config.flag(".no_pc_export"))
    return 0;
  return config.numberOr(".vs_export_count") + 1;
}

/// A stage without a wave size in its metadata counts as one with 64 lanes.
Expected<CodeStatistics> assay::measureElf(ArrayRef<uint8_t> bytes, const TargetInfo &target) {
  Artifact artifact(bytes.vec());
  Expected<const ElfView &> elf = viewElf(artifact);
  if (!elf)
    return elf.takeError();
  Expected<const MsgValue &> root = viewMetadataTree(artifact);
  if (!root)
    return root.takeError();
  Expected<const PalMetadata &> metadata = viewMetadata(artifact);
  if (!metadata)
    return metadata.takeError();
  CodeStatistics result;
  result.parameters = countParameters(*root);
  for (const HardwareStageMetadata &stage : metadata->stages) {
    const ElfSymbol *symbol = elf->findSymbol(stage.entryPoint);
    if (!symbol)
      return invalidInput("no symbol " + stage.entryPoint);
    Expected<ArrayRef<uint8_t>> code = elf->symbolBytes(*symbol);
    if (!code)
      return code.takeError();
    if (Error error =
            addStage(*code, stage.vgprCount, stage.wavefrontSize.value_or(64), target, result))
      return std::move(error);
  }
  return result;
}

Expected<CodeStatistics> assay::measureRadv(const radv::RadvShader &shader,
                                            const TargetInfo &target) {
  CodeStatistics result;
  if (Error error = addStage(ArrayRef(shader.code).take_front(shader.execBytes), shader.vgprs,
                             shader.waveSize, target, result))
    return std::move(error);
  return result;
}

Expected<CodeStatistics> assay::measureRadv(const radv::RadvGraphics &pipeline,
                                            const TargetInfo &target) {
  Expected<CodeStatistics> result = measureRadv(pipeline.vertex, target);
  if (!result || !pipeline.pixel)
    return result;
  Expected<CodeStatistics> pixel = measureRadv(*pipeline.pixel, target);
  if (!pixel)
    return pixel;
  result->instructions += pixel->instructions;
  result->bytes += pixel->bytes;
  result->vgprs += pixel->vgprs;
  result->parameters = pipeline.vertexRegisters.parameters;
  return result;
}
