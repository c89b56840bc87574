// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/localize/Observe.h"

#include "fuzz/reduce/Edit.h"
#include "fuzz/reduce/Reduction.h"
#include "harness/localize/Probes.h"
#include "harness/reduce/Judge.h"
#include "harness/reduce/Subject.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

namespace {

/// The buffer of the observed case in which the value is.
constexpr StringLiteral observedBuffer = "observed";

/// Changes one subject until the reference reports nothing about it.
class Observer {
public:
  Observer(Subject subject, const Predicate &reported, const PoolOptions &pool,
           const WorkFolder &folder)
      : m_subject(std::move(subject)), m_reported(reported), m_pool(pool), m_folder(folder) {}

  /// As observeValues().
  Expected<std::optional<ObservedCase>> run();

private:
  /// Writes \p text to a new file, which becomes m_file.
  Error write(StringRef text);
  /// Writes and runs the subject.
  Expected<std::optional<Verdict>> askReference();
  /// Leaves out the instructions that the reference reports.
  Expected<bool> leaveOutReported();

  Subject m_subject;
  const Predicate &m_reported;
  const PoolOptions &m_pool;
  const WorkFolder &m_folder;
  CaseFile m_file;
  unsigned m_number = 0;
};

} // namespace

/// The word of the module that \p verdict's finding of undefined behaviour names: "OpStore at word
/// 329". Nothing where there is no such finding, or it names none.
static std::optional<size_t> findObjectedWord(const Verdict &verdict) {
  constexpr StringLiteral Marker = " at word ";
  for (const Finding &finding : verdict.findings) {
    StringRef place = StringRef(finding.location).split(Marker).second;
    size_t word = 0;
    if (StringRef(finding.rule).starts_with("UB-") && !place.consumeInteger(10, word))
      return word;
  }
  return std::nullopt;
}

/// The instruction in a function's body whose first word is \p word of the encoded \p program; null
/// where there is none that can go.
static fuzz::Instruction *findAtWord(fuzz::Program &program, size_t word) {
  std::vector<uint32_t> words = fuzz::encode(program);
  constexpr size_t Header = 5;
  size_t number = 0; // Of instructions before it, from the first function on.
  size_t at = Header;
  for (bool isBody = false; at < word && at < words.size(); at += words[at] >> 16) {
    isBody |= static_cast<spv::Op>(words[at] & 0xffff) == spv::Op::OpFunction;
    number += isBody;
  }
  if (at != word)
    return nullptr;
  for (fuzz::Function &function : program.functions) {
    size_t before = 1 + function.parameters.size();
    for (fuzz::Block &block : function.blocks) {
      before += 1; // OpLabel.
      if (number >= before && number < before + block.body.size() - 1)
        return &block.body[number - before];
      before += block.body.size();
    }
    if (number < before + 1)
      return nullptr;
    number -= before + 1; // OpFunctionEnd.
  }
  return nullptr;
}

bool assay::leaveOutAtWord(fuzz::Program &program, size_t word) {
  fuzz::Instruction *instruction = findAtWord(program, word);
  if (!instruction)
    return false;
  fuzz::Id result = instruction->result;
  fuzz::Id type = instruction->type;
  fuzz::drop(*instruction);
  if (result && fuzz::isData(program, type)) {
    fuzz::Pool pool(program);
    fuzz::replaceUses(program, result, fuzz::zeroOf(pool, type));
  }
  fuzz::repair(program);
  return true;
}

Error Observer::write(StringRef text) {
  m_file = {m_folder.jobFolder("observed", m_number++) + "/case.amber", "observed"};
  return writeFile(m_file.path, text);
}

/// What the reference says of the subject; nothing where that is no module any more.
Expected<std::optional<Verdict>> Observer::askReference() {
  Expected<std::string> text = printSubject(m_subject);
  if (!text) {
    consumeError(text.takeError());
    return std::nullopt;
  }
  if (Error error = write(*text))
    return std::move(error);
  Job job = makeReferenceJob(m_reported.job);
  job.casePath = m_file.path;
  job.caseId = m_file.id;
  job.folder = m_folder.jobFolder("asked", m_number);
  Expected<std::vector<Verdict>> verdicts = runJobs(job, m_pool);
  if (!verdicts)
    return verdicts.takeError();
  return std::move(verdicts->front());
}

/// One after the other, until the reference comes to the end. False where it does not.
Expected<bool> Observer::leaveOutReported() {
  constexpr unsigned MostReported = 32;
  fuzz::Program &program = m_subject.programs.front();
  for (unsigned i = 0; i < MostReported; ++i) {
    Expected<std::optional<Verdict>> verdict = askReference();
    if (!verdict)
      return verdict.takeError();
    if (!*verdict || (*verdict)->state != State::Invalid)
      return *verdict && (*verdict)->state == State::Pass;
    std::optional<size_t> word = findObjectedWord(**verdict);
    if (!word || !leaveOutAtWord(program, *word))
      return false;
  }
  return false;
}

/// The case that \p probed shows, with another name for its buffer: it will be probed again.
static Expected<std::optional<ObservedCase>> nameBuffer(const ProbeResult &probed) {
  Expected<Subject> subject = readSubjectFromText(probed.shown);
  if (!subject)
    return subject.takeError();
  ObservedCase observed;
  observed.predicate = probed.predicate;
  observed.predicate.suspectsReference = observed.predicate.checkReference = true;
  for (Buffer &buffer : subject->input.buffers)
    if (buffer.name == observed.predicate.job.judgedBuffer)
      buffer.name = observedBuffer.str();
  observed.predicate.job.judgedBuffer = observedBuffer.str();
  if (Error error = printSubject(*subject).moveInto(observed.text))
    return std::move(error);
  return std::move(observed);
}

Expected<std::optional<ObservedCase>> Observer::run() {
  if (m_subject.programs.size() != 1)
    return std::nullopt;
  // What a script expects of the whole shader says little of a part.
  erase_if(m_subject.input.commands,
           [](const Command &command) { return std::holds_alternative<Expectation>(command); });
  Expected<bool> isWhole = leaveOutReported();
  if (!isWhole)
    return isWhole.takeError();
  if (!*isWhole)
    return std::nullopt;
  Expected<ProbeResult> probed = probeValues(m_file, m_reported, m_pool, m_folder);
  if (!probed)
    return probed.takeError();
  if (probed->shown.empty())
    return std::nullopt;
  return nameBuffer(*probed);
}

Expected<std::optional<ObservedCase>> assay::observeValues(const CaseFile &file,
                                                           const Predicate &reported,
                                                           const PoolOptions &pool,
                                                           const WorkFolder &folder) {
  Expected<Subject> subject = readSubject(file);
  if (!subject)
    return subject.takeError();
  return Observer(std::move(*subject), reported, pool, folder).run();
}
