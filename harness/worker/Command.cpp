// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/worker/Command.h"

#include "harness/run/CommandWords.h"
#include "harness/worker/Specialize.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/Support/Program.h"

using namespace llvm;
using namespace assay;

/// Replaces names anywhere in a word. Of several names that match at one place, the first one of \p
/// values wins; values are not searched for names.
std::vector<std::string> assay::fillCommand(ArrayRef<std::string> words,
                                            ArrayRef<std::pair<StringRef, std::string>> values) {
  std::vector<std::string> filled;
  for (StringRef word : words) {
    std::string result;
    while (!word.empty()) {
      bool replaced = false;
      for (const auto &[name, value] : values)
        if (word.consume_front(name)) {
          result += value;
          replaced = true;
          break;
        }
      if (replaced)
        continue;
      result += word.front();
      word = word.drop_front();
    }
    filled.push_back(std::move(result));
  }
  return filled;
}

// What compilers begin an error with: "error:", "LLVM ERROR:", "fatal error:", "Assertion `".
static bool saysError(StringRef line) {
  return line.contains_insensitive("error:") || line.contains("Assertion ");
}

// The first line of the log that is about an error, or else its last, without the chance name of
// the job's folder.
static std::string errorLine(StringRef path, StringRef folder) {
  Expected<std::string> text = readFileText(path, uint64_t(16) << 20);
  if (!text) {
    consumeError(text.takeError());
    return "";
  }
  SmallVector<StringRef, 0> lines;
  StringRef(*text).split(lines, '\n', -1, /*KeepEmpty=*/false);
  const auto *found = find_if(lines, saysError);
  if (found == lines.end() && !lines.empty())
    --found;
  std::string line = lines.empty() ? "" : found->trim().take_front(500).str();
  for (size_t at; !folder.empty() && (at = line.find(folder)) != std::string::npos;)
    line.replace(at, folder.size(), "JOB");
  return line;
}

/// Maps the status of sys::ExecuteAndWait() to a Stop: -2 is death by a signal, -1 a program that
/// could not be started, and \p message then says why. \p log is the path of what it printed.
static Stop stopForStatus(int status, StringRef message, StringRef log, StringRef folder) {
  std::string words = errorLine(log, folder);
  std::string suffix = words.empty() ? "" : ": " + words;
  if (status == 77)
    return {State::Unsupported, "the compiler command says unsupported" + suffix, {}};
  if (status == -2)
    return {State::Crash, "the compiler command died of a signal" + suffix, {}};
  if (status == -1)
    return {State::ToolError, "the compiler command could not be run: " + message.str(), {}};
  return {
      State::Fail, "the compiler command ended with status " + std::to_string(status) + suffix, {}};
}

/// Searches the program in PATH. Its standard input is empty; its output and errors go to \p log.
/// Nothing is returned if it exits with 0.
std::optional<Stop> assay::runCompilerCommand(ArrayRef<std::string> words, StringRef log,
                                              StringRef folder) {
  ErrorOr<std::string> program = sys::findProgramByName(words.front());
  if (!program)
    return Stop{State::ToolError, words.front() + ": " + program.getError().message(), {}};
  std::vector<StringRef> arguments(words.begin(), words.end());
  std::optional<StringRef> redirects[] = {StringRef(""), log, log};
  std::string message;
  int status = sys::ExecuteAndWait(*program, arguments, std::nullopt, redirects, 0, 0, &message);
  if (status != 0)
    return stopForStatus(status, message, log, folder);
  return std::nullopt;
}

/// Appends the ELF of \p pipeline. Its files in the job's folder are called pipeline-INDEX with
/// .spv, .elf and .log. Stops for a graphics pipeline: commands compile compute shaders alone.
static std::optional<Stop> compileOne(const Job &job, const PipelineDescription &pipeline,
                                      size_t index, std::vector<Artifact> &artifacts) {
  std::string base = job.folder + "/pipeline-" + std::to_string(index);
  std::string in = base + ".spv", out = base + ".elf", log = base + ".log";
  Expected<const ShaderDescription *> shader = requireCompute(pipeline);
  if (!shader)
    return stopFor(shader.takeError(), "compile");
  std::vector<uint32_t> words = specializeDefaults(**shader);
  ArrayRef bytes(reinterpret_cast<const uint8_t *>(words.data()), words.size() * 4);
  if (Error error = writeFile(in, bytes))
    return stopFor(std::move(error), "write");
  std::vector<std::string> command =
      fillCommand(job.command, {{placeholder::In, in},
                                {placeholder::Out, out},
                                {placeholder::Target, job.target},
                                {placeholder::Entry, (*shader)->entryPoint},
                                {placeholder::Opt, std::to_string(std::max(job.optLevel, 0))},
                                {placeholder::Wave, std::to_string(job.waveSize)}});
  if (std::optional<Stop> stop = runCompilerCommand(command, log, job.folder))
    return stop;
  Expected<std::vector<uint8_t>> elf = readFileBytes(out);
  if (!elf)
    return Stop{State::Fail,
                "the compiler command wrote no output: " + takeError(elf.takeError()).message,
                {}};
  artifacts.emplace_back(std::move(*elf));
  return std::nullopt;
}

/// Stops at the first pipeline that cannot be compiled. A crash of the command is a finding with a
/// fixed signature.
std::optional<Stop> assay::compileByCommand(const Job &job, const Case &input,
                                            std::vector<Artifact> &artifacts) {
  if (job.command.empty())
    return Stop{State::ToolError, "the compiler command is empty", {}};
  for (size_t i = 0; i < input.pipelines.size(); ++i)
    if (std::optional<Stop> stop = compileOne(job, input.pipelines[i].description, i, artifacts)) {
      if (stop->state == State::Crash)
        stop->findings.push_back({"CRASH", Severity::Error, stop->reason, "", "crash command", {}});
      return stop;
    }
  return std::nullopt;
}
