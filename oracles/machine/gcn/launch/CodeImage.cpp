// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/launch/CodeImage.h"

#include "oracles/machine/gcn/launch/ElfImage.h"
#include "oracles/machine/gcn/launch/RadvImage.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// Decodes \p ranges of \p section, which count bytes from its begin. Shared VGPRs are numbered
/// after the private ones. Fails when there is no decoder for the target.
Expected<std::unique_ptr<Program>> gcn::makeProgram(const LaunchState &launch,
                                                    const TargetInfo &target,
                                                    const ImageSection &section,
                                                    ArrayRef<CodeRange> ranges) {
  auto decoder = Decoder::create(target.name, launch.waveSize);
  if (!decoder)
    return decoder.takeError();
  ProgramOptions options;
  options.gfxMajor = target.major;
  options.waveSize = launch.waveSize;
  options.vgprCount = launch.vgprCount + launch.sharedVgprs;
  options.privateVgprs = launch.sharedVgprs ? launch.vgprCount : ~0u;
  options.sgprCount = launch.sgprCount;
  options.targetName = target.name.str();
  return std::make_unique<Program>(options, **decoder, section.bytes, section.address, ranges);
}

/// Every artifact that is no RADV shader is loaded as an ELF.
Expected<CodeImage> gcn::loadCode(const Artifact &artifact, const TargetInfo &target) {
  return artifact.type() == ArtifactType::RadvShader ? loadRadv(artifact, target)
                                                     : loadElf(artifact, target);
}
