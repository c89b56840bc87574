// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/api/Architecture.h"

using namespace llvm;
using namespace assay;

static constexpr StringLiteral amdGpuTargets[] = {"gfx900", "gfx1030", "gfx1100", "gfx1201"};
static constexpr StringLiteral adrenoTargets[] = {"a630", "a660", "a740"};

namespace {
struct ArchitectureRow {
  StringLiteral target;
  ArrayRef<StringLiteral> targets;
};
} // namespace

/// In the order of Architecture.
static constexpr ArchitectureRow rows[] = {{"gfx1100", amdGpuTargets}, {"a630", adrenoTargets}};

ArrayRef<Architecture> assay::architectures() {
  static constexpr Architecture all[] = {Architecture::AmdGpu, Architecture::Adreno};
  return all;
}

std::optional<Architecture> assay::findArchitecture(StringRef name) {
  for (ArrayRef<TargetInfo> targets : {getTargets(), getAdrenoTargets()})
    for (const TargetInfo &target : targets)
      if (target.name == name)
        return target.architecture;
  return std::nullopt;
}

ArrayRef<StringLiteral> assay::defaultTargets(Architecture architecture) {
  return rows[unsigned(architecture)].targets;
}

StringLiteral assay::defaultTarget(Architecture architecture) {
  return rows[unsigned(architecture)].target;
}

bool assay::canCompileFor(const TargetInfo &target) {
  return findArchitectureInfo(target.architecture) != nullptr;
}
