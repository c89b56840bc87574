// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/reduce/SpirvReduce.h"

#include "harness/run/Child.h"
#include "support/Error.h"
#include "support/File.h"
#include "support/ShellQuote.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/xxhash.h"
#include <cmath>

using namespace llvm;
using namespace assay;

/// Of one run. Modules that come here are small, and a step that is refused counts as one.
static constexpr unsigned StepLimit = 2500;

namespace {
/// Each chance is one run of the program on the module of a pipeline.
class SpirvReduce : public Reduction {
public:
  SpirvReduce(SpirvReduceOptions options, const WorkFolder &work)
      : m_options(std::move(options)), m_work(work) {}

  StringRef name() const override { return "spirv-reduce"; }
  bool isLastResort() const override { return true; }
  /// One chance for each pipeline.
  std::vector<CaseChance> find(const Subject &subject) const override;
  /// Results are kept in files by a hash of the subject. An error goes to a log next to the result,
  /// and the subject stays as it is.
  void apply(Subject &subject, ArrayRef<CaseChance> chances) const override;

private:
  /// Replaces the module if what spirv-reduce left has fewer instructions. Errors leave the subject
  /// as it is.
  Error reduce(Subject &subject, size_t pipeline, const std::string &result) const;
  /// Environment if the program fails; Limit if it takes too long.
  Expected<std::string> run(const Subject &subject, size_t pipeline) const;

  SpirvReduceOptions m_options;
  const WorkFolder &m_work;
};
} // namespace

std::vector<CaseChance> SpirvReduce::find(const Subject &subject) const {
  std::vector<CaseChance> chances;
  for (size_t pipeline = 0; pipeline < subject.programs.size(); ++pipeline)
    chances.push_back({pipeline, {}});
  return chances;
}

void SpirvReduce::apply(Subject &subject, ArrayRef<CaseChance> chances) const {
  for (const CaseChance &chance : chances) {
    Expected<std::string> text = printSubject(subject);
    if (!text) { // An invalid subject has no module that could be tested.
      consumeError(text.takeError());
      return;
    }
    std::string result = formatv("{0}/{1:x-16}-{2}", m_options.results,
                                 xxh3_64bits(*text + m_options.key), chance.pipeline);
    if (Error error = reduce(subject, chance.pipeline, result))
      if (Error unwritten =
              writeFile(result + ".log", StringRef(takeError(std::move(error)).message + "\n")))
        consumeError(std::move(unwritten));
  }
}

/// The end of a child; none where it was killed after \p maxSeconds, which are not 0. A signal to
/// end ends the child first, and then this process.
static Expected<std::optional<WorkerEnd>> await(const ChildStart &start, double maxSeconds) {
  int signal = 0;
  std::optional<WorkerEnd> end;
  {
    Interruption interruption;
    Expected<Child> child = Child::start(start);
    if (!child)
      return child.takeError();
    if (child->waitFor(static_cast<uint64_t>(std::ceil(maxSeconds * 1000)), interruption))
      end = child->reap();
    signal = interruption.get();
  }
  if (signal)
    raise(signal);
  return end;
}

/// The file of the module that spirv-reduce left. It runs in a folder of its own, since it names
/// its own files to a shell without quotes.
Expected<std::string> SpirvReduce::run(const Subject &subject, size_t pipeline) const {
  std::string folder = m_work.jobFolder("spirv-reduce", pipeline);
  if (std::error_code code = sys::fs::remove_directories(folder))
    return environmentError(folder + ": " + code.message());
  if (Error error = writeModule(folder + "/in.spv", fuzz::encode(subject.programs[pipeline])))
    return std::move(error);
  Expected<std::vector<std::string>> test = m_options.makeTest(subject, pipeline, folder + "/test");
  if (!test)
    return test.takeError();
  ChildStart start;
  start.program = "/bin/sh";
  start.arguments = {"-c",
                     R"(cd "$0" && exec "$@")",
                     folder,
                     m_options.program,
                     "--step-limit=" + std::to_string(StepLimit),
                     "in.spv",
                     "-o",
                     "out.spv",
                     "--"};
  for (const std::string &word : *test)
    start.arguments.push_back(quoteForShell(word));
  start.errorFile = folder + "/log.txt";
  Expected<std::optional<WorkerEnd>> end = await(start, m_options.maxSeconds);
  if (!end)
    return end.takeError();
  if (!*end)
    return limitExceeded(formatv("spirv-reduce took more than {0} s", m_options.maxSeconds).str());
  if ((*end)->kind == WorkerEnd::Kind::Exited && (*end)->code == 0)
    return folder + "/out.spv";
  std::string how = (*end)->kind == WorkerEnd::Kind::Exited ? "ended with " : "died of signal ";
  return environmentError("spirv-reduce " + how + std::to_string((*end)->code));
}

/// \p result, without extension, names the file of the result, which may be there from an earlier
/// run.
Error SpirvReduce::reduce(Subject &subject, size_t pipeline, const std::string &result) const {
  std::string kept = result + ".spv";
  if (!sys::fs::exists(kept)) {
    Expected<std::string> left = run(subject, pipeline);
    if (!left)
      return left.takeError();
    Expected<std::vector<uint8_t>> bytes = readFileBytes(*left);
    if (!bytes)
      return bytes.takeError();
    if (Error error = writeFile(kept, ArrayRef(*bytes)))
      return error;
  }
  Expected<Subject> module = readSubject({kept, "module"});
  if (!module)
    return module.takeError();
  fuzz::Program &program = module->programs.front();
  if (fuzz::countInstructions(program) < fuzz::countInstructions(subject.programs[pipeline]))
    subject.programs[pipeline] = std::move(program);
  return Error::success();
}

std::unique_ptr<Reduction> assay::makeSpirvReduce(SpirvReduceOptions options,
                                                  const WorkFolder &work) {
  return std::make_unique<SpirvReduce>(std::move(options), work);
}
