// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where revisions come from, and how one is asked: git, files, the shell.
#include "harness/bisect/Bisect.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Program.h"

using namespace llvm;
using namespace assay;

namespace {
struct Ended {
  int code = 0;
  std::string output; ///< stdout and stderr.
};
} // namespace

static constexpr int exitSkip = 125;
static constexpr int lastBad = 125; // 126 and 127 are the shell's: not to be run, not found.

/// \p code is negative as ExecuteAndWait has it: -1 not started, -2 over the limit.
static Expected<Ended> execute(ArrayRef<StringRef> arguments, unsigned timeoutSeconds) {
  SmallString<128> path;
  if (std::error_code code = sys::fs::createTemporaryFile("assay-bisect", "txt", path))
    return environmentError("a temporary file: " + code.message());
  FileRemover remover(path);
  std::optional<StringRef> redirects[] = {StringRef(""), StringRef(path), StringRef(path)};
  std::string problem;
  Ended ended;
  ended.code = sys::ExecuteAndWait(arguments.front(), arguments, std::nullopt, redirects,
                                   timeoutSeconds, /*MemoryLimit=*/0, &problem);
  if (ended.code == -1)
    return environmentError(arguments.front() + ": " + problem);
  Expected<std::string> output = readFileText(path);
  if (!output)
    return output.takeError();
  ended.output = std::move(*output);
  return ended;
}

static std::string lastLine(StringRef text) {
  return text.rtrim().rsplit('\n').second.empty() ? text.rtrim().str()
                                                  : text.rtrim().rsplit('\n').second.str();
}

static std::string quoted(StringRef text) {
  std::string result = "'";
  for (char c : text)
    result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

Expected<RevisionRun> assay::runRevision(StringRef command, StringRef revision,
                                         unsigned timeoutSeconds) {
  static constexpr StringRef placeholder = "{rev}";
  std::string line = command.str();
  std::string name = quoted(revision);
  for (size_t at = 0; (at = line.find(placeholder.str(), at)) != std::string::npos;
       at += name.size())
    line.replace(at, placeholder.size(), name);
  Expected<Ended> ended = execute({"/bin/sh", "-c", line}, timeoutSeconds);
  if (!ended)
    return ended.takeError();
  RevisionRun run;
  run.said = lastLine(ended->output);
  if (ended->code > lastBad)
    return environmentError("the command ended with " + Twine(ended->code) +
                            (run.said.empty() ? "" : ": " + run.said));
  if (ended->code == -2)
    run.said = "over the time limit";
  bool isSkip = ended->code == exitSkip || ended->code == -2;
  run.state = isSkip             ? RevisionState::Skip
              : ended->code == 0 ? RevisionState::Good
                                 : RevisionState::Bad;
  return run;
}

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

static Expected<std::string> git(StringRef repository, ArrayRef<StringRef> arguments) {
  ErrorOr<std::string> program = sys::findProgramByName("git");
  if (!program)
    return environmentError("git: " + program.getError().message());
  std::vector<StringRef> all = {*program, "-C", repository};
  append_range(all, arguments);
  Expected<Ended> ended = execute(all, /*timeoutSeconds=*/600);
  if (!ended)
    return ended.takeError();
  if (ended->code != 0)
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
