// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/reduce/Bundle.h"

#include "compiler/spirv/Module.h"
#include "harness/reduce/BundleText.h"
#include "harness/reduce/Judge.h"
#include "harness/run/References.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace llvm;
using namespace assay;

namespace {
/// Writes one bundle. The case in the folder is the one that is run, so that the results are those
/// of what is sent.
class BundleWriter {
public:
  BundleWriter(const std::string &folder, const BundleInput &input, const PoolOptions &pool,
               const WorkFolder &work)
      : m_folder(folder), m_input(input), m_pool(pool), m_work(work) {
    m_facts.input = &input;
  }

  /// Writes all files. The machine runs before anything else is made: a case that does not satisfy
  /// the predicate leaves no complete bundle.
  Error write();

private:
  /// Writes each module as binary and as assembly, and keeps the assembly for the texts.
  Error writeModules(const Subject &subject);
  /// Runs the case until a run satisfies the predicate, at most as often as it says, and writes
  /// actual.json. InvalidInput if none does.
  Error runMachine();
  /// Writes expected.json, whatever the reference's verdict is.
  Error runReference();
  /// Writes the phase's result of the first pipeline as file \p name.
  Error compile(StringRef phase, StringRef name, const Subject &subject);
  /// Runs \p job on the case of the bundle. \p name is the stage of its work folder.
  Expected<Verdict> runOne(Job job, StringRef name);
  Error writeText(StringRef name, StringRef text) {
    return writeFile(m_folder + "/" + name.str(), text);
  }
  /// Copies \p from into the bundle as \p name.
  Error copyFile(const std::string &from, StringRef name);
  /// Copies the buffers that \p job listed; \p job has the folder of that run.
  Error copyBuffers(const Job &job, StringRef name);

  const std::string &m_folder;
  const BundleInput &m_input;
  const PoolOptions &m_pool;
  const WorkFolder &m_work;
  BundleFacts m_facts;
};
} // namespace

Expected<Verdict> BundleWriter::runOne(Job job, StringRef name) {
  job.casePath = m_folder + "/case.amber";
  job.caseId = "case.amber";
  job.folder = m_work.jobFolder(name, 0);
  Expected<std::vector<Verdict>> verdicts = runPredicateJobs(job, m_pool);
  if (!verdicts)
    return verdicts.takeError();
  return std::move(verdicts->front());
}

Error BundleWriter::copyFile(const std::string &from, StringRef name) {
  Expected<std::vector<uint8_t>> bytes = readFileBytes(from);
  if (!bytes)
    return bytes.takeError();
  return writeFile(m_folder + "/" + name.str(), ArrayRef(*bytes));
}

/// A run that ended early left no buffers.
Error BundleWriter::copyBuffers(const Job &job, StringRef name) {
  if (!sys::fs::exists(job.buffersFile()))
    return writeText(name, "[]\n");
  return copyFile(job.buffersFile(), name);
}

/// Writes each module as binary and as text; names are numbered if there are several.
Error BundleWriter::writeModules(const Subject &subject) {
  for (const auto &[index, program] : enumerate(subject.programs)) {
    std::string stem =
        subject.programs.size() > 1 ? "case-" + std::to_string(index) : std::string("case");
    std::vector<uint32_t> words = fuzz::encode(program);
    Expected<std::string> text = spirv::disassemble(words);
    if (!text)
      return text.takeError();
    if (Error error = writeModule(m_folder + "/" + stem + ".spv", words))
      return error;
    if (Error error = writeText(stem + ".spvasm", *text))
      return error;
    m_facts.assembly.push_back(std::move(*text));
  }
  return Error::success();
}

/// Runs until the bug shows, as often as the predicate permits. InvalidInput if it does not show.
Error BundleWriter::runMachine() {
  Job job = m_input.predicate.job;
  job.listBuffers = true;
  // One that fails now and then has to be caught at it.
  for (unsigned run = 0; run < m_input.predicate.runs; ++run) {
    Expected<Verdict> verdict = runOne(job, "machine");
    if (!verdict)
      return verdict.takeError();
    m_facts.verdict = std::move(*verdict);
    if (m_input.predicate.matches(m_facts.verdict)) {
      job.folder = m_work.jobFolder("machine", 0);
      return copyBuffers(job, "actual.json");
    }
  }
  return invalidInput("the case does not show what the predicate asks for, but is " +
                      stateName(m_facts.verdict.state) + ": " + m_facts.verdict.reason);
}

/// The reference runs with the subgroup size of the machine.
Error BundleWriter::runReference() {
  Job job = makeReferenceJob(m_input.predicate.job);
  job.listBuffers = true;
  Expected<Verdict> verdict = runOne(job, "reference");
  if (!verdict)
    return verdict.takeError();
  job.folder = m_work.jobFolder("reference", 0);
  return copyBuffers(job, "expected.json");
}

/// Nothing is written where the compiler makes nothing: then that is the finding.
Error BundleWriter::compile(StringRef phase, StringRef name, const Subject &subject) {
  Job job = makeCompileJob(m_input.predicate.job, phase);
  job.machine.clear(); // Of compile-again: not again here.
  if (subject.input.pipelines.size() > 1)
    job.entryPoint = "pipeline0"; // As the writer of AmberScript calls the first.
  Expected<Verdict> verdict = runOne(job, phase);
  if (!verdict)
    return verdict.takeError();
  job.folder = m_work.jobFolder(phase, 0);
  if (verdict->state != State::Pass || !sys::fs::exists(job.outputFile()))
    return Error::success();
  m_facts.hasCode = true;
  return copyFile(job.outputFile(), name);
}

/// Code is written only for machines that run what a compiler made.
Error BundleWriter::write() {
  Expected<Subject> subject = readSubject(m_input.file);
  if (!subject)
    return subject.takeError();
  Expected<std::string> text = printSubject(*subject);
  if (!text)
    return text.takeError();
  if (Error error = writeText("case.amber", *text))
    return error;
  if (Error error = writeModules(*subject))
    return error;
  if (Error error = runMachine())
    return error;
  if (Error error = runReference())
    return error;
  if (needsCompiler(m_input.predicate.job.machine))
    for (auto [phase, name] : {std::pair{"elf", "out.elf"}, {"asm", "isa.txt"}})
      if (Error error = compile(phase, name, *subject))
        return error;
  const std::pair<StringRef, std::string> texts[] = {
      {"README.md", printReadme(m_facts)},
      {"log.txt", printLog(m_facts.verdict)},
      {"predicate.json", printPredicate(m_input.predicate)},
      {"provenance.json", printProvenance(m_input)},
      {"cmd.sh", printCommands(m_input.predicate)}};
  for (const auto &[name, content] : texts)
    if (Error error = writeText(name, content))
      return error;
  return Error::success();
}

/// The folder is created if missing; files in it are replaced.
Error assay::writeBundle(const std::string &folder, const BundleInput &input,
                         const PoolOptions &pool) {
  Expected<std::unique_ptr<WorkFolder>> work = WorkFolder::create("");
  if (!work)
    return work.takeError();
  return BundleWriter(folder, input, pool, **work).write();
}

/// Errors of the text name the file.
static Expected<Predicate> readPredicateOf(const std::string &folder) {
  Expected<std::string> text = readFileText(folder + "/predicate.json");
  if (!text)
    return text.takeError();
  Expected<Predicate> predicate = parsePredicate(*text);
  if (!predicate)
    return addContext(predicate.takeError(), folder + "/predicate.json");
  return predicate;
}

/// The script at \p path with one of its modules replaced. Where the module or what comes of it is
/// invalid, \p why says so and the script is empty.
static Expected<std::string> replaceModule(const std::string &path, const ReplacedModule &replaced,
                                           std::string &why) {
  Expected<Subject> subject = readSubject({path, "case.amber"});
  if (!subject)
    return subject.takeError();
  if (replaced.pipeline >= subject->programs.size())
    return invalidInput(path + " has no pipeline " + Twine(replaced.pipeline));
  Expected<Subject> module = readSubject({replaced.file, "module"});
  if (module && module->programs.empty())
    module = invalidInput(replaced.file + " has no pipeline");
  if (module)
    subject->programs[replaced.pipeline] = std::move(module->programs.front());
  Expected<std::string> script = module ? printSubject(*subject) : module.takeError();
  if (script)
    return script;
  auto [kind, message] = takeError(script.takeError());
  if (kind != ErrorKind::InvalidInput)
    return make_error<AssayError>(kind, message);
  why = message;
  return std::string();
}

/// Runs the case of a bundle, or of a minimization. A module that cannot replace the case's is
/// Invalid, not an error.
Expected<Replay> assay::replayBundle(const std::string &folder, const PoolOptions &pool,
                                     const std::optional<ReplacedModule> &replaced) {
  Expected<Predicate> predicate = readPredicateOf(folder);
  if (!predicate)
    return predicate.takeError();
  std::string path = folder + "/case.amber";
  if (!sys::fs::exists(path))
    path = folder + "/minimal.amber";
  if (!sys::fs::exists(path))
    return invalidInput(folder +
                        " lacks its case: case.amber of a bundle, minimal.amber of a minimization");
  Replay replay;
  Expected<std::string> script =
      replaced ? replaceModule(path, *replaced, replay.verdict.reason) : readFileText(path);
  if (!script)
    return script.takeError();
  if (!replay.verdict.reason.empty()) {
    replay.verdict.state = State::Invalid;
    return std::move(replay);
  }
  Expected<std::unique_ptr<WorkFolder>> work = WorkFolder::create("");
  if (!work)
    return work.takeError();
  CandidateJudge judge(*predicate, pool, **work);
  Expected<std::vector<Judged>> judged = judge.judge(*script);
  if (!judged)
    return judged.takeError();
  replay.shows = judged->front() == Judged::Shows;
  replay.verdict = judge.lastVerdicts().front();
  return std::move(replay);
}
