// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/api/Target.h"

#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

static constexpr ArchitectureInfo architectures[] = {
    {.architecture = Architecture::AmdGpu, .name = "amdgpu", .triple = "amdgcn--amdpal"},
    // LLVM knows no Adreno GPU. Pointers are those of AMD's.
    {.architecture = Architecture::Adreno,
     .name = "adreno",
     .triple = "ir3--",
     .dataLayout =
         "e-p:64:64-p1:64:64-p2:32:32-p3:32:32-p4:64:64-p5:32:32-p7:160:256:256:32-p8:128:"
         "128-i64:64-n32-A5"},
};

const ArchitectureInfo *assay::findArchitectureInfo(Architecture architecture) {
  const auto *row = find_if(
      architectures, [&](const ArchitectureInfo &row) { return row.architecture == architecture; });
  return row == std::end(architectures) ? nullptr : row;
}

static constexpr TargetInfo targets[] = {
    {.name = "gfx900", .architecture = Architecture::AmdGpu, .major = 9},
    {.name = "gfx1010",
     .architecture = Architecture::AmdGpu,
     .major = 10,
     .minor = 1,
     .supportsWave32 = true,
     .defaultWaveSize = 32},
    {.name = "gfx1030",
     .architecture = Architecture::AmdGpu,
     .major = 10,
     .minor = 3,
     .supportsWave32 = true,
     .defaultWaveSize = 32},
    {.name = "gfx1100",
     .architecture = Architecture::AmdGpu,
     .major = 11,
     .supportsWave32 = true,
     .defaultWaveSize = 32,
     .packedLocalId = true,
     .userSgprInitBug = true},
    {.name = "gfx1150",
     .architecture = Architecture::AmdGpu,
     .major = 11,
     .minor = 5,
     .supportsWave32 = true,
     .defaultWaveSize = 32,
     .packedLocalId = true},
    {.name = "gfx1201",
     .architecture = Architecture::AmdGpu,
     .major = 12,
     .stepping = 1,
     .supportsWave32 = true,
     .defaultWaveSize = 32,
     .packedLocalId = true,
     .workgroupIdInTtmp = true},
};

static constexpr TargetInfo adrenoTargets[] = {
    {.name = "a420",
     .architecture = Architecture::Adreno,
     .major = 4,
     .minor = 2,
     .defaultWaveSize = 32},
    {.name = "a630", .architecture = Architecture::Adreno, .major = 6, .minor = 3},
    {.name = "a660", .architecture = Architecture::Adreno, .major = 6, .minor = 6},
    {.name = "a740", .architecture = Architecture::Adreno, .major = 7, .minor = 4},
};

ArrayRef<TargetInfo> assay::getTargets() {
  return targets;
}

ArrayRef<TargetInfo> assay::getAdrenoTargets() {
  return adrenoTargets;
}

Expected<const TargetInfo *> assay::findTarget(StringRef name) {
  std::string known;
  for (ArrayRef<TargetInfo> rows : {getTargets(), getAdrenoTargets()})
    for (const TargetInfo &target : rows) {
      if (target.name == name)
        return &target;
      known += (known.empty() ? "" : ", ") + target.name.str();
    }
  return unsupported("target '" + name + "': known are " + known);
}

Expected<const TargetInfo *> assay::findAmdTarget(StringRef name) {
  Expected<const TargetInfo *> target = findTarget(name);
  if (target && (*target)->architecture != Architecture::AmdGpu)
    return unsupported("target '" + name + "' is no AMD GPU");
  return target;
}

static constexpr StringLiteral palVersionNames[] = {"3.0", "2.6"};

StringRef assay::getPalVersionName(PalVersion version) {
  return palVersionNames[static_cast<unsigned>(version)];
}

std::optional<PalVersion> assay::parsePalVersion(StringRef name) {
  for (auto [i, known] : enumerate(palVersionNames))
    if (known == name)
      return static_cast<PalVersion>(i);
  return std::nullopt;
}

Error assay::verifyCompileOptions(const CompileOptions &options) {
  assert(options.target && "a target must be chosen first");
  if (!findArchitectureInfo(options.target->architecture))
    return unsupported("target '" + options.target->name + "': there is no back-end for it yet");
  bool readsRegisters =
      options.target->architecture == Architecture::AmdGpu && options.target->major < 12;
  if (options.palVersion == PalVersion::V2_6 && !readsRegisters)
    return unsupported("PAL metadata 2.6 of " + options.target->name);
  unsigned wave = options.getWaveSize();
  if (wave != 32 && wave != 64)
    return invalidInput("wave size " + Twine(wave) + ": must be 32 or 64");
  if (unsigned only = options.target->defaultWaveSize;
      wave != only && !options.target->supportsWave32)
    return invalidInput("wave size " + Twine(wave) + ": " + options.target->name +
                        " has waves of " + Twine(only) + " only");
  if (options.optLevel != 0 && options.optLevel != 2)
    return invalidInput("optimisation level " + Twine(options.optLevel) + ": must be 0 or 2");
  return Error::success();
}
