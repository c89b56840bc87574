// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/cli/Provenance.h"

#include "compiler/spirv/Module.h"
#include "harness/cli/Commit.h"
#include "harness/cli/Installed.h"
#include "harness/reduce/Minimizer.h"
#include "support/Fault.h"
#include "support/File.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/Threading.h"

using namespace llvm;
using namespace assay;

/// Returns what follows \p name, without separators and quotes, in the first line of \p file that
/// begins with it. Returns an empty text where there is no such line or no file.
static std::string findLine(const char *file, StringRef name) {
  Expected<std::string> text = readFileText(file);
  if (!text) {
    consumeError(text.takeError());
    return "";
  }
  for (StringRef line : split(*text, "\n"))
    if (line.consume_front(name))
      return line.ltrim(" \t:=").trim("\"").str();
  return "";
}

/// Returns operating system, processor and number of threads. Parts that the system does not say
/// are left out.
NamedParts assay::describeHost() {
  NamedParts parts;
  if (std::string system = findLine("/etc/os-release", "PRETTY_NAME"); !system.empty())
    parts.emplace_back("operating system", system);
  std::string processor = findLine("/proc/cpuinfo", "model name");
  unsigned threads = hardware_concurrency().compute_thread_count();
  parts.emplace_back("processor", (processor.empty() ? "" : processor + ", ") +
                                      std::to_string(threads) + " threads");
  return parts;
}

/// Returns the versions that were compiled in. That of Mesa is looked up at each call.
NamedParts assay::describeBuild() {
  return {{"assay", ASSAY_VERSION},
          {"commit", ASSAY_COMMIT},
          {"LLVM", LLVM_VERSION_STRING},
          {"SPIRV-Tools", spirv::spirvToolsVersion()},
          {"Mesa", findMesaVersion()},
          {"planted faults", faultsCompiledIn() ? "compiled in" : "none"}};
}

/// \p program is the path of the running executable. Fails where it cannot be read.
Expected<NamedParts> assay::describeProvenance(const std::string &program) {
  Expected<std::string> hash = hashProgram(program);
  if (!hash)
    return hash.takeError();
  NamedParts parts = describeBuild();
  parts.push_back({"program", "xxh3 " + *hash});
  return std::move(parts);
}
