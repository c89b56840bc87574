// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/api/Target.h"

#include "support/Error.h"

using namespace llvm;
using namespace assay;

static constexpr TargetInfo targets[] = {
    // name, major, minor, stepping, wave32, default wave, packed local id, workgroup id in ttmp,
    // 16 user SGPRs
    {"gfx900", 9, 0, 0, false, 64, false, false, false},
    {"gfx1010", 10, 1, 0, true, 32, false, false, false},
    {"gfx1030", 10, 3, 0, true, 32, false, false, false},
    {"gfx1100", 11, 0, 0, true, 32, true, false, true},
    {"gfx1150", 11, 5, 0, true, 32, true, false, false},
    {"gfx1201", 12, 0, 1, true, 32, true, true, false},
};

static constexpr TargetInfo adrenoTargets[] = {
    {"a420", 4, 2, 0, false, 64, false, false, false, Architecture::Adreno},
    {"a630", 6, 3, 0, false, 64, false, false, false, Architecture::Adreno},
    {"a660", 6, 6, 0, false, 64, false, false, false, Architecture::Adreno},
    {"a740", 7, 4, 0, false, 64, false, false, false, Architecture::Adreno},
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

Error assay::verifyCompileOptions(const CompileOptions &options) {
  assert(options.target && "a target must be chosen first");
  if (options.target->architecture != Architecture::AmdGpu)
    return unsupported("target '" + options.target->name + "': there is no back-end for it yet");
  unsigned wave = options.getWaveSize();
  if (wave != 32 && wave != 64)
    return invalidInput("wave size " + Twine(wave) + ": must be 32 or 64");
  if (wave == 32 && !options.target->supportsWave32)
    return invalidInput("wave size 32: " + options.target->name + " has waves of 64 only");
  if (options.optLevel != 0 && options.optLevel != 2)
    return invalidInput("optimisation level " + Twine(options.optLevel) + ": must be 0 or 2");
  return Error::success();
}
