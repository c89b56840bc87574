// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/localize/Probes.h"

#include "compiler/spirv/Module.h"
#include "fuzz/program/Definitions.h"
#include "fuzz/program/Flow.h"
#include "harness/localize/Operations.h"
#include "harness/localize/Places.h"
#include "harness/localize/Trials.h"
#include "harness/reduce/Subject.h"
#include "support/Error.h"
#include "support/File.h"
#include "support/Overloaded.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

namespace {

/// A minimized case has a tenth of it.
constexpr size_t mostProbes = 64;
/// Workgroups of a dispatch.
constexpr uint64_t mostGroups = 64;
/// What the probe's buffer may have; a case of the corpus has less.
constexpr size_t mostProbeBytes = size_t(4) << 20;
/// Not even a constant comes into a buffer that is bound after all others.
constexpr StringLiteral anyStore = "any store";
/// One does, but not as often as invocations should run.
constexpr StringLiteral invocations = "invocations";

/// Built-ins that the hardware gives, and those that are made of them.
struct DerivedBuiltIn {
  spv::BuiltIn derived;
  spv::BuiltIn base;
};
/// A built-in may have several rows.
constexpr DerivedBuiltIn derivedBuiltIns[] = {
    {spv::BuiltIn::LocalInvocationIndex, spv::BuiltIn::LocalInvocationId},
    {spv::BuiltIn::GlobalInvocationId, spv::BuiltIn::LocalInvocationId},
    {spv::BuiltIn::GlobalInvocationId, spv::BuiltIn::WorkgroupId},
};

/// Probes the values of one shader until the first wrong one is named. Each probe is a run of a
/// case with one more store.
class ValueProber {
public:
  ValueProber(Subject subject, const Predicate &predicate, const PoolOptions &pool,
              const WorkFolder &folder);

  /// \p wrongBuffer: see probeValues().
  Expected<ProbeResult> run(StringRef wrongBuffer);

private:
  /// Whether the case can be probed: one compute shader with one entry point, and few workgroups,
  /// the same number in each dispatch.
  bool isSimple() const;
  /// Adds the probe's buffer and its binding to the case, and removes expectations.
  void makeRoom();
  /// The case with a store of what is at \p point; nothing where that can't be stored, or needs too
  /// large a buffer.
  std::optional<Subject> makeProbed(fuzz::ProbePoint point) const;
  Expected<std::optional<ProbeRun>> runSubject(const Subject &subject, StringRef buffer);
  Expected<std::optional<Verdict>> findWrong(fuzz::ProbePoint point);
  /// Probes the start of the shader, then all points.
  Error probeAll();
  Error probeStart();
  Error probeCount(const Verdict &wrong);
  Error probeIndex();
  Error nameProbeStore(StringRef operation);
  /// Probes the points in the order of the module until one is wrong. Calls and phis are explained
  /// by further points.
  Error probePoints();
  /// For comparing which of two values went wrong earlier.
  std::pair<uint64_t, uint64_t> timeOf(fuzz::ProbePoint timed, const Verdict &wrong) const;
  Error probeTimes(fuzz::ProbePoint wrong);
  Error probeEdge(fuzz::ProbePoint phi);
  Error nameWrong(fuzz::ProbePoint point);
  Expected<bool> probeBuiltIn(spv::BuiltIn builtIn);
  Error nameWrites(StringRef wrongBuffer);
  /// Names the write to this buffer as what is wrong.
  Error nameWrite(unsigned buffer);
  Error nameStrayWrites();
  bool markContents();
  RunProbe makeRunner();
  void show(ProbeRun run, StringRef buffer);
  Error probeLoadedPlace(fuzz::ProbePoint point);
  Error probeWrittenPlace(unsigned buffer);
  /// Whether the operation is known.
  bool isDone() const;
  const fuzz::Program &program() const { return m_subject.programs.front(); }
  /// Label of the first block of the entry point.
  fuzz::Id entryBlock() const;

  Subject m_subject;
  Predicate m_predicate;
  const PoolOptions &m_pool;
  const WorkFolder &m_folder;
  fuzz::ProbeTarget m_target;
  /// Of the last run.
  Job m_lastJob;
  unsigned m_runs = 0;     ///< On this machine.
  bool m_isJudged = false; ///< A probe was seen to be right.
  bool m_isWhole = false;  ///< All points were looked at.
  /// Values that were seen to be right.
  DenseSet<fuzz::Id> m_right;
  ProbeResult m_result;
};

} // namespace

ValueProber::ValueProber(Subject subject, const Predicate &predicate, const PoolOptions &pool,
                         const WorkFolder &folder)
    : m_subject(std::move(subject)), m_predicate(predicate), m_pool(pool), m_folder(folder) {
  m_predicate.job.judgedBuffer = probeBuffer.str();
  m_predicate.job.compare = m_predicate.job.ownReference = true;
  m_predicate.state = State::Fail;
}

bool ValueProber::isSimple() const {
  std::optional<std::array<uint32_t, 3>> groups;
  Overloaded isSimple = {
      [&](const Dispatch &dispatch) {
        std::array<uint32_t, 3> own = {dispatch.groups[0], dispatch.groups[1], dispatch.groups[2]};
        if (groups.value_or(own) != own || uint64_t(own[0]) * own[1] > mostGroups ||
            uint64_t(own[0]) * own[1] * own[2] > mostGroups)
          return false;
        groups = own;
        return true;
      },
      [](const Draw &) { return false; }, [](const Clear &) { return false; },
      [](const BufferCopy &) { return true; }, [](const Expectation &) { return true; }};
  if (!all_of(m_subject.input.commands,
              [&](const Command &command) { return std::visit(isSimple, command); }))
    return false;
  return groups && m_subject.programs.size() == 1 && program().entryPoints.size() == 1;
}

/// The probe's buffer is the first, so that it lies at one place whatever its size; nothing is
/// expected of the case.
void ValueProber::makeRoom() {
  Case &input = m_subject.input;
  for (const Command &command : input.commands)
    if (const auto *dispatch = std::get_if<Dispatch>(&command))
      m_target.groups = {dispatch->groups[0], dispatch->groups[1], dispatch->groups[2]};
  erase_if(input.commands,
           [](const Command &command) { return std::holds_alternative<Expectation>(command); });
  forEachBufferNumber(input, [](unsigned &number) { ++number; });
  std::vector<BufferBinding> &bindings = input.pipelines.front().bindings;
  for (const BufferBinding &binding : bindings)
    m_target.binding = std::max(m_target.binding, binding.binding + 1);
  Buffer buffer;
  buffer.name = probeBuffer.str();
  input.buffers.insert(input.buffers.begin(), std::move(buffer));
  BufferBinding own;
  own.binding = m_target.binding;
  bindings.push_back(own);
}

/// The format of the probe's buffer; integers of 64 bits are two of 32.
static ScalarKind scalarOf(const fuzz::Probe &probe) {
  if (probe.isFloat)
    return probe.width == 64 ? ScalarKind::Float64 : ScalarKind::Float32;
  return ScalarKind::Uint32;
}

std::optional<Subject> ValueProber::makeProbed(fuzz::ProbePoint point) const {
  std::optional<fuzz::Probe> probe = fuzz::addProbe(program(), point, m_target);
  size_t bytes = probe ? probe->numbers * probe->width / 8 : 0;
  if (!probe || bytes > mostProbeBytes)
    return std::nullopt;
  Subject probed = m_subject;
  Buffer &buffer = probed.input.buffers.front();
  buffer.format = makeDataFormat(scalarOf(*probe), 1, 1, BlockLayout::Std430);
  buffer.bytes.assign(bytes, unstoredByte);
  probed.programs.front() = std::move(probe->program);
  return probed;
}

/// Judged by \p buffer alone. Nothing where the module can't be said.
Expected<std::optional<ProbeRun>> ValueProber::runSubject(const Subject &subject,
                                                          StringRef buffer) {
  Expected<std::string> text = printSubject(subject);
  if (!text) {
    consumeError(text.takeError());
    return std::nullopt;
  }
  ++m_runs;
  std::string path = m_folder.jobFolder("probed", m_result.runs++) + "/case.amber";
  if (Error error = writeFile(path, StringRef(*text)))
    return std::move(error);
  ProbeRun run{std::move(*text), {path, "probed"}, {}, {}};
  Predicate predicate = m_predicate;
  predicate.job.judgedBuffer = buffer.str();
  predicate.job.keepOutcome = true;
  Trials trials(run.file, predicate, m_pool, m_folder);
  if (Error error = trials.runCode(JobPasses()).moveInto(run.verdict))
    return std::move(error);
  run.job = m_lastJob = trials.lastJob();
  return std::move(run);
}

/// The verdict, where something in the probe's buffer is wrong. Nothing where nothing is, and where
/// the module can't be judged: then nobody knows.
Expected<std::optional<Verdict>> ValueProber::findWrong(fuzz::ProbePoint point) {
  std::optional<Subject> probed = makeProbed(point);
  if (!probed)
    return std::nullopt;
  auto run = runSubject(*probed, probeBuffer);
  if (!run)
    return run.takeError();
  if (!*run)
    return std::nullopt;
  Verdict verdict = (*run)->verdict;
  bool isValue = point.kind == fuzz::ProbeKind::Value || point.kind == fuzz::ProbeKind::Constant;
  m_isJudged |= verdict.state == State::Pass;
  if (verdict.state == State::Pass && isValue)
    m_right.insert(point.id);
  if (verdict.state != State::Fail || !verdict.firstDifference)
    return std::nullopt;
  show(std::move(**run), probeBuffer);
  return std::move(verdict);
}

bool ValueProber::isDone() const {
  return !m_result.operation.empty();
}

fuzz::Id ValueProber::entryBlock() const {
  return program().findFunction(program().entryPoints.front().word(1))->blocks.front().label;
}

/// Whether \p builtIn is wrong, which then is the operation.
Expected<bool> ValueProber::probeBuiltIn(spv::BuiltIn builtIn) {
  auto wrong = findWrong({fuzz::ProbeKind::BuiltIn, 0, builtIn});
  if (!wrong)
    return wrong.takeError();
  if (*wrong) {
    m_result.operation = describeLoad(builtIn);
    m_result.place.clear();
  }
  return wrong->has_value();
}

/// First that the shader runs at all; then what the place of all other values depends on.
Error ValueProber::probeStart() {
  auto wrong = findWrong({fuzz::ProbeKind::Invocations});
  if (!wrong)
    return wrong.takeError();
  if (*wrong)
    return probeCount(**wrong);
  wrong = findWrong({fuzz::ProbeKind::Block, entryBlock()});
  if (!wrong)
    return wrong.takeError();
  if (*wrong)
    return probeIndex();
  // Each has its place, but which?
  wrong = findWrong({fuzz::ProbeKind::BuiltIn, 0, spv::BuiltIn::LocalInvocationIndex});
  if (!wrong)
    return wrong.takeError();
  return *wrong ? probeIndex() : Error::success();
}

/// Names the last run, of a probe whose own store does not arrive: of an array, as probes have it.
Error ValueProber::nameProbeStore(StringRef operation) {
  m_result.operation = operation.str();
  Expected<bool> isElsewhere = isWrittenElsewhere(m_lastJob, /*buffer=*/0);
  if (!isElsewhere)
    return isElsewhere.takeError();
  m_result.place = *isElsewhere ? "array" : "";
  return Error::success();
}

/// \p wrong is of the number of invocations, which specialised constants may have chosen.
Error ValueProber::probeCount(const Verdict &wrong) {
  constexpr uint32_t Unstored = 0x01010101u * unstoredByte;
  if (wrong.firstDifference->actual == std::to_string(Unstored))
    return nameProbeStore(anyStore);
  ProbeResult found = m_result;
  found.operation = invocations.str();
  for (fuzz::ProbePoint point : listProbePoints(program())) {
    if (point.kind != fuzz::ProbeKind::Constant)
      break;
    auto constant = findWrong(point);
    if (!constant)
      return constant.takeError();
    if (*constant)
      return nameWrong(point);
  }
  found.runs = m_result.runs;
  m_result = std::move(found);
  return Error::success();
}

/// A number of each invocation does not come where it should.
Error ValueProber::probeIndex() {
  if (Error error = nameProbeStore(describeStore(spv::StorageClass::StorageBuffer)))
    return error;
  static constexpr spv::BuiltIn builtIns[] = {spv::BuiltIn::LocalInvocationId,
                                              spv::BuiltIn::WorkgroupId,
                                              spv::BuiltIn::LocalInvocationIndex};
  for (spv::BuiltIn builtIn : builtIns) {
    Expected<bool> wrong = probeBuiltIn(builtIn);
    if (!wrong)
      return wrong.takeError();
    if (*wrong)
      return Error::success();
  }
  return Error::success();
}

/// What goes wrong first at \p point, unless that is made of what is wrong already.
Error ValueProber::nameWrong(fuzz::ProbePoint point) {
  ProbeResult found = m_result;
  std::optional<spv::BuiltIn> loaded = findLoadedBuiltIn(program(), point);
  for (const auto &[derived, base] : derivedBuiltIns) {
    if (loaded != derived)
      continue;
    Expected<bool> wrong = probeBuiltIn(base);
    if (!wrong)
      return wrong.takeError();
    if (*wrong)
      return Error::success();
  }
  found.runs = m_result.runs;
  m_result = std::move(found);
  m_result.operation = describePoint(program(), point, m_right);
  return probeLoadedPlace(point);
}

RunProbe ValueProber::makeRunner() {
  return [this](const Subject &subject, StringRef buffer) { return runSubject(subject, buffer); };
}

/// \p run shows what is wrong, judged by the buffer called \p buffer.
void ValueProber::show(ProbeRun run, StringRef buffer) {
  const Finding &finding = run.verdict.findings.front();
  m_result.shown = std::move(run.text);
  m_result.file = std::move(run.file);
  m_predicate.rule = finding.rule;
  m_predicate.signature = finding.signature;
  m_result.predicate = m_predicate;
  m_result.predicate.job.judgedBuffer = buffer.str();
}

/// Where the wrong value at \p point is a load from a buffer: whether it comes from another place
/// of it.
Error ValueProber::probeLoadedPlace(fuzz::ProbePoint point) {
  std::optional<BlockLoad> load = findBlockLoad(program(), point);
  std::optional<Subject> probed = load ? makeProbed(point) : std::nullopt;
  if (!probed)
    return Error::success();
  Expected<bool> isElsewhere = isLoadedElsewhere(std::move(*probed), *load, makeRunner());
  if (!isElsewhere)
    return isElsewhere.takeError();
  if (*isElsewhere)
    m_result.place = load->place;
  return Error::success();
}

/// Whether the operation is \p opcode alone, without a storage class or other words.
static bool isOf(StringRef operation, spv::Op opcode) {
  return operation == spirv::opcodeName(opcode);
}

/// Whether \p point may say why \p wrong, the first value that is wrong, is so: of a phi, a block
/// after it; of a call, what is in its function, which others may call, too. Nothing does where the
/// value that is named is that of another point, which was wrong earlier (probeTimes()).
static bool mayExplain(const fuzz::Program &program, fuzz::ProbePoint wrong,
                       fuzz::ProbePoint point) {
  const fuzz::Definitions definitions(program);
  const fuzz::Instruction *instruction = definitions.find(wrong.id);
  if (instruction->opcode == spv::Op::OpPhi)
    return point.kind == fuzz::ProbeKind::Block;
  if (instruction->opcode != spv::Op::OpFunctionCall)
    return false;
  const fuzz::Function *callee = program.findFunction(instruction->word(0));
  if (point.kind == fuzz::ProbeKind::Block)
    return callee->find(point.id);
  const fuzz::Place *place = definitions.place(point.id);
  return place && &program.functions[place->function] == callee;
}

/// Of a phi whose value is wrong: it may only say which way control has come.
Error ValueProber::probeEdge(fuzz::ProbePoint phi) {
  auto wrong = findWrong({fuzz::ProbeKind::Edge, phi.id});
  if (!wrong)
    return wrong.takeError();
  if (!*wrong)
    return Error::success();
  const fuzz::Definitions definitions(program());
  const fuzz::Place &place = *definitions.place(phi.id);
  fuzz::Id label = program().functions[place.function].blocks[place.block].label;
  m_result.operation = describePoint(program(), {fuzz::ProbeKind::Block, label}, m_right);
  return Error::success();
}

/// A value or a copy.
static bool isTimed(fuzz::ProbePoint point) {
  return point.kind == fuzz::ProbeKind::Value || point.kind == fuzz::ProbeKind::Copied;
}

/// Whether \p timed is made again and again.
static bool isInLoop(const fuzz::Program &program, fuzz::ProbePoint timed) {
  fuzz::Definitions definitions(program);
  const fuzz::Place &place =
      timed.kind == fuzz::ProbeKind::Copied ? timed.place : *definitions.place(timed.id);
  fuzz::Flow flow(program.functions[place.function]);
  return any_of(flow.constructs(), [&](const fuzz::Flow::Construct &construct) {
    return construct.isLoop && construct.blocks.test(place.block);
  });
}

/// Whether both are one place of the module, timed or not.
static bool isSamePoint(fuzz::ProbePoint a, fuzz::ProbePoint b) {
  return a.kind == b.kind && a.id == b.id && a.place.index == b.place.index &&
         a.place.block == b.place.block && a.place.function == b.place.function;
}

/// The invocation that \p wrong, of \p timed, is of, and how often that had made it before.
std::pair<uint64_t, uint64_t> ValueProber::timeOf(fuzz::ProbePoint timed,
                                                  const Verdict &wrong) const {
  uint64_t perInvocation = fuzz::addProbe(program(), timed, m_target)->perInvocation;
  uint64_t element = wrong.firstDifference->element;
  return {element / perInvocation, element % perInvocation * fuzz::probedTimes / perInvocation};
}

/// Of \p wrong, the first in the order of the module, in a loop: something that is after it
/// may have gone wrong in an earlier turn.
Error ValueProber::probeTimes(fuzz::ProbePoint wrong) {
  if (!isTimed(wrong) || !isInLoop(program(), wrong))
    return Error::success();
  ProbeResult found = m_result;
  std::optional<fuzz::ProbePoint> first;
  std::pair<uint64_t, uint64_t> firstTime;
  ProbeResult firstResult;
  DenseSet<fuzz::Id> later; ///< Values that were right until something else was wrong.
  for (fuzz::ProbePoint point : listProbePoints(program())) {
    if (!isTimed(point) || !isInLoop(program(), point) || m_runs >= mostProbes)
      continue;
    point.isTimed = true;
    auto now = findWrong(point);
    if (!now)
      return now.takeError();
    if (!*now)
      continue;
    if (auto time = timeOf(point, **now); first && time >= firstTime) {
      later.insert(point.id);
    } else {
      if (first)
        later.insert(first->id);
      first = point;
      firstTime = time;
      firstResult = m_result;
    }
  }
  bool isOther = first && !isSamePoint(*first, wrong);
  unsigned runs = m_result.runs;
  m_result = isOther ? std::move(firstResult) : std::move(found);
  m_result.runs = runs;
  m_right.insert_range(later);
  return isOther ? nameWrong(*first) : Error::success();
}

Error ValueProber::probePoints() {
  fuzz::ProbePoint first;
  for (fuzz::ProbePoint point : listProbePoints(program())) {
    if (point.id == entryBlock() || (isDone() && !mayExplain(program(), first, point)))
      continue;
    if (m_runs >= mostProbes)
      return Error::success();
    auto wrong = findWrong(point);
    if (!wrong)
      return wrong.takeError();
    if (!*wrong)
      continue;
    if (Error error = nameWrong(point))
      return error;
    if (isOf(m_result.operation, spv::Op::OpPhi))
      if (Error error = probeEdge(point))
        return error;
    if (Error error = probeTimes(point))
      return error;
    if (!isOf(m_result.operation, spv::Op::OpPhi) &&
        !isOf(m_result.operation, spv::Op::OpFunctionCall))
      return Error::success();
    first = point;
  }
  m_isWhole = m_isJudged;
  return Error::success();
}

/// Of buffer number \p buffer: how something is written there, or what decides where.
Error ValueProber::nameWrite(unsigned buffer) {
  m_result.operation = describeTargetOrigin(program(), m_subject.input, buffer, m_right);
  if (isDone())
    return Error::success();
  m_result.operation = describeWrites(program(), m_subject.input, buffer);
  return probeWrittenPlace(buffer);
}

/// All values are right: what does not arrive is what is written.
Error ValueProber::nameWrites(StringRef wrongBuffer) {
  for (auto [index, buffer] : enumerate(m_subject.input.buffers)) {
    if (buffer.name != wrongBuffer)
      continue;
    auto number = static_cast<unsigned>(index);
    return nameWrite(number);
  }
  return Error::success();
}

/// Whether something is written to a place of \p buffer where nothing should be, or the reverse.
Error ValueProber::probeWrittenPlace(unsigned buffer) {
  std::optional<Subject> probed = makeProbed({fuzz::ProbeKind::Invocations});
  std::string place = findWrittenPlace(program(), m_subject.input, buffer);
  if (!probed || place.empty())
    return Error::success();
  Expected<bool> isElsewhere = isWrittenElsewhere(std::move(*probed), buffer, makeRunner());
  if (!isElsewhere)
    return isElsewhere.takeError();
  if (*isElsewhere)
    m_result.place = std::move(place);
  return Error::success();
}

/// Nothing says which buffer is wrong: names the first that something is written elsewhere in.
Error ValueProber::nameStrayWrites() {
  std::optional<Subject> probed = makeProbed({fuzz::ProbeKind::Invocations});
  for (size_t index = 1; probed && index < m_subject.input.buffers.size(); ++index) {
    auto number = static_cast<unsigned>(index);
    std::string place = findWrittenPlace(program(), m_subject.input, number);
    if (place.empty())
      continue;
    std::optional<ProbeRun> last;
    auto run = [&](const Subject &subject, StringRef buffer) {
      Expected<std::optional<ProbeRun>> done = runSubject(subject, buffer);
      if (done)
        last = *done;
      return done;
    };
    Expected<bool> isElsewhere = isWrittenElsewhere(*probed, number, run);
    if (!isElsewhere)
      return isElsewhere.takeError();
    if (!*isElsewhere || last->verdict.findings.empty())
      continue;
    m_result.operation = describeTargetOrigin(program(), m_subject.input, number, m_right);
    if (!isDone())
      m_result.operation = describeOpenAtomic(program(), m_right);
    if (!isDone()) {
      m_result.operation = describeWrites(program(), m_subject.input, number);
      m_result.place = std::move(place);
    }
    show(std::move(*last), m_subject.input.buffers[number].name);
    break;
  }
  return Error::success();
}

/// Gives buffers of zeros contents that tell where they stand. False where there are none.
bool ValueProber::markContents() {
  bool hasMarked = false;
  for (Buffer &buffer : drop_begin(m_subject.input.buffers)) {
    if (buffer.bytes.empty() || any_of(buffer.bytes, [](uint8_t byte) { return byte != 0; }))
      continue;
    markPlaces(buffer.bytes);
    hasMarked = true;
  }
  m_right.clear();
  return hasMarked;
}

Error ValueProber::probeAll() {
  m_runs = 0;
  if (Error error = probeStart())
    return error;
  return isDone() ? Error::success() : probePoints();
}

Expected<ProbeResult> ValueProber::run(StringRef wrongBuffer) {
  if (!isSimple())
    return std::move(m_result);
  makeRoom();
  if (Error error = probeAll())
    return std::move(error);
  // Where no value is wrong, what is uninitialized may be right by chance.
  if (m_isWhole && !isDone() && wrongBuffer.empty() &&
      machineOf(m_predicate.job.machine).takes(ArtifactType::PalElf)) {
    Job code = std::exchange(m_predicate.job, makeIrJob(m_predicate.job));
    if (Error error = probeAll())
      return std::move(error);
    m_predicate.job = std::move(code);
  }
  if (m_isWhole && !isDone())
    if (Error error = nameWrites(wrongBuffer))
      return std::move(error);
  if (m_isWhole && !isDone())
    if (Error error = nameStrayWrites())
      return std::move(error);
  // So may what is loaded from the wrong place.
  if (m_isWhole && !isDone() && markContents())
    if (Error error = probeAll())
      return std::move(error);
  return std::move(m_result);
}

Expected<ProbeResult> assay::probeValues(const CaseFile &file, const Predicate &predicate,
                                         const PoolOptions &pool, const WorkFolder &folder,
                                         StringRef wrongBuffer) {
  Expected<Subject> subject = readSubject(file);
  if (!subject)
    return subject.takeError();
  return ValueProber(std::move(*subject), predicate, pool, folder).run(wrongBuffer);
}
