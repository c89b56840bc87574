// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/localize/Probes.h"

#include "compiler/spirv/Module.h"
#include "fuzz/program/Definitions.h"
#include "fuzz/program/Probe.h"
#include "harness/localize/Trials.h"
#include "harness/reduce/Subject.h"
#include "harness/triage/Features.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

namespace {

/// A minimised case has a tenth of it.
constexpr size_t mostProbes = 64;
constexpr StringLiteral probeBuffer = "probe";
/// Not even a constant comes into a buffer that is bound behind all others.
constexpr StringLiteral anyStore = "any store";
/// All values are right, and still the case fails or is good again when it is looked at.
constexpr StringLiteral noValue = "no value";

class ValueProber {
public:
  ValueProber(Subject subject, const Predicate &predicate, const PoolOptions &pool,
              const WorkFolder &folder)
      : m_subject(std::move(subject)), m_predicate(predicate), m_pool(pool), m_folder(folder) {}

  Expected<ProbeResult> run();

private:
  bool isSimple() const;
  void makeRoom();
  std::optional<Subject> makeProbed(fuzz::ProbePoint point) const;
  Expected<bool> isWrong(const Subject &probed, unsigned number, bool isFirst);

  Subject m_subject;
  const Predicate &m_predicate;
  const PoolOptions &m_pool;
  const WorkFolder &m_folder;
  uint32_t m_binding = 0;
};

} // namespace

bool ValueProber::isSimple() const {
  auto isLarge = [](const Command &command) {
    const auto *dispatch = std::get_if<Dispatch>(&command);
    return dispatch && any_of(dispatch->groups, [](uint32_t groups) { return groups != 1; });
  };
  return m_subject.programs.size() == 1 && none_of(m_subject.input.commands, isLarge);
}

/// The probe's buffer is the first, so that it is compared before all others; nothing else is
/// expected of the case.
void ValueProber::makeRoom() {
  Case &input = m_subject.input;
  erase_if(input.commands,
           [](const Command &command) { return std::holds_alternative<Expectation>(command); });
  for (Command &command : input.commands)
    if (auto *copy = std::get_if<BufferCopy>(&command)) {
      ++copy->source;
      ++copy->destination;
    }
  for (AddressPatch &patch : input.addresses) {
    ++patch.target;
    ++patch.buffer;
  }
  std::vector<BufferBinding> &bindings = input.pipelines.front().bindings;
  for (BufferBinding &binding : bindings) {
    ++binding.buffer;
    m_binding = std::max(m_binding, binding.binding + 1);
  }
  Buffer buffer;
  buffer.name = probeBuffer.str();
  input.buffers.insert(input.buffers.begin(), std::move(buffer));
  BufferBinding own;
  own.binding = m_binding;
  bindings.push_back(own);
}

static ScalarKind scalarOf(const fuzz::Probe &probe) {
  if (probe.isFloat)
    return probe.width == 64 ? ScalarKind::Float64 : ScalarKind::Float32;
  return probe.width == 64 ? ScalarKind::Uint64 : ScalarKind::Uint32;
}

std::optional<Subject> ValueProber::makeProbed(fuzz::ProbePoint point) const {
  constexpr size_t MostInvocations = 1024; // maxComputeWorkGroupInvocations of what is modelled.
  std::optional<fuzz::Probe> probe =
      fuzz::addProbe(m_subject.programs.front(), point, /*set=*/0, m_binding);
  if (!probe)
    return std::nullopt;
  Subject probed = m_subject;
  Buffer &buffer = probed.input.buffers.front();
  buffer.format = makeDataFormat(scalarOf(*probe), 1, 1, BlockLayout::Std430);
  buffer.bytes.assign(MostInvocations * probe->perInvocation * probe->width / 8, 0);
  probed.programs.front() = std::move(probe->program);
  return probed;
}

/// Not where the module can't be said, or the case is good for nothing any more: then nobody knows.
Expected<bool> ValueProber::isWrong(const Subject &probed, unsigned number, bool isFirst) {
  Expected<std::string> text = printSubject(probed);
  if (!text) {
    consumeError(text.takeError());
    return false;
  }
  std::string path = m_folder.jobFolder("probed", number) + "/case.amber";
  if (Error error = writeFile(path, StringRef(*text)))
    return std::move(error);
  CaseFile file{path, "probed"};
  Trials trials(file, m_predicate, m_pool, m_folder);
  Expected<Verdict> verdict = trials.runCode(JobPasses());
  if (!verdict)
    return verdict.takeError();
  // A run that has no end any more compares nothing: where that is because of the first probe,
  // probes are what goes wrong.
  if (verdict->state == State::Fail && !verdict->firstDifference)
    return isFirst;
  return verdict->state == State::Fail && verdict->firstDifference->buffer == probeBuffer;
}

/// The variable that \p pointer leads into; null where that is not in sight.
static const fuzz::Instruction *findVariable(const fuzz::Definitions &definitions,
                                             fuzz::Id pointer) {
  static constexpr spv::Op steps[] = {spv::Op::OpAccessChain, spv::Op::OpInBoundsAccessChain,
                                      spv::Op::OpPtrAccessChain, spv::Op::OpCopyObject};
  const fuzz::Instruction *instruction = definitions.find(pointer);
  while (instruction && is_contained(steps, instruction->opcode))
    instruction = definitions.find(instruction->word(0));
  return instruction && instruction->opcode == spv::Op::OpVariable ? instruction : nullptr;
}

static std::string describeLoad(spv::BuiltIn builtIn) {
  return "OpLoad " + spirv::builtInName(builtIn);
}

/// " PushConstant", " GlobalInvocationId"; empty where it is not in sight.
static std::string describeSource(const fuzz::Program &program,
                                  const fuzz::Definitions &definitions, fuzz::Id pointer) {
  const fuzz::Instruction *variable = findVariable(definitions, pointer);
  if (!variable)
    return "";
  if (std::optional<uint32_t> builtIn =
          fuzz::findDecoration(program, variable->result, spv::Decoration::BuiltIn))
    return " " + spirv::builtInName(static_cast<spv::BuiltIn>(*builtIn));
  return " " + spirv::storageClassName(static_cast<spv::StorageClass>(variable->word(0)));
}

/// The branch that decides about the block \p label.
static std::string describeBranch(const fuzz::Program &program, fuzz::Id label) {
  for (const fuzz::Function &function : program.functions)
    for (const fuzz::Block &block : function.blocks)
      if (block.successors().size() > 1 && is_contained(block.successors(), label))
        return spirv::opcodeName(block.terminator().opcode);
  return spirv::opcodeName(spv::Op::OpBranch);
}

static std::string describePoint(const fuzz::Program &program, fuzz::ProbePoint point) {
  if (point.isBlock)
    return describeBranch(program, point.id);
  fuzz::Definitions definitions(program);
  const fuzz::Instruction &instruction = *definitions.find(point.id);
  SmallVector<uint32_t> words;
  for (const fuzz::Operand &operand : instruction.operands)
    words.push_back(operand.word);
  std::string kind = instructionKind(instruction.opcode, words);
  return instruction.opcode == spv::Op::OpLoad
             ? kind + describeSource(program, definitions, words.front())
             : kind;
}

static bool isPhi(StringRef operation) {
  return operation == spirv::opcodeName(spv::Op::OpPhi);
}

Expected<ProbeResult> ValueProber::run() {
  ProbeResult result;
  if (!isSimple())
    return result;
  makeRoom();
  const fuzz::Program &program = m_subject.programs.front();
  const fuzz::Function *main = program.findFunction(program.entryPoints.front().word(1));
  // First that the entry point runs at all.
  fuzz::Id entry = main->blocks.front().label;
  std::vector<fuzz::ProbePoint> points = {{entry, /*isBlock=*/true, /*isOfAny=*/true}};
  append_range(points, listProbePoints(program));
  for (fuzz::ProbePoint point : points) {
    // A phi may only say which way control has come: then a block behind it says that, too.
    if (isPhi(result.operation) && !point.isBlock)
      continue;
    std::optional<Subject> subject = makeProbed(point);
    if (!subject)
      continue;
    if (result.runs == mostProbes)
      return result;
    Expected<bool> wrong = isWrong(*subject, result.runs++, point.isOfAny);
    if (!wrong)
      return wrong.takeError();
    if (!*wrong)
      continue;
    result.operation = point.isOfAny       ? anyStore.str()
                       : point.id == entry ? describeLoad(spv::BuiltIn::LocalInvocationIndex)
                                           : describePoint(program, point);
    if (!isPhi(result.operation))
      return result;
  }
  if (result.operation.empty())
    result.operation = noValue.str();
  return result;
}

Expected<ProbeResult> assay::probeValues(const CaseFile &file, const Predicate &predicate,
                                         const PoolOptions &pool, const WorkFolder &folder) {
  Expected<Subject> subject = readSubject(file);
  if (!subject)
    return subject.takeError();
  return ValueProber(std::move(*subject), predicate, pool, folder).run();
}
