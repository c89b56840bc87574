// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/run/Configurations.h"

#include "compiler/api/Target.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

void DiffConfiguration::applyTo(Job &job) const {
  job.compiler = compiler;
  job.machine = machine;
  job.target = target;
  job.optLevel = optLevel;
  job.waveSize = waveSize;
  job.useLlvmLowering = lowering == FatLowering::Llvm;
}

/// Unknown targets lack nothing: their jobs say that they are unknown.
static bool lacksWave(StringRef name, unsigned waveSize) {
  Expected<const TargetInfo *> target = findTarget(name);
  if (target)
    return waveSize == 32 && !(*target)->supportsWave32;
  consumeError(target.takeError());
  return false;
}

/// All of \p options for one compiler, machine and target.
static void addSettings(const DiffOptions &options, const DiffConfiguration &begun,
                        std::vector<DiffConfiguration> &all) {
  bool isPeer = is_contained(peerCompilers, begun.compiler);
  bool isOwn = begun.compiler == "assay";
  // They compile once, as in a driver.
  for (int level : isPeer ? std::vector<int>{-1} : options.levels)
    for (unsigned wave : options.waves)
      for (FatLowering lowering :
           isOwn ? options.lowerings : std::vector<FatLowering>{FatLowering::Own}) {
        if (options.onlyExistingWaves && lacksWave(begun.target, wave))
          continue;
        all.push_back(begun);
        all.back().optLevel = level;
        all.back().waveSize = wave;
        all.back().lowering = lowering;
      }
}

std::vector<DiffConfiguration> assay::configurationsOf(const DiffOptions &options) {
  std::vector<DiffConfiguration> all;
  for (const std::string &compiler : options.compilers)
    for (const std::string &machine : options.machines)
      for (const std::string &target : options.targets)
        if (needsCompiler(machine))
          addSettings(options, {.compiler = compiler, .machine = machine, .target = target}, all);
  return all;
}
