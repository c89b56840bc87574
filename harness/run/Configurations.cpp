// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/run/Configurations.h"

#include "compiler/api/Target.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

/// Changes these fields of the job and no others.
void DiffConfiguration::applyTo(Job &job) const {
  job.compiler = compiler;
  job.machine = machine;
  job.target = target;
  job.optLevel = optLevel;
  job.waveSize = waveSize;
  job.useLlvmLowering = lowering == FatLowering::Llvm;
  job.palVersion = palVersion;
}

/// Unknown targets lack nothing: their jobs say that they are unknown.
static bool lacksWave(StringRef name, unsigned waveSize) {
  Expected<const TargetInfo *> target = findTarget(name);
  if (target)
    return waveSize && waveSize != (*target)->defaultWaveSize && !(*target)->supportsWave32;
  consumeError(target.takeError());
  return false;
}

/// What is not in the registry counts as AMD's: its job says that it is unknown.
bool assay::hasFatPointers(StringRef target) {
  return findArchitecture(target).value_or(Architecture::AmdGpu) == Architecture::AmdGpu;
}

/// All of \p options for one compiler, machine and target.
static void addSettings(const DiffOptions &options, const DiffConfiguration &begun,
                        std::vector<DiffConfiguration> &all) {
  const CompilerInfo &compiler = compilerOf(begun.compiler);
  bool hasLowerings = compiler.hasLowerings && hasFatPointers(begun.target);
  for (int level : compiler.hasLevels ? options.levels : std::vector<int>{-1})
    for (unsigned wave : options.waves)
      for (FatLowering lowering :
           hasLowerings ? options.lowerings : std::vector<FatLowering>{FatLowering::Own}) {
        if (options.onlyExistingWaves && lacksWave(begun.target, wave))
          continue;
        all.push_back(begun);
        all.back().optLevel = level;
        all.back().waveSize = wave;
        all.back().lowering = lowering;
        if (compiler.hasLowerings)
          all.back().palVersion = options.palVersion;
      }
}

/// What is not in the registry goes with everything: its job says that it is unknown.
static bool areCombined(StringRef compiler, StringRef machine, StringRef target) {
  if (!needsCompiler(machine))
    return false;
  std::optional<Architecture> architecture = findArchitecture(target);
  if (!architecture || !findMachine(machine) || !findCompiler(compiler))
    return true;
  return goTogether(compilerOf(compiler), machineOf(machine), *architecture);
}

/// Combinations that do not go together are left out. The order is that of the options, compilers
/// first.
std::vector<DiffConfiguration> assay::configurationsOf(const DiffOptions &options) {
  std::vector<DiffConfiguration> all;
  for (const std::string &compiler : options.compilers)
    for (const std::string &machine : options.machines)
      for (const std::string &target : options.targets)
        if (areCombined(compiler, machine, target))
          addSettings(options, {.compiler = compiler, .machine = machine, .target = target}, all);
  return all;
}
