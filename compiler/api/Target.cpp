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

ArrayRef<TargetInfo> assay::getTargets() {
  return targets;
}

Expected<const TargetInfo *> assay::findTarget(StringRef name) {
  std::string known;
  for (const TargetInfo &target : targets) {
    if (target.name == name)
      return &target;
    known += (known.empty() ? "" : ", ") + target.name.str();
  }
  return unsupported("target '" + name + "': known are " + known);
}

Error assay::verifyCompileOptions(const CompileOptions &options) {
  assert(options.target && "a target must be chosen first");
  unsigned wave = options.getWaveSize();
  if (wave != 32 && wave != 64)
    return invalidInput("wave size " + Twine(wave) + ": must be 32 or 64");
  if (wave == 32 && !options.target->supportsWave32)
    return invalidInput("wave size 32: " + options.target->name + " has waves of 64 only");
  if (options.optLevel != 0 && options.optLevel != 2)
    return invalidInput("optimisation level " + Twine(options.optLevel) + ": must be 0 or 2");
  return Error::success();
}
