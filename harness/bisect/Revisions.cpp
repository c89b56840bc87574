// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where revisions come from, and how one is asked: git, files, the shell.
#include "harness/bisect/Bisect.h"
#include "harness/run/Child.h"
#include "support/Error.h"
#include "support/File.h"
#include "support/ShellQuote.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include <limits>

using namespace llvm;
using namespace assay;

namespace {
/// How a shell command ended, with what it printed.
struct Ended {
  WorkerEnd end;
  std::string output; ///< stdout and stderr.
};
} // namespace

/// As of `git bisect run`.
static constexpr int exitSkip = 125;
static constexpr int lastBad = 125; // 126 and 127 are the shell's: not to be run, not found.

/// \p line by /bin/sh. What it leaves running ends with it. \p timeoutSeconds 0: no limit.
static Expected<Ended> execute(const std::string &line, unsigned timeoutSeconds) {
  SmallString<128> path;
  int file = -1;
  if (std::error_code code = sys::fs::createTemporaryFile("assay-bisect", "txt", file, path))
    return environmentError("a temporary file: " + code.message());
  FileRemover remover(path);
  Descriptor output(file);
  ChildStart start;
  start.program = "/bin/sh";
  start.arguments = {"-c", "exec 2>&1\n" + line};
  start.output = output.get();
  start.limits.memoryBytes = start.limits.fileBytes = std::numeric_limits<uint64_t>::max();
  Interruption interruption;
  Expected<Child> child = Child::start(start);
  if (!child)
    return child.takeError();
  bool isInTime = child->waitFor(uint64_t(timeoutSeconds) * 1000, interruption);
  Ended ended;
  ended.end = child->reap();
  if (interruption.get())
    return environmentError(interruption.describe());
  if (!isInTime)
    ended.end.kind = WorkerEnd::Kind::TimedOut;
  if (Error error = readFileText(path).moveInto(ended.output))
    return std::move(error);
  return std::move(ended);
}

/// Without white space at the end of \p text.
static std::string lastLine(StringRef text) {
  return text.rtrim().rsplit('\n').second.empty() ? text.rtrim().str()
                                                  : text.rtrim().rsplit('\n').second.str();
}

Expected<RevisionRun> assay::runRevision(StringRef command, StringRef revision,
                                         unsigned timeoutSeconds) {
  static constexpr StringRef placeholder = "{rev}";
  std::string line = command.str();
  std::string name = quoteForShell(revision);
  for (size_t at = 0; (at = line.find(placeholder.str(), at)) != std::string::npos;
       at += name.size())
    line.replace(at, placeholder.size(), name);
  Expected<Ended> ended = execute(line, timeoutSeconds);
  if (!ended)
    return ended.takeError();
  const WorkerEnd &end = ended->end;
  RevisionRun run;
  if (end.kind == WorkerEnd::Kind::TimedOut) {
    run.said = "over the time limit";
    return run;
  }
  run.said = lastLine(ended->output);
  bool isDead = end.kind == WorkerEnd::Kind::Signalled;
  if (isDead || end.code > lastBad)
    return environmentError("the command ended with " + Twine(isDead ? "signal " : "") +
                            Twine(end.code) + (run.said.empty() ? "" : ": " + run.said));
  run.state = end.code == exitSkip ? RevisionState::Skip
              : end.code == 0      ? RevisionState::Good
                                   : RevisionState::Bad;
  return run;
}

/// Trimmed lines; empty ones are left out.
static std::vector<std::string> splitLines(StringRef text) {
  SmallVector<StringRef> lines;
  text.split(lines, '\n', -1, /*KeepEmpty=*/false);
  std::vector<std::string> result;
  for (StringRef line : lines)
    if (!line.trim().empty())
      result.push_back(line.trim().str());
  return result;
}

Expected<std::vector<std::string>> assay::cutRevisions(StringRef text, StringRef good,
                                                       StringRef bad) {
  std::vector<std::string> all = splitLines(text);
  auto first = find(all, good);
  auto last = find(all, bad);
  for (auto [end, name] : {std::pair(first, good), std::pair(last, bad)})
    if (end == all.end())
      return invalidInput("the list of revisions lacks " + name);
  if (last <= first)
    return invalidInput("in the list of revisions, which is oldest first, " + bad +
                        " does not stand after " + good);
  return std::vector<std::string>(first, last + 1);
}

/// Returns what git prints. InvalidInput for what git rejects; Environment if git is missing, dies,
/// or takes more than ten minutes.
static Expected<std::string> git(StringRef repository, ArrayRef<StringRef> arguments) {
  constexpr unsigned timeoutSeconds = 600;
  std::string line = "git -C " + quoteForShell(repository);
  for (StringRef argument : arguments)
    line += " " + quoteForShell(argument);
  Expected<Ended> ended = execute(line, timeoutSeconds);
  if (!ended)
    return ended.takeError();
  const WorkerEnd &end = ended->end;
  if (end.kind == WorkerEnd::Kind::TimedOut)
    return environmentError("git is over its " + Twine(timeoutSeconds) + " seconds");
  if (end.kind == WorkerEnd::Kind::Signalled)
    return environmentError("git died of signal " + Twine(end.code));
  if (end.code > lastBad && end.code < 128) // git's own "fatal" is 128.
    return environmentError("git: " + lastLine(ended->output));
  if (end.code != 0)
    return invalidInput("git: " + lastLine(ended->output));
  return std::move(ended->output);
}

Expected<std::vector<std::string>> assay::listRevisions(StringRef repository, StringRef good,
                                                        StringRef bad) {
  // Names first: what is not told to be one could be an option.
  std::vector<std::string> ends;
  for (StringRef name : {good, bad}) {
    Expected<std::string> id =
        git(repository, {"rev-parse", "--verify", "--end-of-options", (name + "^{commit}").str()});
    if (!id)
      return addContext(id.takeError(), name);
    ends.push_back(StringRef(*id).trim().str());
  }
  Expected<std::string> text =
      git(repository, {"rev-list", "--reverse", "--first-parent", ends[0] + ".." + ends[1]});
  if (!text)
    return text.takeError();
  std::vector<std::string> revisions = splitLines(*text);
  if (revisions.empty())
    return invalidInput("git knows no revision after " + good + " that leads to " + bad);
  revisions.insert(revisions.begin(), ends[0]);
  return revisions;
}
