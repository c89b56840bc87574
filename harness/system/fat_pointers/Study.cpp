// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/system/fat_pointers/Study.h"

#include "compiler/driver/Compiler.h"
#include "harness/system/fat_pointers/FunctionShader.h"
#include "oracles/fat_pointer/FatPointerOracle.h"
#include "oracles/machine/gcn/GcnMachine.h"
#include "oracles/machine/gcn/memory/BufferDescriptor.h"
#include "oracles/machine/simt/CaseMemory.h"
#include "support/Error.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FormatVariadic.h"
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace assay;
using namespace assay::fat_pointers;

/// Indices of the case's first buffers, which the entry point uses. Those of the trial follow.
enum OwnBuffer : unsigned { PushConstants, Arguments, Results, Lds, FirstOfTrial };
/// Value of each byte of the results before the run.
static constexpr uint8_t unwritten = 0xcd;

namespace {
/// One compiled function and the trials it runs.
class Runner {
public:
  /// \p function is the one as it was written; it must outlive this value, as must \p shader and \p
  /// options.
  Runner(Function &function, const FunctionShader &shader, Artifact artifact,
         const StudyOptions &options);
  /// Runs trial \p number on both machines. True: compared and equal; false: has no meaning (the
  /// reason is kept); an Error says how they differ.
  Expected<bool> run(unsigned number);
  /// Why the last trial had no meaning.
  StringRef getReason() const { return m_reason; }

private:
  /// Bytes of the buffers of OwnBuffer, in their order.
  std::vector<size_t> getOwnSizes() const;
  /// The interpreter gets the addresses and the descriptor flags that the machine uses, so that
  /// pointers have equal bits in both.
  MeaningOptions makeMeaningOptions() const;
  /// A dispatch of one workgroup, whose push constants have the addresses of the other buffers.
  Case makeCase(const Trial &trial) const;
  /// As run(). \p memory is the trial's after the interpreter. A trial that traps must not come to
  /// its end.
  Expected<bool> compare(const ir::RunResult &expected, const ir::Memory &memory,
                         const Outcome &outcome);
  /// Compares the bits that are neither undef nor poison.
  Error compareResults(const ir::RunResult &expected, ArrayRef<uint8_t> results) const;

  Function &m_function;
  const FunctionShader &m_shader;
  std::vector<Artifact> m_artifacts;
  const StudyOptions &m_options;
  std::unique_ptr<Machine> m_machine;
  MeaningOptions m_meaning;
  std::string m_reason;
};
} // namespace

Runner::Runner(Function &function, const FunctionShader &shader, Artifact artifact,
               const StudyOptions &options)
    : m_function(function), m_shader(shader), m_options(options),
      m_machine(createGcnMachine(*options.compile.target)), m_meaning(makeMeaningOptions()) {
  m_artifacts.push_back(std::move(artifact));
}

/// No buffer is empty: records have at least four bytes.
std::vector<size_t> Runner::getOwnSizes() const {
  auto records = [&](const RecordLayout &layout) {
    return std::max<size_t>(size_t(layout.getDwords()) * 4 * m_options.lanes, 4);
  };
  return {PushConstantBytes, records(m_shader.arguments), records(m_shader.results),
          getLdsBytes(m_options.lanes)};
}

/// Buffers of a trial are placed where the machine would place them after the buffers of OwnBuffer.
MeaningOptions Runner::makeMeaningOptions() const {
  unsigned major = m_options.compile.target->major;
  MeaningOptions meaning;
  meaning.seed = m_options.seed;
  meaning.trials = m_options.trials;
  meaning.lanes = m_options.lanes;
  gcn::BufferDescriptor raw = gcn::makeRawBuffer(0, 0, major);
  meaning.ordinaryFloats = true;
  meaning.rawFlags = encodeBufferDescriptor(raw, major)[3];
  gcn::BufferDescriptor strided = raw;
  strided.oobSelect = 0; // Structured: index and offset are checked (GFX10+).
  meaning.stridedFlags = encodeBufferDescriptor(strided, major)[3];
  meaning.place = [sizes = getOwnSizes()](ArrayRef<size_t> ofTrial) {
    std::vector<size_t> all = sizes;
    append_range(all, ofTrial);
    std::vector<uint64_t> addresses = simt::placeBuffers(all);
    addresses.erase(addresses.begin(), addresses.begin() + FirstOfTrial);
    return addresses;
  };
  return meaning;
}

/// Writes the scalars of \p values into \p record, zero-extended to whole dwords in little-endian
/// order. There is one value for each type of \p layout.
static void writeRecord(const RecordLayout &layout, ArrayRef<ir::Value> values,
                        MutableArrayRef<uint8_t> record) {
  for (size_t type = 0; type < layout.size(); ++type)
    for (auto [field, scalar] : zip_equal(layout.getFields(type), values[type])) {
      APInt bits = scalar.bits.zext(alignTo(field.bits, 32));
      for (unsigned dword = 0; dword < bits.getBitWidth() / 32; ++dword)
        support::endian::write32le(&record[(field.dword + size_t(dword)) * 4],
                                   bits.extractBitsAsZExtValue(32, dword * 32));
    }
}

/// Makes a buffer that is listed as unsigned dwords.
static Buffer makeBuffer(std::string name, std::vector<uint8_t> bytes) {
  return {std::move(name), makeDataFormat(ScalarKind::Uint32, 1, 1, BlockLayout::Std430),
          std::move(bytes)};
}

/// Lanes without arguments in the trial get zeros; the count in the push constants excludes them
/// from the call.
Case Runner::makeCase(const Trial &trial) const {
  Case result;
  result.id = m_function.getName().str();
  std::vector<size_t> sizes = getOwnSizes();
  std::vector<uint8_t> constants(sizes[0]);
  support::endian::write32le(&constants[LaneCountByte],
                             static_cast<uint32_t>(trial.arguments.size()));
  result.buffers.push_back(makeBuffer("push constants", std::move(constants)));
  std::vector<uint8_t> arguments(sizes[1]);
  size_t stride = size_t(m_shader.arguments.getDwords()) * 4;
  for (auto [lane, values] : enumerate(trial.arguments))
    writeRecord(m_shader.arguments, values,
                MutableArrayRef(arguments).slice(lane * stride, stride));
  result.buffers.push_back(makeBuffer("arguments", std::move(arguments)));
  result.buffers.push_back(makeBuffer("results", std::vector<uint8_t>(sizes[2], unwritten)));
  std::vector<uint8_t> lds = trial.memory.lds;
  lds.resize(sizes[Lds]);
  result.buffers.push_back(makeBuffer("LDS", std::move(lds)));
  for (auto [index, buffer] : enumerate(trial.memory.buffers))
    result.buffers.push_back(makeBuffer(formatv("buffer {0}", index), buffer.bytes));
  result.addresses.push_back({Arguments, PushConstants, ArgumentsByte, 0});
  result.addresses.push_back({Results, PushConstants, ResultsByte, 0});
  result.addresses.push_back({Lds, PushConstants, LdsByte, 0});
  CasePipeline pipeline;
  pipeline.name = "function";
  pipeline.description.layout = makeResourceLayout({}, PushConstantBytes);
  BufferBinding binding;
  binding.kind = BindingKind::PushConstant;
  binding.buffer = PushConstants;
  pipeline.bindings.push_back(binding);
  result.pipelines.push_back(std::move(pipeline));
  result.commands.push_back(Dispatch{});
  return result;
}

/// Returns the number in hexadecimal with the prefix 0x.
static std::string hexOf(const APInt &bits) {
  SmallString<48> text;
  bits.toString(text, 16, /*Signed=*/false, /*formatAsCLiteral=*/true);
  return text.str().str();
}

/// InvalidInput names lane and scalar of the first difference.
Error Runner::compareResults(const ir::RunResult &expected, ArrayRef<uint8_t> results) const {
  if (m_shader.results.size() == 0)
    return Error::success();
  for (auto [lane, value] : enumerate(expected.returned)) {
    ArrayRef<uint8_t> record = results.drop_front(lane * m_shader.results.getDwords() * 4);
    for (auto [index, field] : enumerate(m_shader.results.getFields(0))) {
      APInt actual(alignTo(field.bits, 32), 0);
      for (unsigned dword = 0; dword < divideCeil(field.bits, 32); ++dword)
        actual.insertBits(support::endian::read32le(&record[(field.dword + size_t(dword)) * 4]),
                          dword * 32, 32);
      actual = actual.trunc(field.bits);
      const ir::Scalar &wanted = value[index];
      APInt known = ir::knownBits(wanted);
      if ((actual & known) != (wanted.bits & known))
        return invalidInput("lane " + Twine(lane) + " returned " + hexOf(actual) + " as scalar " +
                            Twine(index) + ", not " + hexOf(wanted.bits));
    }
  }
  return Error::success();
}

/// InvalidInput with the first byte that differs. \p actual may be longer.
static Error compareLds(ArrayRef<uint8_t> expected, ArrayRef<uint8_t> actual) {
  for (size_t byte = 0; byte < expected.size(); ++byte)
    if (actual[byte] != expected[byte])
      return invalidInput(
          formatv("byte {0} of LDS is {1:x2}, not {2:x2}", byte, actual[byte], expected[byte])
              .str());
  return Error::success();
}

/// InvalidInput with the first byte that differs and is not poison. \p index is that of the trial's
/// buffers.
static Error compareBuffer(size_t index, const ir::BufferMemory &expected,
                           ArrayRef<uint8_t> actual) {
  for (size_t byte = 0; byte < expected.bytes.size(); ++byte) {
    bool isPoison = byte < expected.poison.size() && expected.poison[byte];
    if (!isPoison && actual[byte] != expected.bytes[byte])
      return invalidInput(formatv("byte {0} of buffer {1} is {2:x2}, not {3:x2}", byte, index,
                                  actual[byte], expected.bytes[byte])
                              .str());
  }
  return Error::success();
}

/// False, with a reason, where the machine does not support the code.
Expected<bool> Runner::compare(const ir::RunResult &expected, const ir::Memory &memory,
                               const Outcome &outcome) {
  if (expected.state == ir::RunState::Trapped) {
    if (outcome.kind == OutcomeKind::Completed)
      return invalidInput("gcn came to an end, but " + expected.reason);
    return true;
  }
  if (outcome.kind == OutcomeKind::Unsupported) {
    m_reason = "gcn: " + outcome.reason;
    return false;
  }
  if (outcome.kind != OutcomeKind::Completed)
    return invalidInput("gcn: " + outcome.reason);
  const std::vector<BufferState> &states = outcome.checkpoints.back();
  if (Error error = compareResults(expected, states[Results].bytes))
    return std::move(error);
  if (m_shader.usesLds)
    if (Error error = compareLds(memory.lds, states[Lds].bytes))
      return std::move(error);
  for (auto [index, buffer] : enumerate(memory.buffers))
    if (Error error = compareBuffer(index, buffer, states[FirstOfTrial + index].bytes))
      return std::move(error);
  return true;
}

/// Trials that freeze poison have no meaning, and above level 0 those that read outside of a buffer
/// after a write there.
Expected<bool> Runner::run(unsigned number) {
  Trial trial = makeTrial(m_function, m_meaning, number);
  TrialMeaning meaning = interpretTrial(m_function, trial, m_meaning);
  m_reason = meaning.open;
  if (meaning.result.frozePoison)
    m_reason = "it freezes poison";
  if (meaning.result.readLostWrite && m_options.compile.optLevel > 0)
    m_reason = "it reads outside of a buffer after a write there";
  if (!m_reason.empty())
    return false;
  RunOptions options;
  options.maxInstructions = 4'000'000;
  Expected<Outcome> outcome = m_machine->run(makeCase(trial), m_artifacts, options);
  if (!outcome)
    return outcome.takeError();
  return compare(meaning.result, meaning.memory, *outcome);
}

/// Returns the words of the reports.
StringRef fat_pointers::toString(Treatment treatment) {
  static constexpr const char *names[] = {"ok", "crash", "rejected", "wrong code", "unclear"};
  return names[static_cast<size_t>(treatment)];
}

/// Runs trials until one differs, which is wrong code. Unclear where no trial has a meaning, with
/// the reason of the last one.
static Study runTrials(Runner &runner, const StudyOptions &options) {
  Study result;
  for (unsigned number = 0; number < options.trials; ++number) {
    Expected<bool> same = runner.run(number);
    if (!same)
      return {Treatment::WrongCode,
              formatv("trial {0}: {1}", number, takeError(same.takeError()).message), number};
    result.compared += *same;
  }
  result.treatment = result.compared ? Treatment::Ok : Treatment::Unclear;
  if (!result.compared)
    result.reason = runner.getReason();
  return result;
}

/// Errors of the compiler are Rejected; functions that can't be called from a shader are Unclear.
Study fat_pointers::study(Module &functions, StringRef name, const StudyOptions &options) {
  Expected<FunctionShader> shader =
      makeShader(functions, name, options.compile, options.lanes, getLdsBytes(options.lanes));
  if (!shader)
    return {Treatment::Unclear, takeError(shader.takeError()).message, 0};
  Compiler compiler;
  Expected<CompileResult> compiled =
      compiler.compileIr(shader->ir, options.compile, EmitPhase::Elf);
  if (!compiled)
    return {Treatment::Rejected, takeError(compiled.takeError()).message, 0};
  Artifact artifact(std::move(compiled->output));
  Runner runner(*functions.getFunction(name), *shader, std::move(artifact), options);
  return runTrials(runner, options);
}

/// Prints \p study for the pipe from a child: the number of the treatment, the number of compared
/// trials and the reason, separated by blanks.
static std::string encode(const Study &study) {
  return formatv("{0} {1} {2}", static_cast<int>(study.treatment), study.compared, study.reason);
}

/// The reverse of encode(). Any other text counts as a crash.
static Study decode(StringRef text) {
  Study study;
  unsigned treatment = 0;
  if (text.consumeInteger(10, treatment) || !text.consume_front(" ") ||
      text.consumeInteger(10, study.compared) || !text.consume_front(" ") ||
      treatment > static_cast<unsigned>(Treatment::Unclear))
    return {Treatment::Crash, "the child told nonsense", 0};
  study.treatment = static_cast<Treatment>(treatment);
  study.reason = text.str();
  return study;
}

/// Returns what can be read from the descriptor \p file until the last writer has closed it or an
/// error occurs.
static std::string readAll(int file) {
  std::string text;
  char block[4096];
  ssize_t count = 0;
  while ((count = read(file, block, sizeof block)) > 0 || (count < 0 && errno == EINTR))
    if (count > 0)
      text.append(block, static_cast<size_t>(count));
  return text;
}

/// The child has 60 seconds. A child that dies of a signal, or ends without an answer, is a crash.
/// Unclear where no child can be started.
Study fat_pointers::studyInChild(Module &functions, StringRef name, const StudyOptions &options) {
  int pipes[2];
  if (pipe(pipes) != 0)
    return {Treatment::Unclear, std::strerror(errno), 0};
  constexpr unsigned Seconds = 60;
  pid_t child = fork();
  if (child == 0) {
    close(pipes[0]);
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(nowhere, STDERR_FILENO); // LLVM's own words on its death.
    std::signal(SIGABRT, SIG_DFL);
    std::signal(SIGSEGV, SIG_DFL);
    alarm(Seconds);
    std::string text = encode(study(functions, name, options));
    bool isWritten = write(pipes[1], text.data(), text.size()) == ssize_t(text.size());
    _exit(isWritten ? 0 : 1);
  }
  close(pipes[1]);
  std::string text = child > 0 ? readAll(pipes[0]) : "";
  close(pipes[0]);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child)
    return {Treatment::Unclear, std::strerror(errno), 0};
  if (WIFSIGNALED(status))
    return {Treatment::Crash, strsignal(WTERMSIG(status)), 0};
  if (text.empty())
    return {Treatment::Crash, formatv("ended itself with status {0}", WEXITSTATUS(status)), 0};
  return decode(text);
}
