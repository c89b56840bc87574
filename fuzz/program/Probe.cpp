// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/program/Probe.h"

#include "fuzz/program/Pool.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

namespace {

/// LocalInvocationIndex is below it: maxComputeWorkGroupInvocations of what is modelled.
constexpr uint32_t groupInvocations = 1024;
/// The first is the count of invocations; in the others is seen what goes astray.
constexpr size_t countNumbers = 16;
/// Of a built-in's components, sums over all invocations of these products: first, second (or
/// none). Swapped, repeated and garbled values give other sums.
constexpr std::pair<uint8_t, int8_t> moments[] = {{0, -1}, {1, -1}, {2, -1}, {0, 0}, {1, 1},
                                                  {2, 2},  {0, 1},  {0, 2},  {1, 2}, {0, 3}};

/// A number or boolean inside of a value, or one of the words of a number.
struct Leaf {
  Id type = 0;
  SmallVector<uint32_t, 2> path; ///< Of OpCompositeExtract; empty: the value itself.
  unsigned word = 0;             ///< Of a number that has two, and is stored in words.
};

/// Inserts one probe into the program of m_probe. run() collects the leaves first, as each emit
/// call may add globals and invalidate what Definitions has.
class Prober {
public:
  Prober(Probe &probe, ProbePoint point, const ProbeTarget &target)
      : m_probe(probe), m_pool(probe.program), m_point(point), m_target(target) {}

  /// Returns false if the point cannot be probed; m_probe must not be used then.
  bool run();

private:
  bool collectAll(const Definitions &definitions);
  bool collectCopied(const Definitions &definitions);
  bool collect(Id type, SmallVector<uint32_t, 2> path);
  Id storedType(Id type);
  void addBuffer();
  Id wordType() { return m_pool.intType(32, false); }
  /// Appends an instruction to m_code and returns its result; 0 without a type.
  Id emit(spv::Op opcode, Id type, ArrayRef<Operand> operands);
  Id emitSum(Id sum, Id number, uint32_t factor);
  SmallVector<Id, 4> emitComponents(spv::BuiltIn builtIn, unsigned count);
  void emitMoments();
  Id emitIndex();
  Id emitPlace(Id index);
  Id emitNumber(const Leaf &leaf);
  Id emitTime();
  void emitStores(Id first);
  void emitAtomic(spv::Op opcode, uint32_t number, Id value);
  uint32_t sharedScope() const;
  uint32_t countGroups() const;
  Id noteEdges(const Place &phi);
  Id makeValue(std::optional<Place> definition);
  void emitCode();
  void insert(std::optional<Place> definition);
  Block *findBlock();

  /// Larger composites are not probed.
  static constexpr size_t mostLeaves = 64;

  Probe &m_probe;
  Pool m_pool;
  const ProbePoint m_point;
  const ProbeTarget &m_target;
  Id m_value = 0;      ///< Set where code is written.
  Id m_copiedType = 0; ///< Of what is copied.
  std::vector<Leaf> m_leaves;
  Id m_stored = 0, m_buffer = 0;         ///< Type of the numbers; variable.
  std::vector<Instruction> m_code;       ///< Of the probe, to be inserted at once.
  std::optional<Instruction> m_variable; ///< Of the function, where code needs one.
};

} // namespace

/// Number of OpFunctionCall instructions that name a function.
using CallCounts = DenseMap<Id, unsigned>;

/// Counts the calls in the whole program, unreachable ones included.
static CallCounts countCalls(const Program &program) {
  CallCounts counts;
  for (const Function &function : program.functions)
    for (const Block &block : function.blocks)
      for (const Instruction &each : block.body)
        if (each.opcode == spv::Op::OpFunctionCall)
          ++counts[each.word(0)];
  return counts;
}

/// Those of \p function, and those of what it alone calls, once, before the value of the call.
static void addPoints(const Program &program, const Function &function, const CallCounts &calls,
                      std::vector<ProbePoint> &points) {
  auto number = static_cast<size_t>(&function - program.functions.data());
  for (auto [blockNumber, block] : enumerate(function.blocks)) {
    points.push_back({ProbeKind::Block, block.label});
    for (auto [index, each] : enumerate(block.body)) {
      if (each.opcode == spv::Op::OpCopyMemory)
        points.push_back({ProbeKind::Copied, each.word(1), {}, {number, blockNumber, index}});
      if (each.opcode == spv::Op::OpFunctionCall && calls.lookup(each.word(0)) == 1)
        addPoints(program, *program.findFunction(each.word(0)), calls, points);
      if (each.result && each.type && each.opcode != spv::Op::OpUndef)
        points.push_back({ProbeKind::Value, each.result});
    }
  }
}

std::vector<ProbePoint> listProbePoints(const Program &program) {
  std::vector<ProbePoint> points;
  for (const Instruction &global : program.globals)
    if (isSpecialization(global.opcode))
      points.push_back({ProbeKind::Constant, global.result});
  CallCounts calls = countCalls(program);
  for (const Instruction &entryPoint : program.entryPoints)
    addPoints(program, *program.findFunction(entryPoint.word(1)), calls, points);
  for (const Function &function : program.functions)
    if (calls.lookup(function.result()) > 1)
      addPoints(program, function, calls, points);
  return points;
}

/// The type that numbers of scalar \p type are stored as. An interval that the reference allows
/// a float would not outlive a cast.
Id Prober::storedType(Id type) {
  const Instruction definition = m_pool.definition(type);
  if (definition.opcode != spv::Op::OpTypeFloat || m_point.kind == ProbeKind::Constant)
    return wordType();
  return definition.word(0) < 32 ? m_pool.floatType(32) : type;
}

/// False for what can't be stored, or is too much.
bool Prober::collect(Id type, SmallVector<uint32_t, 2> path) {
  const Instruction definition = m_pool.definition(type);
  size_t parts = 0;
  switch (definition.opcode) {
  case spv::Op::OpTypeInt:
  case spv::Op::OpTypeFloat:
    if (definition.word(0) == 64 && storedType(type) != type)
      m_leaves.push_back({type, path, /*word=*/1});
    [[fallthrough]];
  case spv::Op::OpTypeBool:
    m_leaves.push_back({type, std::move(path)});
    return m_leaves.size() <= mostLeaves;
  case spv::Op::OpTypeVector:
  case spv::Op::OpTypeMatrix:
    parts = definition.word(1);
    break;
  case spv::Op::OpTypeArray:
    if (m_pool.definition(definition.word(1)).opcode != spv::Op::OpConstant)
      return false;
    parts = m_pool.definition(definition.word(1)).word(0);
    break;
  case spv::Op::OpTypeStruct:
    parts = definition.operands.size();
    break;
  default:
    return false;
  }
  bool isStruct = definition.opcode == spv::Op::OpTypeStruct;
  for (size_t part = 0; part < parts; ++part) {
    SmallVector<uint32_t, 2> inner = path;
    inner.push_back(static_cast<uint32_t>(part));
    if (!collect(definition.word(isStruct ? part : 0), std::move(inner)))
      return false;
  }
  return true;
}

/// Declares the storage buffer of results, a runtime array of m_stored, at the target's descriptor.
void Prober::addBuffer() {
  constexpr uint32_t Version13 = 0x00010300;
  if (m_probe.program.version < Version13)
    m_pool.extension("SPV_KHR_storage_buffer_storage_class");
  Id block = m_pool.structType({m_pool.runtimeArrayType(m_stored, m_probe.width / 8)});
  m_pool.decorate(block, spv::Decoration::Block);
  m_pool.decorateMember(block, 0, spv::Decoration::Offset, {0});
  m_buffer = m_pool.variable(m_pool.pointerType(spv::StorageClass::StorageBuffer, block),
                             spv::StorageClass::StorageBuffer);
  m_pool.decorate(m_buffer, spv::Decoration::DescriptorSet, {m_target.set});
  m_pool.decorate(m_buffer, spv::Decoration::Binding, {m_target.binding});
}

Id Prober::emit(spv::Op opcode, Id type, ArrayRef<Operand> operands) {
  Id result = type ? m_probe.program.fresh() : 0;
  m_code.push_back({opcode, type, result, SmallVector<Operand, 4>(operands)});
  return result;
}

/// \p sum, or nothing where that is 0, and \p number times \p factor.
Id Prober::emitSum(Id sum, Id number, uint32_t factor) {
  if (factor != 1)
    number = emit(spv::Op::OpIMul, wordType(), {id(number), id(m_pool.number(factor))});
  return sum ? emit(spv::Op::OpIAdd, wordType(), {id(sum), id(number)}) : number;
}

/// The first \p count components of \p builtIn, or it, as words.
SmallVector<Id, 4> Prober::emitComponents(spv::BuiltIn builtIn, unsigned count) {
  Id variable =
      m_pool.builtIn(builtIn, count > 1 ? m_pool.vectorType(wordType(), count) : wordType());
  Id type = m_pool.definition(m_pool.definition(variable).type).word(1);
  Id value = emit(spv::Op::OpLoad, type, {id(variable)});
  bool isVector = m_pool.definition(type).opcode == spv::Op::OpTypeVector;
  Id component = isVector ? m_pool.definition(type).word(0) : type;
  SmallVector<Id, 4> components;
  for (unsigned i = 0; i < count; ++i) {
    Id part = value;
    if (isVector)
      part = emit(spv::Op::OpCompositeExtract, component, {id(value), literal(i)});
    if (component != wordType())
      part = emit(spv::Op::OpBitcast, wordType(), {id(part)});
    components.push_back(part);
  }
  return components;
}

/// Of the built-in to look at.
void Prober::emitMoments() {
  bool isIndex = m_point.builtIn == spv::BuiltIn::LocalInvocationIndex;
  SmallVector<Id, 4> components = emitComponents(m_point.builtIn, isIndex ? 1 : 3);
  if (isIndex) // Sums of an index alone are those of any order.
    append_range(components, emitComponents(spv::BuiltIn::LocalInvocationId, 3));
  m_probe.numbers = std::size(moments);
  for (auto [number, moment] : enumerate(moments)) {
    auto [first, second] = moment;
    if (first >= components.size() || second >= static_cast<int>(components.size()))
      continue;
    Id value = components[first];
    if (second >= 0)
      value = emit(spv::Op::OpIMul, wordType(), {id(value), id(components[second])});
    emitAtomic(spv::Op::OpAtomicIAdd, static_cast<uint32_t>(number), value);
  }
}

/// Workgroups of a dispatch.
uint32_t Prober::countGroups() const {
  return m_target.groups[0] * m_target.groups[1] * m_target.groups[2];
}

/// Of the invocation's first number.
Id Prober::emitIndex() {
  const std::array<uint32_t, 3> &groups = m_target.groups;
  Id index = emitSum(0, emitComponents(spv::BuiltIn::LocalInvocationIndex, 1).front(),
                     m_probe.perInvocation);
  if (countGroups() == 1)
    return index;
  const uint32_t perGroup = groupInvocations * m_probe.perInvocation;
  const uint32_t steps[] = {1, groups[0], groups[0] * groups[1]};
  for (auto [number, component] : enumerate(emitComponents(spv::BuiltIn::WorkgroupId, 3)))
    if (groups[number] > 1)
      index = emitSum(index, component, steps[number] * perGroup);
  return index;
}

/// Returns a pointer to number \p index of the buffer.
Id Prober::emitPlace(Id index) {
  Id pointer = m_pool.pointerType(spv::StorageClass::StorageBuffer, m_stored);
  return emit(spv::Op::OpAccessChain, pointer, {id(m_buffer), id(m_pool.number(0)), id(index)});
}

/// Extracts the leaf from m_value and converts it to m_stored: booleans to 0 or 1, narrow integers
/// zero-extended, halves to floats, 64-bit integers to the wanted word.
Id Prober::emitNumber(const Leaf &leaf) {
  Id part = m_value;
  if (!leaf.path.empty()) {
    SmallVector<Operand, 4> operands = {id(m_value)};
    append_range(operands, map_range(leaf.path, literal));
    part = emit(spv::Op::OpCompositeExtract, leaf.type, operands);
  }
  Instruction type = m_pool.definition(leaf.type);
  if (type.opcode == spv::Op::OpTypeBool)
    return emit(spv::Op::OpSelect, m_stored,
                {id(part), id(m_pool.number(1)), id(m_pool.number(0))});
  if (type.opcode == spv::Op::OpTypeFloat && type.word(0) < 32) {
    type = m_pool.definition(m_pool.floatType(32));
    part = emit(spv::Op::OpFConvert, type.result, {id(part)});
  }
  if (type.result == m_stored)
    return part;
  if (type.word(0) < 32)
    return emit(spv::Op::OpUConvert, m_stored, {id(part)});
  if (type.word(0) == 32)
    return emit(spv::Op::OpBitcast, m_stored, {id(part)});
  Id words = emit(spv::Op::OpBitcast, m_pool.vectorType(m_stored, 2), {id(part)});
  return emit(spv::Op::OpCompositeExtract, m_stored, {id(words), literal(leaf.word)});
}

/// How often the invocation has been here before, at most probedTimes - 1: counted in a block of
/// its own, as no variable of the program is.
Id Prober::emitTime() {
  Id structure = m_pool.structType({wordType()});
  Id variable = m_pool.variable(m_pool.pointerType(spv::StorageClass::Private, structure),
                                spv::StorageClass::Private, m_pool.constantNull(structure));
  Id pointer =
      emit(spv::Op::OpAccessChain, m_pool.pointerType(spv::StorageClass::Private, wordType()),
           {id(variable), id(m_pool.number(0))});
  Id count = emit(spv::Op::OpLoad, wordType(), {id(pointer)});
  emit(spv::Op::OpStore, 0, {id(pointer), id(emitSum(count, m_pool.number(1), 1))});
  Id most = m_pool.number(probedTimes - 1);
  Id isEarly = emit(spv::Op::OpULessThan, m_pool.boolType(), {id(count), id(most)});
  return emit(spv::Op::OpSelect, wordType(), {id(isEarly), id(count), id(most)});
}

/// Stores all leaves to consecutive numbers from \p first on; timed points have one such group for
/// each time.
void Prober::emitStores(Id first) {
  if (m_point.isTimed)
    first = emitSum(first, emitTime(), static_cast<uint32_t>(m_leaves.size()));
  for (auto [number, leaf] : enumerate(m_leaves)) {
    Id value = emitNumber(leaf);
    Id index = number ? emitSum(first, m_pool.number(static_cast<uint32_t>(number)), 1) : first;
    emit(spv::Op::OpStore, 0, {id(emitPlace(index)), id(value)});
  }
}

/// What all workgroups of the dispatch are in.
uint32_t Prober::sharedScope() const {
  if (countGroups() == 1)
    return uint32_t(spv::Scope::Workgroup);
  bool isVulkan = m_probe.program.memoryModel.front().word(1) == uint32_t(spv::MemoryModel::Vulkan);
  // Device would need a capability there.
  return uint32_t(isVulkan ? spv::Scope::QueueFamily : spv::Scope::Device);
}

/// All invocations do so at the same place.
void Prober::emitAtomic(spv::Op opcode, uint32_t number, Id value) {
  Id place = emitPlace(m_pool.number(number));
  emit(opcode, m_stored,
       {id(place), id(m_pool.number(sharedScope())), id(m_pool.number(0)), id(value)});
}

/// The one to look at, or the entry point's first.
Block *Prober::findBlock() {
  Program &program = m_probe.program;
  if (m_point.kind != ProbeKind::Block)
    return &program.findFunction(program.entryPoints.front().word(1))->blocks.front();
  for (Function &function : program.functions)
    if (Block *block = function.find(m_point.id))
      return block;
  return nullptr;
}

/// After the definition, or in front of the copy; of a constant, at the beginning of the entry
/// point.
void Prober::insert(std::optional<Place> definition) {
  Program &program = m_probe.program;
  Block &block =
      definition ? program.functions[definition->function].blocks[definition->block] : *findBlock();
  bool isBefore = m_point.kind == ProbeKind::Copied;
  size_t index = std::max(definition ? definition->index + !isBefore : 0, block.firstOrdinary());
  block.body.insert(block.body.begin() + static_cast<ptrdiff_t>(index), m_code.begin(),
                    m_code.end());
  if (!m_variable)
    return;
  std::vector<Instruction> &entry = program.functions[definition->function].blocks.front().body;
  entry.insert(entry.begin(), *m_variable);
}

/// A load of a physical address would need an alignment.
bool Prober::collectCopied(const Definitions &definitions) {
  const Instruction *pointer = definitions.typeInstruction(m_point.id);
  if (!pointer || pointer->opcode != spv::Op::OpTypePointer ||
      pointer->word(0) == uint32_t(spv::StorageClass::PhysicalStorageBuffer))
    return false;
  m_copiedType = pointer->word(1);
  return collect(m_copiedType, {}) && !m_leaves.empty();
}

/// Fills m_leaves for the point's kind. Blocks, edges and counts store a single word.
bool Prober::collectAll(const Definitions &definitions) {
  if (m_point.kind == ProbeKind::Value || m_point.kind == ProbeKind::Constant)
    return collect(definitions.typeOf(m_point.id), {}) && !m_leaves.empty();
  if (m_point.kind == ProbeKind::Copied)
    return collectCopied(definitions);
  m_leaves.push_back({wordType(), {}});
  if (m_point.kind == ProbeKind::Edge)
    return definitions.find(m_point.id)->opcode == spv::Op::OpPhi;
  return findBlock() != nullptr;
}

bool Prober::run() {
  Definitions definitions(m_probe.program); // Until the pool changes the program.
  std::optional<Place> definition;
  bool isPlaced = m_point.kind == ProbeKind::Value || m_point.kind == ProbeKind::Edge;
  if (const Place *place = isPlaced ? definitions.place(m_point.id) : nullptr)
    definition = *place;
  if (m_point.kind == ProbeKind::Copied)
    definition = m_point.place;
  if (m_probe.program.entryPoints.size() != 1 || !collectAll(definitions))
    return false;
  m_stored = storedType(m_leaves.front().type);
  erase_if(m_leaves, [&](const Leaf &leaf) { return storedType(leaf.type) != m_stored; });
  m_probe.isFloat = m_pool.definition(m_stored).opcode == spv::Op::OpTypeFloat;
  m_probe.width = m_pool.definition(m_stored).word(0);
  addBuffer();
  m_value = makeValue(definition);
  emitCode();
  insert(definition);
  return true;
}

/// A variable that has the number of the block that control has come from to \p phi; \p phi stands
/// where it stood.
Id Prober::noteEdges(const Place &phi) {
  Function &function = m_probe.program.functions[phi.function];
  const Instruction made = function.blocks[phi.block].body[phi.index];
  Id type = m_pool.pointerType(spv::StorageClass::Function, m_stored);
  Id variable = m_probe.program.fresh();
  for (size_t edge = 0; edge * 2 + 1 < made.operands.size(); ++edge) {
    Block &from = *function.find(made.word(edge * 2 + 1));
    size_t end = from.body.size() - (from.merge() ? 2 : 1);
    Operand number = id(m_pool.number(static_cast<uint32_t>(edge)));
    from.body.insert(from.body.begin() + static_cast<ptrdiff_t>(end),
                     Instruction{spv::Op::OpStore, 0, 0, {id(variable), number}});
  }
  m_variable = Instruction{
      spv::Op::OpVariable, type, variable, {literal(uint32_t(spv::StorageClass::Function))}};
  return variable;
}

/// What is stored, or added.
Id Prober::makeValue(std::optional<Place> definition) {
  switch (m_point.kind) {
  case ProbeKind::Constant:
  case ProbeKind::Value:
    return m_point.id;
  case ProbeKind::Copied:
    return emit(spv::Op::OpLoad, m_copiedType, {id(m_point.id)});
  case ProbeKind::Edge:
    return emit(spv::Op::OpLoad, m_stored, {id(noteEdges(*definition))});
  case ProbeKind::Block:
  case ProbeKind::Invocations:
  case ProbeKind::BuiltIn:
    return m_pool.number(1);
  }
  llvm_unreachable("a kind of probe that does not exist");
}

/// Also sets the size of the buffer.
void Prober::emitCode() {
  switch (m_point.kind) {
  case ProbeKind::Invocations:
    m_probe.numbers = countNumbers;
    return emitAtomic(spv::Op::OpAtomicIAdd, 0, m_value);
  case ProbeKind::BuiltIn:
    return emitMoments();
  case ProbeKind::Constant:
    m_probe.numbers = m_leaves.size();
    for (auto [number, leaf] : enumerate(m_leaves))
      emitAtomic(spv::Op::OpAtomicExchange, static_cast<uint32_t>(number), emitNumber(leaf));
    return;
  case ProbeKind::Value:
  case ProbeKind::Copied:
  case ProbeKind::Block:
  case ProbeKind::Edge:
    m_probe.perInvocation =
        static_cast<unsigned>(m_leaves.size()) * (m_point.isTimed ? probedTimes : 1);
    m_probe.numbers = size_t(countGroups()) * groupInvocations * m_probe.perInvocation;
    emitStores(emitIndex());
  }
}

/// Works on a copy: \p program never changes.
std::optional<Probe> addProbe(const Program &program, ProbePoint point, const ProbeTarget &target) {
  Probe probe;
  probe.program = program;
  if (!Prober(probe, point, target).run())
    return std::nullopt;
  return probe;
}

} // namespace assay::fuzz
