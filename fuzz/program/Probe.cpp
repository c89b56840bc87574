// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/program/Probe.h"

#include "fuzz/program/Definitions.h"
#include "fuzz/program/Pool.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

namespace {

/// A number or boolean inside of a value.
struct Leaf {
  Id type = 0;
  SmallVector<uint32_t, 2> path; ///< Of OpCompositeExtract; empty: the value itself.
};

class Prober {
public:
  Prober(Probe &probe, ProbePoint point) : m_probe(probe), m_pool(probe.program), m_point(point) {}

  bool run(uint32_t set, uint32_t binding);

private:
  bool collectAll(const Definitions &definitions);
  bool collect(Id type, SmallVector<uint32_t, 2> path);
  Id storedType(Id type);
  void addBuffer(uint32_t set, uint32_t binding);
  Id emit(spv::Op opcode, Id type, ArrayRef<Operand> operands);
  Id emitIndex();
  Id emitNumber(const Leaf &leaf);
  void emitStores(Id first);
  void emitMark();
  void insert(std::optional<Place> definition);
  Block *findBlock();

  static constexpr size_t mostLeaves = 64;

  Probe &m_probe;
  Pool m_pool;
  ProbePoint m_point;
  Id m_value = 0; ///< Set where code is written.
  std::vector<Leaf> m_leaves;
  Id m_stored = 0, m_buffer = 0, m_indexType = 0;
  std::vector<Instruction> m_code;
};

} // namespace

static bool isSpecialised(const Instruction &instruction) {
  return instruction.opcode >= spv::Op::OpSpecConstantTrue &&
         instruction.opcode <= spv::Op::OpSpecConstantOp;
}

std::vector<ProbePoint> listProbePoints(const Program &program) {
  std::vector<ProbePoint> points;
  for (const Instruction &global : program.globals)
    if (isSpecialised(global))
      points.push_back({global.result, /*isBlock=*/false});
  for (const Function &function : program.functions)
    for (const Block &block : function.blocks) {
      points.push_back({block.label, /*isBlock=*/true});
      for (const Instruction &each : block.body)
        if (each.result && each.type && each.opcode != spv::Op::OpUndef)
          points.push_back({each.result, /*isBlock=*/false});
    }
  return points;
}

/// The type that numbers of scalar \p type are stored as.
Id Prober::storedType(Id type) {
  const Instruction definition = m_pool.definition(type);
  bool isNarrow = definition.opcode == spv::Op::OpTypeBool || definition.word(0) < 32;
  if (!isNarrow)
    return type;
  return definition.opcode == spv::Op::OpTypeFloat ? m_pool.floatType(32)
                                                   : m_pool.intType(32, false);
}

/// False for what can't be stored, or is too much.
bool Prober::collect(Id type, SmallVector<uint32_t, 2> path) {
  const Instruction definition = m_pool.definition(type);
  size_t parts = 0;
  switch (definition.opcode) {
  case spv::Op::OpTypeBool:
  case spv::Op::OpTypeInt:
  case spv::Op::OpTypeFloat:
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

void Prober::addBuffer(uint32_t set, uint32_t binding) {
  constexpr uint32_t Version13 = 0x00010300;
  if (m_probe.program.version < Version13)
    m_pool.extension("SPV_KHR_storage_buffer_storage_class");
  Id block = m_pool.structType({m_pool.runtimeArrayType(m_stored, m_probe.width / 8)});
  m_pool.decorate(block, spv::Decoration::Block);
  m_pool.decorateMember(block, 0, spv::Decoration::Offset, {0});
  m_buffer = m_pool.variable(m_pool.pointerType(spv::StorageClass::StorageBuffer, block),
                             spv::StorageClass::StorageBuffer);
  m_pool.decorate(m_buffer, spv::Decoration::DescriptorSet, {set});
  m_pool.decorate(m_buffer, spv::Decoration::Binding, {binding});
}

Id Prober::emit(spv::Op opcode, Id type, ArrayRef<Operand> operands) {
  Id result = type ? m_probe.program.fresh() : 0;
  m_code.push_back({opcode, type, result, SmallVector<Operand, 4>(operands)});
  return result;
}

/// Of the invocation's first number.
Id Prober::emitIndex() {
  Id variable = findBuiltIn(m_probe.program, spv::BuiltIn::LocalInvocationIndex);
  m_indexType = variable ? m_pool.definition(m_pool.definition(variable).type).word(1)
                         : m_pool.intType(32, false);
  if (!variable) {
    variable = m_pool.variable(m_pool.pointerType(spv::StorageClass::Input, m_indexType),
                               spv::StorageClass::Input);
    m_pool.decorate(variable, spv::Decoration::BuiltIn,
                    {uint32_t(spv::BuiltIn::LocalInvocationIndex)});
  }
  Id index = emit(spv::Op::OpLoad, m_indexType, {id(variable)});
  Id count = m_pool.constant(m_indexType, m_probe.perInvocation);
  return emit(spv::Op::OpIMul, m_indexType, {id(index), id(count)});
}

Id Prober::emitNumber(const Leaf &leaf) {
  Id part = m_value;
  if (!leaf.path.empty()) {
    SmallVector<Operand, 4> operands = {id(m_value)};
    append_range(operands, map_range(leaf.path, literal));
    part = emit(spv::Op::OpCompositeExtract, leaf.type, operands);
  }
  if (leaf.type == m_stored)
    return part;
  switch (m_pool.definition(leaf.type).opcode) {
  case spv::Op::OpTypeBool:
    return emit(spv::Op::OpSelect, m_stored,
                {id(part), id(m_pool.number(1)), id(m_pool.number(0))});
  case spv::Op::OpTypeFloat:
    return emit(spv::Op::OpFConvert, m_stored, {id(part)});
  default:
    return emit(spv::Op::OpUConvert, m_stored, {id(part)});
  }
}

void Prober::emitStores(Id first) {
  Id pointer = m_pool.pointerType(spv::StorageClass::StorageBuffer, m_stored);
  for (auto [number, leaf] : enumerate(m_leaves)) {
    Id value = emitNumber(leaf);
    Id index =
        emit(spv::Op::OpIAdd, m_indexType, {id(first), id(m_pool.constant(m_indexType, number))});
    Id place =
        emit(spv::Op::OpAccessChain, pointer, {id(m_buffer), id(m_pool.number(0)), id(index)});
    emit(spv::Op::OpStore, 0, {id(place), id(value)});
  }
}

/// All invocations do the same, so it must be atomic.
void Prober::emitMark() {
  Id zero = m_pool.number(0), one = m_pool.number(1);
  Id pointer = m_pool.pointerType(spv::StorageClass::StorageBuffer, m_stored);
  Id place = emit(spv::Op::OpAccessChain, pointer, {id(m_buffer), id(zero), id(zero)});
  Id scope = m_pool.number(uint32_t(spv::Scope::Workgroup));
  emit(spv::Op::OpAtomicUMax, m_stored, {id(place), id(scope), id(zero), id(one)});
}

/// The one to look at, or the entry point's first.
Block *Prober::findBlock() {
  Program &program = m_probe.program;
  if (!m_point.isBlock)
    return &program.findFunction(program.entryPoints.front().word(1))->blocks.front();
  for (Function &function : program.functions)
    if (Block *block = function.find(m_point.id))
      return block;
  return nullptr;
}

/// Behind the definition; of a constant, at the beginning of the entry point.
void Prober::insert(std::optional<Place> definition) {
  Program &program = m_probe.program;
  Block &block =
      definition ? program.functions[definition->function].blocks[definition->block] : *findBlock();
  size_t index = std::max(definition ? definition->index + 1 : 0, block.firstOrdinary());
  block.body.insert(block.body.begin() + static_cast<ptrdiff_t>(index), m_code.begin(),
                    m_code.end());
}

bool Prober::collectAll(const Definitions &definitions) {
  if (!m_point.isBlock)
    return collect(definitions.typeOf(m_point.id), {}) && !m_leaves.empty();
  m_leaves.push_back({m_pool.intType(32, false), {}});
  return findBlock() != nullptr;
}

bool Prober::run(uint32_t set, uint32_t binding) {
  Definitions definitions(m_probe.program); // Until the pool changes the program.
  std::optional<Place> definition;
  if (const Place *place = m_point.isBlock ? nullptr : definitions.place(m_point.id))
    definition = *place;
  if (m_probe.program.entryPoints.size() != 1 || !collectAll(definitions))
    return false;
  m_value = m_point.isBlock ? m_pool.number(1) : m_point.id;
  m_stored = storedType(m_leaves.front().type);
  erase_if(m_leaves, [&](const Leaf &leaf) { return storedType(leaf.type) != m_stored; });
  m_probe.isFloat = m_pool.definition(m_stored).opcode == spv::Op::OpTypeFloat;
  m_probe.width = m_pool.definition(m_stored).word(0);
  m_probe.perInvocation = static_cast<unsigned>(m_leaves.size());
  Id first = m_point.isOfAny ? 0 : emitIndex();
  addBuffer(set, binding);
  if (m_point.isOfAny)
    emitMark();
  else
    emitStores(first);
  insert(definition);
  return true;
}

std::optional<Probe> addProbe(const Program &program, ProbePoint point, uint32_t set,
                              uint32_t binding) {
  Probe probe;
  probe.program = program;
  if (!Prober(probe, point).run(set, binding))
    return std::nullopt;
  return probe;
}

} // namespace assay::fuzz
