// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/cli/Provenance.h"

#include "compiler/spirv/Module.h"
#include "harness/cli/Commit.h"
#include "harness/cli/Installed.h"
#include "harness/reduce/Minimizer.h"
#include "support/Fault.h"
#include "llvm/Config/llvm-config.h"

using namespace llvm;
using namespace assay;

NamedParts assay::describeBuild() {
  return {{"assay", ASSAY_VERSION},
          {"commit", ASSAY_COMMIT},
          {"LLVM", LLVM_VERSION_STRING},
          {"SPIRV-Tools", spirv::spirvToolsVersion()},
          {"Mesa", findMesaVersion()},
          {"planted faults", faultsCompiledIn() ? "compiled in" : "none"}};
}

Expected<NamedParts> assay::describeProvenance(const std::string &program) {
  Expected<std::string> hash = hashProgram(program);
  if (!hash)
    return hash.takeError();
  NamedParts parts = describeBuild();
  parts.push_back({"program", "xxh3 " + *hash});
  return std::move(parts);
}
