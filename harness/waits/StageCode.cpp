// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/waits/StageCode.h"

#include "oracles/machine/gcn/launch/CodeImage.h"
#include "oracles/machine/gcn_isa/Decoder.h"
#include "oracles/pal_elf/ArtifactViews.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace assay;
using namespace assay::waits;

std::vector<uint8_t> StageCode::edit(ArrayRef<uint8_t> file, uint64_t pc, uint32_t word) const {
  if (radvGraphics) {
    radv::RadvGraphics pipeline = *radvGraphics;
    radv::RadvShader &shader = isFragment ? *pipeline.pixel : pipeline.vertex;
    support::endian::write32le(shader.code.data() + pc, word);
    return radv::writeRadvGraphics(pipeline);
  }
  if (radv) {
    radv::RadvShader shader = *radv;
    support::endian::write32le(shader.code.data() + pc, word);
    return radv::writeRadvShader(shader);
  }
  std::vector<uint8_t> bytes = file.vec();
  support::endian::write32le(bytes.data() + fileOffset + pc, word);
  return bytes;
}

/// The hardware stage of \p metadata that runs \p stage: a vertex shader is .gs where it runs as
/// NGG. Null: there is none.
static const HardwareStageMetadata *findStage(const PalMetadata &metadata, ShaderStage stage) {
  if (stage == ShaderStage::Compute)
    return metadata.find(".cs");
  if (stage == ShaderStage::Fragment)
    return metadata.find(".ps");
  const HardwareStageMetadata *geometry = metadata.find(".gs");
  return geometry ? geometry : metadata.find(".vs");
}

/// The code of the stage's entry function.
static Expected<StageCode> readElfCode(const Artifact &artifact, const TargetInfo &target,
                                       ShaderStage stage) {
  Expected<const ElfView &> view = viewElf(artifact);
  if (!view)
    return view.takeError();
  if (Error error = view->verify())
    return std::move(error);
  Expected<const PalMetadata &> metadata = viewMetadata(artifact);
  if (!metadata)
    return metadata.takeError();
  const HardwareStageMetadata *hardware = findStage(*metadata, stage);
  const ElfSymbol *entry = hardware ? view->findSymbol(hardware->entryPoint) : nullptr;
  const ElfSection *section = entry ? view->section(entry->section) : nullptr;
  if (!section)
    return invalidInput("there is no " + getStageName(stage) + " shader in the ELF");
  unsigned functions = unsigned(count_if(view->symbols(), [&](const ElfSymbol &symbol) {
    return symbol.type == elf::SttFunc && symbol.section == entry->section;
  }));
  if (stage == ShaderStage::Compute && functions != 1)
    return unsupported("code of " + Twine(functions) + " functions");
  StageCode code;
  code.waveSize = hardware->wavefrontSize.value_or(64);
  auto decoder = gcn::Decoder::create(target.name, code.waveSize);
  if (!decoder)
    return decoder.takeError();
  code.insts = (*decoder)->decodeRange(section->bytes, entry->value, entry->value + entry->size);
  code.fileOffset = uint64_t(section->bytes.data() - artifact.bytes().data());
  return code;
}

/// The instructions of \p shader.
static Expected<StageCode> decodeRadv(const radv::RadvShader &shader, const TargetInfo &target) {
  auto decoder = gcn::Decoder::create(target.name, shader.waveSize);
  if (!decoder)
    return decoder.takeError();
  StageCode code;
  code.waveSize = shader.waveSize;
  code.insts = (*decoder)->decodeRange(shader.code, 0, shader.execBytes);
  return code;
}

/// A stage of RADV's graphics pipelines.
static Expected<StageCode> readRadvStage(const Artifact &artifact, const TargetInfo &target,
                                         ShaderStage stage) {
  Expected<const radv::RadvGraphics &> pipeline =
      artifact.view<radv::RadvGraphics>(radv::readRadvGraphics);
  if (!pipeline)
    return pipeline.takeError();
  bool isFragment = stage == ShaderStage::Fragment;
  if (isFragment && !pipeline->pixel)
    return invalidInput("the pipeline has no fragment shader");
  Expected<StageCode> code = decodeRadv(isFragment ? *pipeline->pixel : pipeline->vertex, target);
  if (!code)
    return code.takeError();
  code->radvGraphics = *pipeline;
  code->isFragment = isFragment;
  return code;
}

/// A compute shader, with the size of its workgroup.
static Expected<StageCode> readComputeCode(const Artifact &artifact, const TargetInfo &target) {
  Expected<gcn::CodeImage> image = gcn::loadCode(artifact, target);
  if (!image)
    return image.takeError();
  auto read = [&]() -> Expected<StageCode> {
    if (artifact.type() != ArtifactType::RadvShader)
      return readElfCode(artifact, target, ShaderStage::Compute);
    Expected<const radv::RadvShader &> shader =
        artifact.view<radv::RadvShader>(radv::readRadvShader);
    if (!shader)
      return shader.takeError();
    Expected<StageCode> code = decodeRadv(*shader, target);
    if (code)
      code->radv = *shader;
    return code;
  };
  Expected<StageCode> code = read();
  if (!code)
    return code.takeError();
  code->threads = image->launch.threadCount();
  code->waveSize = image->launch.waveSize;
  return code;
}

Expected<StageCode> waits::readStageCode(const Artifact &artifact, const TargetInfo &target,
                                         ShaderStage stage) {
  if (stage == ShaderStage::Compute)
    return readComputeCode(artifact, target);
  Expected<StageCode> code = artifact.type() == ArtifactType::RadvGraphics
                                 ? readRadvStage(artifact, target, stage)
                                 : readElfCode(artifact, target, stage);
  if (!code)
    return code.takeError();
  code->threads = code->waveSize;
  return code;
}
