// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/localize/Repair.h"

#include "harness/localize/CodeChanges.h"
#include "harness/localize/LargerCase.h"
#include "harness/localize/SettingChanges.h"
#include "harness/reduce/Subject.h"
#include "oracles/divergence/CodeTrace.h"
#include "oracles/machine/gcn_isa/TableDecoder.h"
#include "oracles/pal_elf/ElfView.h"
#include "oracles/pal_elf/Metadata.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include <chrono>
#include <cstring>
#include <map>
#include <set>
#include <tuple>

using namespace llvm;
using namespace assay;

/// Changes that are tried, those of the first rows first; a minimized case has fewer.
static constexpr size_t mostTrials = 400;
static constexpr std::chrono::seconds mostTime(60);
/// Tried at a time; between them the clock is asked.
static constexpr size_t batchSize = 40;
/// Kinds that repair the same case: with more, it asks for too little.
static constexpr size_t mostKinds = 4;
/// A change may make a loop that has no end.
static constexpr uint64_t mostInstructions = 1'000'000;
/// A longer trace is not read; instructions are then tried in the order of the code.
static constexpr uint64_t mostTraceBytes = uint64_t(32) << 20;

std::optional<CodeRepair> assay::chooseRepair(ArrayRef<CodeRepair> repairs) {
  std::set<StringRef> kinds;
  for (const CodeRepair &repair : repairs)
    kinds.insert(repair.kind);
  if (kinds.empty() || kinds.size() > mostKinds)
    return std::nullopt;
  return *std::min_element(repairs.begin(), repairs.end(),
                           [](const CodeRepair &a, const CodeRepair &b) {
                             return std::pair(a.row, a.order) < std::pair(b.row, b.order);
                           });
}

uint64_t assay::varyValue(uint64_t value, unsigned bytes, uint64_t index, unsigned variant) {
  uint64_t hash = (index + 1) * 0x9e3779b97f4a7c15 + variant * 0xbf58476d1ce4e5b9;
  hash = (hash ^ hash >> 29) * 0x94d049bb133111eb;
  hash ^= hash >> 32;
  const unsigned bits = bytes * 8;
  const uint64_t numbers[] = {value + 1,        value - 1,        hash % 16, hash,
                              value + hash % 3, value + hash % 8, ~value};
  // Then bit after bit from the top: in a number with an exponent these make the difference.
  constexpr unsigned Numbers = std::size(numbers);
  static_assert(Numbers < variantCount);
  uint64_t varied = variant < Numbers
                        ? numbers[variant]
                        : value ^ uint64_t(1) << (bits - 1 - (variant - Numbers) % bits);
  return varied & maskTrailingOnes<uint64_t>(bits);
}

namespace {

/// The instructions of the entry point.
struct Code {
  std::string bytes;       ///< Of the ELF.
  uint64_t fileOffset = 0; ///< Where pc 0 lies in it.
  gcn::Chip chip = gcn::Chip::Gfx900;
  unsigned waveSize = 64;
  std::vector<gcn::Inst> insts;
};

/// One change of one instruction.
struct Candidate {
  size_t inst; ///< Index into Code::insts.
  /// Place of the instruction among those that ran.
  size_t order;
  CodeChange change;
  /// The ELF with this change, once it is written.
  std::string elfFile = {};
  bool differs = false; ///< In a variant of the case.
};

using Candidates = std::vector<Candidate>;

/// One search for a repair. All trials together take at most mostTime, apart from a batch that has
/// begun.
class Repairer {
public:
  Repairer(const CaseFile &file, const Predicate &predicate, RepairScope scope,
           const PoolOptions &pool, const WorkFolder &folder, unsigned &runs)
      : m_file(file), m_predicate(predicate), m_scope(scope), m_pool(pool), m_folder(folder),
        m_runs(runs), m_trials(file, predicate, pool, folder) {}

  /// As repairCode().
  Expected<RepairSearch> run();

private:
  /// Compiles the case and reads its code.
  Expected<bool> compile();
  /// Whether the compiled ELF, run from a file, shows what the predicate asks for.
  Expected<bool> control();
  /// Tries all changes of the metadata.
  Expected<std::optional<SettingRepair>> repairSetting();
  /// Whether the changed value may be the one that the compiler should have written.
  Expected<bool> isMeant(const SettingChange &change);
  /// Tries changes of instructions, and keeps those that are more than chance.
  Expected<std::optional<CodeRepair>> repairInstruction();
  /// At most mostTrials changes, in the order in which they are tried.
  Expected<Candidates> list();
  /// Writes the ELF with the change of \p candidate.
  Error write(Candidate &candidate, size_t number);
  Expected<std::vector<Verdict>> runElves(const Job &base, ArrayRef<std::string> elves);
  /// Runs the candidates in batches and returns those that repair the case.
  Expected<Candidates> takePassing(const Job &base, MutableArrayRef<Candidate> candidates);
  /// Removes candidates that repair the case by chance.
  Error keepRepairing(Candidates &candidates);
  Expected<std::vector<std::string>> launchLarger(const Candidates &candidates, Growth growth);
  /// The same by cases with more invocations.
  Error keepInLarger(const Subject &subject, Candidates &candidates);
  Expected<std::optional<Job>> makeVariant(const Subject &subject, unsigned variant,
                                           StringRef folder);
  bool isLate() const { return std::chrono::steady_clock::now() - m_begin > mostTime; }
  /// For the result.
  CodeRepair describe(const Candidate &candidate) const;

  const CaseFile &m_file;
  const Predicate &m_predicate;
  const RepairScope m_scope;
  const PoolOptions &m_pool;
  const WorkFolder &m_folder;
  unsigned &m_runs;
  Trials m_trials;
  std::chrono::steady_clock::time_point m_begin = std::chrono::steady_clock::now();
  Code m_code;
  Job m_job; ///< Of the case, with its reference.
};

} // namespace

/// Decodes the entry point of the compute shader in Code::bytes. InvalidInput where there is none.
static Error readCode(StringRef cpu, Code &code) {
  ArrayRef<uint8_t> bytes = arrayRefFromStringRef(code.bytes);
  Expected<ElfView> elf = ElfView::read(bytes);
  Expected<PalMetadata> metadata =
      elf ? readPalMetadata(*elf) : Expected<PalMetadata>(elf.takeError());
  if (!metadata)
    return metadata.takeError();
  const HardwareStageMetadata *stage = metadata->find(".cs");
  const ElfSymbol *entry = stage ? elf->findSymbol(stage->entryPoint) : nullptr;
  const ElfSection *text = entry ? elf->section(entry->section) : nullptr;
  std::optional<gcn::Chip> chip = gcn::findChip(cpu);
  if (!text || !chip || entry->value + entry->size > text->bytes.size())
    return invalidInput("the ELF has no code of a compute shader that is known here");
  code.fileOffset = text->offset;
  code.chip = *chip;
  code.waveSize = stage->wavefrontSize.value_or(code.waveSize);
  code.insts = gcn::TableDecoder(code.chip, code.waveSize)
                   .decodeRange(text->bytes, entry->value, entry->value + entry->size);
  return Error::success();
}

/// False where the case has no code that could be changed.
Expected<bool> Repairer::compile() {
  Expected<std::string> elf = m_trials.compile("elf", JobPasses());
  if (!elf) {
    ErrorParts parts = takeError(elf.takeError());
    if (parts.kind == ErrorKind::Environment)
      return make_error<AssayError>(parts.kind, parts.message);
    return false;
  }
  m_code.bytes = std::move(*elf);
  if (m_scope == RepairScope::Settings)
    return true;
  if (Error error = readCode(m_predicate.job.target, m_code)) {
    consumeError(std::move(error)); // What is wrong with it, others say.
    return false;
  }
  return true;
}

/// Runs of \p base, with each of \p elves.
Expected<std::vector<Verdict>> Repairer::runElves(const Job &base, ArrayRef<std::string> elves) {
  std::vector<Job> jobs;
  for (auto [number, elf] : enumerate(elves)) {
    jobs.push_back(base);
    jobs.back().elfFile = elf;
    jobs.back().folder = m_folder.jobFolder("repair", number);
  }
  m_runs += jobs.size();
  return runJobs(jobs, m_pool);
}

/// What was compiled, from its file, must do what the case was found for. The reference is made for
/// all runs that follow.
Expected<bool> Repairer::control() {
  std::string elf = m_folder.jobFolder("control", 0) + "/elf";
  if (Error error = writeFile(elf, StringRef(m_code.bytes)))
    return std::move(error);
  m_job = m_trials.makeJob();
  m_job.limits.maxInstructions = std::min(m_job.limits.maxInstructions, mostInstructions);
  m_job.elfFile = elf;
  m_job.folder = m_folder.jobFolder("control", 0);
  ++m_runs;
  Expected<std::vector<Verdict>> verdicts = runJobs(m_job, m_pool);
  if (!verdicts)
    return verdicts.takeError();
  if (std::string reference = m_job.ownReferenceFile();
      m_job.ownReference && sys::fs::exists(reference)) {
    m_job.referenceFile = reference;
    m_job.ownReference = false;
  }
  return m_predicate.matches(verdicts->front());
}

/// By pc, the order in which instructions run first. Without a trace, that in which they stand.
static std::map<uint64_t, size_t> orderOf(Expected<std::string> trace, ArrayRef<gcn::Inst> insts) {
  std::map<uint64_t, size_t> order;
  if (trace) {
    for (const TracedStep &step : readCodeTrace(*trace)) {
      StringRef text = step.text;
      uint64_t pc = 0;
      if (text.consume_front("pc ") && takeHex(text, pc))
        order.emplace(pc, order.size());
    }
    return order;
  }
  consumeError(trace.takeError());
  for (const gcn::Inst &inst : insts)
    order.emplace(inst.pc, order.size());
  return order;
}

/// Of all that runs, row by row, and then as it runs.
Expected<Candidates> Repairer::list() {
  std::map<uint64_t, size_t> order = orderOf(m_trials.traceCode(mostTraceBytes), m_code.insts);
  Candidates candidates;
  for (auto [number, inst] : enumerate(m_code.insts)) {
    auto place = order.find(inst.pc);
    if (place == order.end())
      continue;
    for (CodeChange &change : listChanges(inst, m_code.chip, m_code.waveSize))
      candidates.push_back({number, place->second, std::move(change)});
  }
  sort(candidates, [](const Candidate &a, const Candidate &b) {
    return std::tie(a.change.row, a.order, a.change.inst.text) <
           std::tie(b.change.row, b.order, b.change.inst.text);
  });
  if (candidates.size() > mostTrials)
    candidates.resize(mostTrials);
  return std::move(candidates);
}

Error Repairer::write(Candidate &candidate, size_t number) {
  std::string bytes = m_code.bytes;
  const gcn::Inst &inst = candidate.change.inst;
  for (unsigned word = 0; word < inst.size / sizeof(uint32_t); ++word)
    support::endian::write32le(&bytes[m_code.fileOffset + inst.pc + word * sizeof(uint32_t)],
                               inst.words[word]);
  candidate.elfFile = m_folder.jobFolder("changed", number) + "/elf";
  return writeFile(candidate.elfFile, StringRef(bytes));
}

/// Whether nothing is wrong any more. What was wrong with the code itself may be so where the
/// reference leaves all values open.
static bool isRepaired(const Predicate &predicate, const Verdict &verdict) {
  auto isError = [](const Finding &finding) { return finding.severity == Severity::Error; };
  bool isOfCode =
      !predicate.rule.empty() && predicate.rule != "EXPECT" && predicate.rule != "REF-DIFF";
  return verdict.state == State::Pass ||
         (isOfCode && verdict.state == State::Invalid && none_of(verdict.findings, isError));
}

/// The candidates with which \p base passes; those that there is no time for do not.
Expected<Candidates> Repairer::takePassing(const Job &base, MutableArrayRef<Candidate> candidates) {
  Candidates passing;
  for (size_t begin = 0; begin < candidates.size() && !isLate(); begin += batchSize) {
    MutableArrayRef<Candidate> batch =
        candidates.slice(begin, std::min(batchSize, candidates.size() - begin));
    Expected<std::vector<Verdict>> verdicts =
        runElves(base, map_to_vector(batch, [](const Candidate &each) { return each.elfFile; }));
    if (!verdicts)
      return verdicts.takeError();
    for (auto [candidate, verdict] : zip_equal(batch, *verdicts)) {
      if (isRepaired(m_predicate, verdict))
        passing.push_back(candidate);
      candidate.differs |= verdict.firstDifference.has_value();
    }
  }
  return std::move(passing);
}

/// Changes each scalar of each buffer by varyValue().
static void varyBuffers(Case &input, unsigned variant) {
  for (Buffer &buffer : input.buffers) {
    unsigned bytes = scalarBytes(buffer.format.scalar);
    for (size_t at = 0; at + bytes <= buffer.bytes.size(); at += bytes) {
      uint64_t value = 0;
      std::memcpy(&value, &buffer.bytes[at], bytes); // Hosts are little-endian.
      value = varyValue(value, bytes, at / bytes, variant);
      std::memcpy(&buffer.bytes[at], &value, bytes);
    }
  }
}

/// A job of \p subject with other contents, judged by the reference alone. Nothing where such a
/// case can't be said.
Expected<std::optional<Job>> Repairer::makeVariant(const Subject &subject, unsigned variant,
                                                   StringRef folder) {
  Subject varied = subject;
  varyBuffers(varied.input, variant);
  Expected<std::string> text = printSubject(varied);
  if (!text) {
    consumeError(text.takeError());
    return std::nullopt;
  }
  Job job = m_job;
  job.casePath = m_folder.jobFolder(folder, variant) + "/case.amber";
  job.referenceFile.clear();
  job.compare = job.ownReference = true;
  if (Error error = writeFile(job.casePath, StringRef(*text)))
    return std::move(error);
  return std::move(job);
}

/// Of several that repair the case, most do so by chance: in a case that asks for one number many
/// instructions can be bent to give it. Those are left that pass most variants. Of a variant that
/// none passes nothing is said of opcodes: more than one instruction may be wrong in the same way.
/// Operands are too many for that.
Error Repairer::keepRepairing(Candidates &candidates) {
  Expected<Subject> subject = readSubject(m_file);
  if (!subject) {
    consumeError(subject.takeError());
    return Error::success();
  }
  erase_if(subject->input.commands,
           [](const Command &command) { return std::holds_alternative<Expectation>(command); });
  auto isOpen = [&] {
    return candidates.size() > 1 || (candidates.size() == 1 && !candidates[0].change.isOpcode);
  };
  for (unsigned variant = 0; variant < variantCount && isOpen(); ++variant) {
    auto made = makeVariant(*subject, variant, "variant");
    if (!made)
      return made.takeError();
    const std::optional<Job> &job = *made;
    if (!job)
      continue;
    Expected<Candidates> passing = takePassing(*job, candidates);
    if (!passing)
      return passing.takeError();
    if (isLate())
      break;
    if (!passing->empty())
      candidates = std::move(*passing);
  }
  erase_if(candidates, [](const Candidate &each) { return each.differs && !each.change.isOpcode; });
  return keepInLarger(*subject, candidates);
}

/// The ELFs of \p candidates, launched as the case that has grown; empty where they can't be.
Expected<std::vector<std::string>> Repairer::launchLarger(const Candidates &candidates,
                                                          Growth growth) {
  std::vector<std::string> elves;
  for (auto [number, candidate] : enumerate(candidates)) {
    Expected<std::vector<uint8_t>> bytes = readFileBytes(candidate.elfFile);
    if (!bytes)
      return bytes.takeError();
    std::optional<std::vector<uint8_t>> grown = growLaunch(*bytes, growth);
    if (!grown)
      return std::vector<std::string>();
    elves.push_back(m_folder.jobFolder("grown", number) + "/elf");
    if (Error error = writeFile(elves.back(), toStringRef(*grown)))
      return std::move(error);
  }
  return std::move(elves);
}

/// And those that pass where more happens, if any does: what was compiled for fewer invocations
/// need not be right for more.
Error Repairer::keepInLarger(const Subject &subject, Candidates &candidates) {
  constexpr unsigned Contents = 3; // All numbers are others.
  for (Growth growth : {Growth::Invocations, Growth::Workgroups}) {
    std::optional<Subject> grown = growCase(subject, growth);
    if (candidates.size() < 2 || !grown || isLate())
      continue;
    auto job = makeVariant(*grown, Contents, "larger");
    if (!job)
      return job.takeError();
    Expected<std::vector<std::string>> elves = launchLarger(candidates, growth);
    if (!elves)
      return elves.takeError();
    if (!*job || elves->empty())
      continue;
    Expected<std::vector<Verdict>> verdicts = runElves(**job, *elves);
    if (!verdicts)
      return verdicts.takeError();
    Candidates passing;
    for (auto [candidate, verdict] : zip_equal(candidates, *verdicts))
      if (isRepaired(m_predicate, verdict))
        passing.push_back(candidate);
    if (!passing.empty())
      candidates = std::move(passing);
  }
  return Error::success();
}

CodeRepair Repairer::describe(const Candidate &candidate) const {
  const gcn::Inst &inst = m_code.insts[candidate.inst];
  return {candidate.change.row, candidate.order, candidate.change.kind.str(),
          "pc 0x" + utohexstr(inst.pc, /*LowerCase=*/true) + ": " + inst.text,
          candidate.change.inst.text};
}

/// Whether LLVM was asked for that. What LLVM got may not be had; then it was.
Expected<bool> Repairer::isMeant(const SettingChange &change) {
  Expected<std::string> module = m_trials.compile("llvm", JobPasses());
  if (module)
    return mayBeMeant(change, arrayRefFromStringRef(m_code.bytes), *module);
  ErrorParts parts = takeError(module.takeError());
  if (parts.kind == ErrorKind::Environment)
    return make_error<AssayError>(parts.kind, parts.message);
  return true;
}

/// The first, row by row: where one is wrong, most others are no way out.
Expected<std::optional<SettingRepair>> Repairer::repairSetting() {
  std::vector<SettingChange> changes = listSettingChanges(arrayRefFromStringRef(m_code.bytes));
  std::vector<std::string> elves;
  for (auto [number, change] : enumerate(changes)) {
    elves.push_back(m_folder.jobFolder("setting", number) + "/elf");
    if (Error error = writeFile(elves.back(), toStringRef(change.elf)))
      return std::move(error);
  }
  Expected<std::vector<Verdict>> verdicts = runElves(m_job, elves);
  if (!verdicts)
    return verdicts.takeError();
  for (auto [change, verdict] : zip_equal(changes, *verdicts)) {
    if (!isRepaired(m_predicate, verdict))
      continue;
    Expected<bool> isCause = isMeant(change);
    if (!isCause)
      return isCause.takeError();
    if (*isCause)
      return SettingRepair{change.key.str(), change.changed, change.stage.str()};
  }
  return std::nullopt;
}

Expected<std::optional<CodeRepair>> Repairer::repairInstruction() {
  Expected<Candidates> candidates = list();
  if (!candidates)
    return candidates.takeError();
  for (auto [number, candidate] : enumerate(*candidates))
    if (Error error = write(candidate, number))
      return std::move(error);
  candidates = takePassing(m_job, *candidates);
  if (!candidates)
    return candidates.takeError();
  if (Error error = keepRepairing(*candidates))
    return std::move(error);
  if (isLate()) // What is left depends on how busy the machine is.
    return std::nullopt;
  return chooseRepair(
      map_to_vector(*candidates, [&](const Candidate &candidate) { return describe(candidate); }));
}

Expected<RepairSearch> Repairer::run() {
  scope_exit count([&] { m_runs += m_trials.runs(); });
  for (auto step : {&Repairer::compile, &Repairer::control}) {
    Expected<bool> isPossible = (this->*step)();
    if (!isPossible)
      return isPossible.takeError();
    if (!*isPossible)
      return RepairSearch();
  }
  RepairSearch search;
  if (Error error = repairSetting().moveInto(search.setting))
    return std::move(error);
  if (!search.setting && m_scope == RepairScope::All)
    if (Error error = repairInstruction().moveInto(search.repair))
      return std::move(error);
  return std::move(search);
}

Expected<RepairSearch> assay::repairCode(const CaseFile &file, const Predicate &predicate,
                                         RepairScope scope, const PoolOptions &pool,
                                         const WorkFolder &folder, unsigned &runs) {
  return Repairer(file, predicate, scope, pool, folder, runs).run();
}
