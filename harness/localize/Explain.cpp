// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/localize/Explain.h"

#include "compiler/driver/PassWatcher.h"
#include "compiler/spirv/Module.h"
#include "fuzz/program/Program.h"
#include "harness/localize/Difference.h"
#include "harness/localize/StoreTrace.h"
#include "harness/reduce/Subject.h"
#include "oracles/api/Machine.h"
#include "oracles/divergence/CompareAccesses.h"
#include "oracles/divergence/FindRace.h"
#include "oracles/input/CaseReader.h"
#include "oracles/machine/simt/CaseMemory.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;

/// What is read of a trace.
static constexpr uint64_t mostTraceBytes = uint64_t(128) << 20;

/// "BUFFER at byte N"; the verdict must have a difference.
static std::string describeDifference(const Verdict &verdict) {
  const Difference &difference = *verdict.firstDifference;
  return difference.buffer + " at byte " + std::to_string(difference.byteOffset);
}

/// The device address of the first wrong byte; nothing where no value is wrong. Machines gcn and ir
/// put buffers at the same places.
Expected<Explainer::Address> Explainer::findDifference(const Verdict &verdict) const {
  if (!verdict.firstDifference)
    return std::nullopt;
  Expected<ReadOptions> options = makeReadOptions(m_file.spirvEnv);
  if (!options)
    return options.takeError();
  Expected<Case> input = readCase(m_file.path, m_file.id, *options);
  if (!input)
    return input.takeError();
  std::vector<uint64_t> addresses = simt::placeBuffers(*input);
  for (auto [buffer, address] : zip_equal(input->buffers, addresses))
    if (buffer.name == verdict.firstDifference->buffer)
      return address + verdict.firstDifference->byteOffset;
  return std::nullopt;
}

void Explainer::noteWriter(const Verdict &verdict, StringRef place) {
  m_result.evidence.push_back("the first wrong value, " + describeDifference(verdict) +
                              ", was written by " + place.str());
}

Expected<std::string> Explainer::readModule(uint64_t snapshot, Verdict &verdict) {
  JobPasses passes;
  passes.snapshot = snapshot;
  passes.lists = true;
  Expected<Verdict> run = m_trials.runIr(passes);
  if (!run)
    return run.takeError();
  verdict = std::move(*run);
  return m_trials.readOutput();
}

/// Returns the last finding of \p rule, or null.
static const Finding *findNote(const Verdict &verdict, StringRef rule) {
  const Finding *last = nullptr; // Of the last dispatch.
  for (const Finding &finding : verdict.findings)
    if (finding.rule == rule)
      last = &finding;
  return last;
}

/// Empty where the finding has no evidence of that name.
static StringRef evidenceOf(const Finding &finding, StringRef name) {
  for (const auto &[each, text] : finding.evidence)
    if (each == name)
      return text;
  return "";
}

/// What instructionEvidence and wrongEvidence of \p finding say; false where it has none.
static bool takeDivergence(const Finding &finding, Localization &result) {
  StringRef instruction = evidenceOf(finding, instructionEvidence);
  if (instruction.empty())
    return false;
  result.wrong = evidenceOf(finding, wrongEvidence).str();
  result.instruction = instruction.str();
  result.operation = operationOf(instruction, result.wrong);
  result.evidence.push_back("side by side, the modules before and after the pass part at this "
                            "instruction: " +
                            result.wrong);
  StringRef function = finding.location;
  if (function.consume_front("function "))
    result.function = function.str();
  return true;
}

/// Of the waves of a workgroup, in IR.
static bool hasBarrier(StringRef module) {
  return module.contains("call void @lgc.barrier") ||
         module.contains("call void @llvm.amdgcn.s.barrier");
}

/// Whether the shader has a barrier. False for a case that can't be read.
static bool hasControlBarrier(const CaseFile &file) {
  Expected<Subject> subject = readSubject(file);
  if (!subject) {
    consumeError(subject.takeError());
    return false;
  }
  bool found = false;
  for (const fuzz::Program &program : subject->programs)
    fuzz::forEachInstruction(program, [&](const fuzz::Instruction &instruction) {
      found |= instruction.opcode == spv::Op::OpControlBarrier;
    });
  return found;
}

/// Whether in the module at \p snapshot, of which \p verdict is, waves race, or do something else
/// where they take turns the other way round.
Expected<bool> Explainer::dependsOnOrder(uint64_t snapshot, const Verdict &verdict) {
  if (findNote(verdict, irRaceRule))
    return true;
  JobPasses passes;
  passes.snapshot = snapshot;
  m_trials.turnRound();
  Expected<Verdict> turned = m_trials.runIr(passes);
  m_trials.turnRound();
  if (!turned)
    return turned.takeError();
  return turned->state != verdict.state || turned->reason != verdict.reason;
}

/// Values tell only that one wave was too early.
Expected<bool> Explainer::noteLostBarrier(uint64_t snapshot, const Verdict &verdict,
                                          StringRef before, StringRef after) {
  if (hasBarrier(after) || !(snapshot > 0 ? hasBarrier(before) : hasControlBarrier(m_file)))
    return false;
  Expected<bool> isGuilty = dependsOnOrder(snapshot, verdict);
  if (!isGuilty || !*isGuilty)
    return isGuilty;
  m_result.wrong = lostBarrier.str();
  m_result.operation = spirv::opcodeName(spv::Op::OpControlBarrier);
  m_result.evidence.push_back(
      "no barrier is left, and waves of a workgroup depend on which of them is "
      "first");
  return true;
}

Error Explainer::explainSnapshot(uint64_t snapshot, const NamedPass &pass) {
  Verdict verdict;
  std::string before;
  if (snapshot > 0) {
    Expected<std::string> text = readModule(snapshot - 1, verdict);
    if (!text)
      return text.takeError();
    before = std::move(*text);
  }
  Expected<std::string> after = readModule(snapshot, verdict);
  if (!after)
    return after.takeError();
  std::vector<std::string> changed;
  if (snapshot > 0)
    changed = showDifference(before, *after, m_result);
  if (const Finding *race = findNote(verdict, irRaceRule))
    m_result.evidence.push_back("in the IR, " + race->message);
  if (Error error = traceIr(snapshot, verdict, changed))
    return error;
  Expected<bool> isLost = noteLostBarrier(snapshot, verdict, before, *after);
  if (!isLost || *isLost)
    return isLost.takeError();
  return snapshot > 0 ? compareAround(snapshot, pass).takeError() : Error::success();
}

/// Of all stages of \p text, each after a line "; stage NAME", that of \p stage; without numbers of
/// metadata, which change with each row that a pass adds.
static std::string cutStage(StringRef text, StringRef stage) {
  constexpr StringLiteral start = "; stage ";
  std::string own = (start + stage + "\n").str();
  size_t at = text.find(own);
  if (at == StringRef::npos)
    return "";
  StringRef rest = text.drop_front(at + own.size());
  rest = rest.take_front(rest.find(("\n" + start).str()));
  std::string cut;
  while (!rest.empty()) {
    size_t next = rest.find('!');
    cut += rest.take_front(next == StringRef::npos ? next : next + 1);
    rest = next == StringRef::npos ? StringRef() : rest.drop_front(next + 1);
    rest = rest.drop_while(isDigit);
  }
  return cut;
}

Error Explainer::showStage(uint64_t snapshot, const NamedPass &pass) {
  Verdict verdict;
  std::string texts[2];
  for (unsigned i = 0; i < 2; ++i)
    if (Error error = readModule(snapshot - 1 + i, verdict).moveInto(texts[i]))
      return error;
  showDifference(cutStage(texts[0], pass.stage), cutStage(texts[1], pass.stage), m_result);
  m_result.operation = operationOf(m_result.instruction);
  return Error::success();
}

Expected<bool> Explainer::compareAround(uint64_t snapshot, const NamedPass &pass) {
  JobPasses passes;
  passes.snapshot = snapshot - 1;
  passes.repeats = pass.pass;
  passes.pipeline = pass.pipeline;
  Expected<Verdict> run = m_trials.runIr(passes);
  if (!run)
    return run.takeError();
  const Finding *note = findNote(*run, divergenceRule);
  return note && takeDivergence(*note, m_result);
}

/// \p note is about an instruction: takes it, or of what it depends on the nearest that the pass
/// has changed.
void Explainer::takeNote(const Finding &note, ArrayRef<std::string> changed) {
  m_result.instruction = note.message;
  for (const auto &[name, text] : note.evidence)
    m_result.slice.push_back(text);
  // Numbers of metadata are others in a whole module.
  auto withoutMetadata = [](StringRef text) { return text.split(", !").first; };
  auto isChanged = [&](StringRef text) {
    return any_of(changed,
                  [&](StringRef line) { return withoutMetadata(line) == withoutMetadata(text); });
  };
  auto nearest = find_if(reverse(m_result.slice), isChanged);
  if (!isChanged(note.message)) {
    if (nearest == m_result.slice.rend())
      return;
    m_result.instruction = *nearest;
  }
  m_result.operation = operationOf(m_result.instruction);
}

/// \p verdict is of the module as it is at \p snapshot.
Error Explainer::traceIr(uint64_t snapshot, const Verdict &verdict, ArrayRef<std::string> changed) {
  if (const Finding *note = findNote(verdict, stopRule)) {
    m_result.evidence.push_back("the run ended at " + note->location + ": " + verdict.reason);
    takeNote(*note, changed);
    return Error::success();
  }
  Expected<Address> address = findDifference(verdict);
  if (!address)
    return address.takeError();
  if (!*address)
    return Error::success();
  JobPasses passes;
  passes.snapshot = snapshot;
  passes.watch = *address;
  Expected<Verdict> run = m_trials.runIr(passes);
  if (!run)
    return run.takeError();
  if (const Finding *note = findNote(*run, lastWriteRule)) {
    noteWriter(verdict, note->location);
    takeNote(*note, changed);
  }
  return Error::success();
}

Error Explainer::explainGate(uint64_t limit) {
  std::string texts[2];
  for (unsigned i = 0; i < 2; ++i) {
    JobPasses passes;
    passes.limit = limit - 1 + i;
    Expected<std::string> text = m_trials.compile("asm", passes);
    if (!text) {
      ErrorParts parts = takeError(text.takeError());
      if (parts.kind != ErrorKind::Unsupported)
        return make_error<AssayError>(parts.kind, parts.message);
      m_result.evidence.push_back("the assembly is not shown: " + parts.message);
      return Error::success();
    }
    texts[i] = std::move(*text);
  }
  showDifference(texts[0], texts[1], m_result);
  return Error::success();
}

/// \p code: the trace. Values are not compared, and what no IR does has no name here.
void Explainer::compareWithIr(StringRef code) {
  Expected<std::string> accesses = m_trials.traceIr(mostTraceBytes);
  if (!accesses) {
    consumeError(accesses.takeError()); // The machine does not know an instruction.
    return;
  }
  std::optional<AccessMismatch> mismatch = compareAccesses(*accesses, code);
  if (!mismatch)
    return;
  m_result.evidence.push_back("the machine code and the IR that it was made of part at " +
                              mismatch->place + ": " + mismatch->wrong);
  m_result.wrong = mismatch->wrong;
  if (!mismatch->instruction.empty())
    m_result.instruction = mismatch->instruction;
}

Error Explainer::explainCode(const Verdict &verdict) {
  if (!machineOf(verdict.machine).takes(ArtifactType::PalElf))
    return Error::success();
  Expected<std::string> trace = m_trials.traceCode(mostTraceBytes);
  if (!trace) {
    m_result.evidence.push_back("no trace: " + takeError(trace.takeError()).message);
    return Error::success();
  }
  if (Error error = traceStore(verdict, *trace))
    return error;
  if (m_result.phase == codeGenerationPhase)
    compareWithIr(*trace);
  return Error::success();
}

Error Explainer::traceStore(const Verdict &verdict, StringRef trace) {
  Expected<Address> address = findDifference(verdict);
  if (!address)
    return address.takeError();
  if (!*address)
    return Error::success();
  std::optional<StoreOrigin> origin = findStore(trace, **address);
  if (!origin) {
    m_result.evidence.push_back("no instruction writes " + describeDifference(verdict));
    return Error::success();
  }
  noteWriter(verdict, origin->place);
  m_result.instruction = origin->store;
  m_result.slice = std::move(origin->slice);
  return Error::success();
}

void assay::takeFinding(const Verdict &verdict, Localization &result) {
  result.evidence.push_back("the oracle that compares the module before and after this pass "
                            "objects: " +
                            verdict.reason);
  for (const Finding &finding : verdict.findings)
    if (takeDivergence(finding, result))
      return;
}
