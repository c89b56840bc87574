// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions and what they share. DecodeGlobals.cpp has types' sizes, constants and variables.
#include "oracles/machine/spirv/Decoder.h"

#include "support/Error.h"
#include <algorithm>

using namespace llvm;
using namespace assay;
using namespace assay::reference;

/// Returns the program of the shader. The program owns the decoded module, because its instructions
/// point into it. Fails where the module cannot be parsed or the machine lacks an instruction that
/// the entry point reaches.
Expected<std::unique_ptr<Program>> Decoder::decode(const ShaderDescription &shader,
                                                   Precision precision) {
  auto program = std::make_unique<Program>();
  Expected<spirv::Module> module = spirv::decode(shader.spirv);
  if (!module)
    return module.takeError();
  program->module = std::move(*module);
  Decoder decoder(shader, precision, *program);
  if (Error error = decoder.run())
    return std::move(error);
  return program;
}

/// Decodes globals, then the functions that the entry point reaches. Loops are counted only if an
/// instruction needs it.
Error Decoder::run() {
  if (module().addressingModel != spv::AddressingModel::Logical &&
      module().addressingModel != spv::AddressingModel::PhysicalStorageBuffer64)
    return unsupported("physical addressing");
  m_program.stage = m_shader.stage;
  const ShaderStageInfo &stage = getStageInfo(m_shader.stage);
  const spirv::EntryPoint *entry = module().findEntryPoint(
      m_shader.entryPoint, static_cast<spv::ExecutionModel>(stage.executionModel));
  if (!entry)
    return invalidInput("no " + stage.name + " entry point '" + m_shader.entryPoint + "'");
  if (Error error = readModes(*entry))
    return error;
  if (Error error = readGlobals())
    return error;
  if (Error error = readEntry(*entry))
    return error;
  sizeStacks();
  if (!m_program.tracksLoops)
    for (Edge &edge : m_program.edges)
      edge.loopsLeft = 0, edge.step = LoopStep::None;
  return Error::success();
}

/// Decodes functions in the order in which calls have named them.
Error Decoder::readEntry(const spirv::EntryPoint &entry) {
  Expected<uint32_t> index = functionIndex(entry.function);
  if (!index)
    return index.takeError();
  m_program.entry = *index;
  // Functions are added while others are decoded.
  for (uint32_t i = 0; i < m_functions.size(); ++i)
    if (Error error = decodeFunction(i))
      return error;
  return Error::success();
}

/// Registers a function when it is first named. InvalidInput for one without a body.
Expected<uint32_t> Decoder::functionIndex(spirv::Id id) {
  if (auto found = m_functionIndex.find(id); found != m_functionIndex.end())
    return found->second;
  const spirv::Function *function = module().findFunction(id);
  if (!function || function->blocks.empty())
    return invalidInput("%" + Twine(id) + " is no function with a body");
  m_functions.push_back(function);
  m_program.functions.emplace_back();
  m_callees.emplace_back();
  return m_functionIndex[id] = static_cast<uint32_t>(m_functions.size() - 1);
}

/// Returns the first slot of each parameter, counted from the beginning of the callee's frame.
Expected<std::vector<uint32_t>> Decoder::parameterSlots(spirv::Id id) {
  std::vector<uint32_t> slots;
  uint32_t next = 0;
  for (const spirv::Instruction &parameter : module().findFunction(id)->parameters) {
    Expected<uint32_t> count = scalarCount(parameter.typeId);
    if (!count)
      return count.takeError();
    slots.push_back(next);
    next += *count;
  }
  return slots;
}

/// Reserves \p count consecutive slots in the frame of the current function and returns the first
/// one. Slots are never released.
uint32_t Decoder::newSlots(uint32_t count) {
  uint32_t first = m_frameSlots;
  m_frameSlots += count;
  return first;
}

/// Unsupported for a global that is lacking, with its reason, and for ids without values.
Expected<uint32_t> Decoder::ref(spirv::Id id) {
  if (auto found = m_locals.find(id); found != m_locals.end())
    return found->second;
  if (auto found = m_constants.find(id); found != m_constants.end())
    return found->second | ConstantBit;
  if (auto found = m_lacking.find(id); found != m_lacking.end())
    return unsupported(found->second);
  return unsupported("operand %" + Twine(id) + " is no value");
}

/// Writes the references of \p ids to the operands of \p inst from index \p first on. Unsupported
/// where they exceed the four operands of an instruction.
Error Decoder::refs(Operands ids, Inst &inst, unsigned first) {
  if (first + ids.size() > 4)
    return unsupported("more operands than expected");
  for (size_t i = 0; i < ids.size(); ++i) {
    Expected<uint32_t> reference = ref(ids[i]);
    if (!reference)
      return reference.takeError();
    inst.op[first + i] = *reference;
  }
  return Error::success();
}

/// Gives each result of a function its slots. All are allocated before any block is decoded,
/// because phis may name later results.
Error Decoder::allocate(const spirv::Function &function) {
  m_locals.clear();
  m_blockIndex.clear();
  m_frameSlots = 0;
  auto add = [&](const spirv::Instruction &inst) -> Error {
    if (!inst.resultId || !inst.typeId)
      return Error::success();
    m_typeOf[inst.resultId] = inst.typeId;
    Expected<uint32_t> count = scalarCount(inst.typeId);
    if (!count)
      return addContext(count.takeError(),
                        spirv::opcodeName(inst.opcode) + " (%" + Twine(inst.resultId) + ")");
    m_locals[inst.resultId] = newSlots(*count);
    return Error::success();
  };
  for (const spirv::Instruction &parameter : function.parameters)
    if (Error error = add(parameter))
      return error;
  for (size_t i = 0; i < function.blocks.size(); ++i) {
    m_blockIndex[function.blocks[i].label] = static_cast<uint32_t>(i);
    for (const spirv::Instruction &inst : function.blocks[i].instructions)
      if (Error error = add(inst))
        return error;
  }
  return Error::success();
}

/// Blocks are laid out in structured order.
Error Decoder::decodeFunction(uint32_t index) {
  m_current = index;
  m_function = m_functions[index];
  if (Error error = allocate(*m_function))
    return error;
  size_t firstEdge = m_program.edges.size();
  m_structure = analyzeStructure(*m_function, [&](spirv::Id selector) {
    const spirv::Type *type = module().findType(typeOf(selector));
    return type && type->width > 32 ? 2u : 1u;
  });
  std::vector<uint32_t> blockStart(m_function->blocks.size());
  FunctionCode code;
  // In structured order, the place of an instruction says which of two is reached first.
  for (uint32_t block : m_structure.order) {
    blockStart[block] = static_cast<uint32_t>(code.code.size());
    if (Error error = decodeBlock(m_function->blocks[block], code))
      return error;
  }
  resolveEdges(firstEdge, blockStart, code);
  code.frameSlots = m_frameSlots;
  m_program.functions[index] = std::move(code);
  return Error::success();
}

/// Edges hold the index of their block until the code of all blocks is there.
void Decoder::resolveEdges(size_t firstEdge, ArrayRef<uint32_t> blockStart,
                           const FunctionCode &code) {
  for (size_t i = firstEdge; i < m_program.edges.size(); ++i) {
    Edge &edge = m_program.edges[i];
    edge.target = blockStart[edge.target];
    edge.to = code.code.data() + edge.target; // Stays where it is when the vector is moved.
  }
}

/// Phis belong to the edges that lead here, and rows without a handler leave no instruction.
Error Decoder::decodeBlock(const spirv::Block &block, FunctionCode &code) {
  m_currentBlock = block.label;
  for (const spirv::Instruction &source : block.instructions) {
    if (source.opcode == spv::Op::OpPhi || source.opcode == spv::Op::OpNop)
      continue;
    Inst inst;
    inst.source = &source;
    inst.rules = rulesForWidth(floatWidthOf(source), source);
    if (source.resultId)
      inst.dst = m_locals.lookup(source.resultId);
    size_t pointers = source.opcode == spv::Op::OpCopyMemory ? 2 : 1;
    inst.isNonUniform = any_of(
        Operands(source.operands).take_front(std::min(pointers, source.size())),
        [&](uint32_t id) { return module().hasDecoration(id, spv::Decoration::NonUniform); });
    if (Error error = decodeInstruction(source, inst))
      return addContext(std::move(error),
                        spirv::opcodeName(source.opcode) +
                            (source.resultId ? " (%" + std::to_string(source.resultId) + ")"
                                             : " at word " + std::to_string(source.wordOffset)));
    if (inst.run)
      code.code.push_back(inst);
  }
  return Error::success();
}

/// Whether \p inst writes to memory outside of its invocation.
static bool hasEffect(const Decoder &decoder, const spirv::Instruction &inst) {
  using spv::StorageClass;
  std::string name = spirv::opcodeName(inst.opcode);
  if (inst.opcode == spv::Op::OpImageWrite || StringRef(name).starts_with("OpAtomic"))
    return true;
  if (inst.opcode != spv::Op::OpStore && inst.opcode != spv::Op::OpCopyMemory)
    return false;
  const spirv::Type *pointer = decoder.module().findType(decoder.typeOf(inst.operand(0)));
  return !pointer || (pointer->storageClass != StorageClass::Function &&
                      pointer->storageClass != StorageClass::Private &&
                      pointer->storageClass != StorageClass::Output);
}

/// Finds the row and has it prepare the operands. Instruction sets that say nothing about values
/// are skipped.
Error Decoder::decodeInstruction(const spirv::Instruction &source, Inst &inst) {
  m_program.hasEffects |= hasEffect(*this, source);
  Operands operands(source.operands);
  const OpRow *row = nullptr;
  inst.kind = kindOf(source.opcode);
  if (source.opcode == spv::Op::OpExtInst) {
    auto import = module().extInstImports.find(operands[0]);
    if (import == module().extInstImports.end())
      return invalidInput("unknown instruction set");
    if (StringRef(import->second).starts_with("NonSemantic.") ||
        import->second == "OpenCL.DebugInfo.100")
      return Error::success(); // Says nothing about values.
    std::optional<ExtendedOp> extended = findExtendedOp(import->second, operands[1]);
    if (!extended)
      return unsupported("instruction set " + import->second);
    if (!extended->row)
      return unsupported(import->second + " instruction " + Twine(operands[1]));
    row = extended->row;
    inst.kind = extended->kind;
    operands = operands.drop_front(2);
  } else {
    row = findOp(source.opcode);
  }
  if (!row)
    return unsupported("not implemented");
  inst.run = row->run;
  if (Error error = row->prepare(*this, operands, inst))
    return error;
  if (inst.kind == InstKind::Value)
    noteValueOperands(operands, inst);
  return Error::success();
}

/// Sets Inst::values. Makes \p inst InstKind::Other if its handler may read more than its operands.
void Decoder::noteValueOperands(Operands operands, Inst &inst) {
  static constexpr uint32_t Most = 255;
  auto countOf = [&](spirv::Id type) -> uint32_t {
    const spirv::Type *known = type ? module().findType(type) : nullptr;
    if (!known || known->kind == spirv::TypeKind::Pointer)
      return 0;
    Expected<uint32_t> count = scalarCount(type);
    if (count)
      return *count <= Most ? *count : 0;
    consumeError(count.takeError());
    return 0;
  };
  ValueShape shape;
  shape.results = static_cast<uint8_t>(countOf(inst.source->typeId));
  bool isKnown = shape.results && !operands.empty() && operands.size() <= std::size(shape.reads);
  for (size_t i = 0; i < operands.size() && isKnown; ++i) {
    Expected<uint32_t> reference = ref(operands[i]);
    shape.reads[i] = static_cast<uint8_t>(countOf(typeOf(operands[i])));
    isKnown = reference && *reference == inst.op[i] && shape.reads[i];
    if (!reference)
      consumeError(reference.takeError());
  }
  if (!isKnown) {
    inst.kind = InstKind::Other;
    return;
  }
  inst.values = static_cast<uint32_t>(m_program.valueShapes.size());
  m_program.valueShapes.push_back(shape);
}

/// The number of an instruction of GLSL.std.450; 0, which no such instruction has, for others.
uint32_t Decoder::glslNumberOf(const spirv::Instruction &source) const {
  if (source.opcode != spv::Op::OpExtInst)
    return 0;
  auto import = module().extInstImports.find(source.operand(0));
  bool isGlsl = import != module().extInstImports.end() && import->second == "GLSL.std.450";
  return isGlsl ? source.operand(1) : 0;
}

/// Adds the decorations RelaxedPrecision and NoContraction to the modes, except under IEEE rules.
FloatRules Decoder::rulesForWidth(unsigned width, const spirv::Instruction &source) const {
  FloatRules rules = m_modes.rulesFor(source.opcode, glslNumberOf(source), width);
  rules.relaxed =
      !rules.isIeee && module().hasDecoration(source.resultId, spv::Decoration::RelaxedPrecision);
  rules.contract =
      !rules.isIeee && !module().hasDecoration(source.resultId, spv::Decoration::NoContraction);
  return rules;
}

/// The width of the floats that an instruction makes or, where it makes none, of those it takes.
unsigned Decoder::floatWidthOf(const spirv::Instruction &source) const {
  auto widthOf = [&](spirv::Id type) -> unsigned {
    if (!module().findType(type))
      return 0;
    const spirv::Type &scalar = scalarType(type);
    return scalar.kind == spirv::TypeKind::Float ? scalar.width : 0;
  };
  if (unsigned width = widthOf(source.typeId))
    return width;
  // In front may stand a number: of an instruction in its set, or of an operation of constants.
  bool isExtended = source.opcode == spv::Op::OpExtInst;
  size_t skipped = isExtended ? 2 : source.opcode == spv::Op::OpSpecConstantOp;
  for (uint32_t id : drop_begin(source.operands, std::min(skipped, source.size())))
    if (unsigned width = widthOf(typeOf(id)))
      return width;
  return 32;
}

/// Each branch has an edge of its own, because the copies depend on where it comes from.
Expected<uint32_t> Decoder::edgeTo(spirv::Id label) {
  auto found = m_blockIndex.find(label);
  if (found == m_blockIndex.end())
    return invalidInput("branch to %" + Twine(label) + ", which is no block of this function");
  Edge edge;
  edge.target = found->second;
  setLoopMoves(m_structure, m_blockIndex.lookup(m_currentBlock), found->second, edge);
  edge.firstCopy = static_cast<uint32_t>(m_program.copies.size());
  if (Error error = collectPhis(m_function->blocks[found->second], m_currentBlock, edge))
    return std::move(error);
  m_program.edges.push_back(edge);
  return static_cast<uint32_t>(m_program.edges.size() - 1);
}

/// Phis that are not read by later ones of the same block need no room between.
static bool canCopyInOrder(ArrayRef<PhiCopy> copies) {
  static constexpr size_t Many = 64; // More are not worth looking at each with each.
  if (copies.size() > Many)
    return false;
  for (size_t i = 0; i < copies.size(); ++i)
    for (const PhiCopy &later : copies.drop_front(i + 1))
      if (later.src < copies[i].dst + copies[i].n && copies[i].dst < later.src + later.n)
        return false;
  return true;
}

/// InvalidInput for a phi without a value for this predecessor.
Error Decoder::collectPhis(const spirv::Block &target, spirv::Id from, Edge &edge) {
  for (const spirv::Instruction &phi : target.instructions) {
    if (phi.opcode != spv::Op::OpPhi)
      break;
    size_t i = 0;
    while (i + 1 < phi.size() && phi.operand(i + 1) != from)
      i += 2;
    if (i + 1 >= phi.size())
      return invalidInput("OpPhi %" + Twine(phi.resultId) + " lacks predecessor %" + Twine(from));
    Expected<uint32_t> source = ref(phi.operand(i));
    Expected<uint32_t> count = scalarCount(phi.typeId);
    if (!source || !count)
      return joinErrors(source.takeError(), count.takeError());
    m_program.copies.push_back({m_locals.lookup(phi.resultId), *source, *count});
    ++edge.copyCount;
  }
  edge.copiesInOrder =
      canCopyInOrder(ArrayRef(m_program.copies).slice(edge.firstCopy, edge.copyCount));
  return Error::success();
}

/// How deep the stack gets below each function, by a walk over the calls; functions that reach
/// themselves are marked, and get no room.
void Decoder::sizeStacks() {
  enum class Mark : uint8_t { New, Open, Finished };
  std::vector<Mark> marks(m_functions.size(), Mark::New);
  auto visit = [&](auto &self, uint32_t index) -> uint32_t {
    FunctionCode &code = m_program.functions[index];
    if (marks[index] == Mark::Open) {
      code.recursive = true;
      return 0;
    }
    if (marks[index] == Mark::Finished)
      return code.stackSlots;
    marks[index] = Mark::Open;
    uint32_t deepest = 0;
    for (uint32_t callee : m_callees[index])
      deepest = std::max(deepest, self(self, callee));
    marks[index] = Mark::Finished;
    return code.stackSlots = code.frameSlots + deepest;
  };
  visit(visit, m_program.entry);
}
