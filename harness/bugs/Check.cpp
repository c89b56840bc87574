// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/bugs/Check.h"

#include "oracles/machine/vulkan/VulkanIcd.h"
#include "support/Error.h"
#include "support/File.h"
#include "support/ShellQuote.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/VersionTuple.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <optional>

using namespace llvm;
using namespace assay;

/// Bytes of a command's output that are read. More is an error.
static constexpr uint64_t MostOutput = uint64_t(64) << 20;

/// Names of Mesa's drivers in KnownBug::needs, with the words by which their Vulkan manifests are
/// found.
static constexpr std::pair<StringRef, StringRef> Drivers[] = {{"radv", "radeon"},
                                                              {"lavapipe", "lvp"}};

/// Reads the numbers at the beginning of a package's version, such as "25.0.7-2~bpo12+1". Returns
/// nullopt if there are none.
static std::optional<VersionTuple> readVersion(StringRef text) {
  VersionTuple version;
  StringRef numbers = text.take_while([](char each) { return isDigit(each) || each == '.'; });
  return version.tryParse(numbers) ? std::nullopt : std::optional(version);
}

/// Returns why \p driver can't show the bug, or an empty text. A version older than the first one
/// with the bug counts as missing. Versions that can't be parsed are not compared.
static std::string findMissingDriver(const KnownBug &bug, StringRef driver, StringRef manifest,
                                     const BugCheckOptions &options) {
  if (findVulkanIcd(manifest).empty())
    return driver.str() + " is not installed";
  std::optional<VersionTuple> installed = readVersion(options.mesaVersion);
  std::optional<VersionTuple> first = readVersion(bug.firstVersion);
  if (installed && first && *installed < *first)
    return driver.str() + " is " + options.mesaVersion + ", the bug was seen from " +
           bug.firstVersion + " on";
  return "";
}

/// Returns the first reason in the order of KnownBug::needs.
std::string assay::findMissing(const KnownBug &bug, const BugCheckOptions &options) {
  for (const std::string &need : bug.needs) {
    const auto *driver = find_if(Drivers, [&](const auto &row) { return row.first == need; });
    if (driver != std::end(Drivers)) {
      std::string missing = findMissingDriver(bug, driver->first, driver->second, options);
      if (!missing.empty())
        return missing;
      continue;
    }
    if (!sys::findProgramByName(need, {options.programFolder}) && !sys::findProgramByName(need))
      return need + " is not installed";
  }
  return "";
}

/// Copies the regular files of \p from to \p to. Folders are left out. Environment where a file
/// can't be read or written.
static Error copyFiles(const std::string &from, const Twine &to) {
  std::error_code problem;
  for (sys::fs::directory_iterator it(from, problem), end; it != end && !problem;
       it.increment(problem))
    if (sys::fs::is_regular_file(it->path()))
      if (std::error_code failed =
              sys::fs::copy_file(it->path(), to + "/" + sys::path::filename(it->path())))
        return environmentError(it->path() + ": " + failed.message());
  return problem ? environmentError(from + ": " + problem.message()) : Error::success();
}

/// Runs the command in \p folder with stdout and stderr in the file \p log, without core dumps and
/// with the memory limit of \p options. Returns the exit status: 128 + N for signal N, 124 after
/// the time limit. Environment where it can't be started.
static Expected<int> runCommand(const KnownBug &bug, const BugCheckOptions &options,
                                StringRef folder, StringRef log) {
  ErrorOr<std::string> timeout = sys::findProgramByName("timeout");
  if (!timeout)
    return environmentError("the program 'timeout' is not installed");
  // A subshell, so that a command that dies of a signal has a status like any other. LLVM's
  // programs would look for symbols of their stack otherwise, which takes seconds.
  std::string path = options.programFolder.empty()
                         ? ""
                         : "PATH=" + quoteForShell(options.programFolder) + ":$PATH; ";
  std::string script = "cd " + quoteForShell(folder) + " || exit 125; " + path +
                       "export PATH LLVM_DISABLE_SYMBOLIZATION=1; ulimit -c 0; ulimit -v " +
                       std::to_string(options.memoryMib * 1024) + "; (" + bug.command + "\n)";
  std::string limit = std::to_string(options.timeoutSeconds);
  std::vector<StringRef> arguments = {*timeout, "--kill-after=2", limit, "sh", "-c", script};
  std::optional<StringRef> redirects[] = {StringRef(""), log, log};
  std::string message;
  int status = sys::ExecuteAndWait(*timeout, arguments, std::nullopt, redirects, 0, 0, &message);
  if (status < 0)
    return environmentError("the command of " + bug.id + " could not be run: " + message);
  return status;
}

/// Returns the first difference of \p status and \p output from what \p wanted says, or an empty
/// text.
static std::string compare(const Reproduction &wanted, int status, StringRef output) {
  if (wanted.exit && *wanted.exit != status)
    return "exit status " + std::to_string(status) + ", not " + std::to_string(*wanted.exit);
  for (const std::string &text : wanted.contains)
    if (!output.contains(text))
      return "the output lacks '" + text + "'";
  for (const std::string &text : wanted.lacks)
    if (output.contains(text))
      return "the output contains '" + text + "'";
  return "";
}

/// The copy is removed at the end. The time does not include the copying.
Expected<BugResult> assay::checkBug(const KnownBug &bug, const BugCheckOptions &options) {
  BugResult result;
  result.reason = findMissing(bug, options);
  if (!result.reason.empty())
    return result;
  SmallString<128> folder;
  if (std::error_code problem = sys::fs::createUniqueDirectory("assay-bug", folder))
    return environmentError("a temporary folder: " + problem.message());
  scope_exit cleanUp([&] {
    if (std::error_code problem = sys::fs::remove_directories(folder))
      errs() << "assay: " << folder << ": " << problem.message() << "\n";
  });
  if (Error error = copyFiles(bug.folder, folder))
    return std::move(error);
  std::string log = (folder + "/assay-output").str();
  auto start = std::chrono::steady_clock::now();
  Expected<int> status = runCommand(bug, options, folder, log);
  if (!status)
    return status.takeError();
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  Expected<std::string> output = readFileText(log, MostOutput);
  if (!output)
    return output.takeError();
  result.reason = compare(bug.reproduced, *status, *output);
  result.outcome = result.reason.empty() ? BugOutcome::Reproduced : BugOutcome::NotReproduced;
  return result;
}
