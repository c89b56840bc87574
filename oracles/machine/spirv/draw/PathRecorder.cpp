// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/spirv/draw/PathRecorder.h"

#include "support/Fault.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace llvm;
using namespace assay;
using namespace assay::reference;

// Limits of one path: its values, the instructions executed to record it, and the scalars of an
// array with an input-dependent index.
static constexpr uint32_t MaxValues = 1u << 18, MaxInstructions = 1u << 22;
static constexpr uint32_t MaxLoadedArray = 1024, MaxStoredArray = 128;

// Steps that do not correspond to an instruction of the shader.

/// op: the parts, n of them.
static Status gatherParts(Invocation &invocation, const Inst &inst) {
  Scalar *dst = invocation.at(inst.dst);
  for (uint32_t i = 0; i < inst.n; ++i)
    dst[i] = *invocation.at(inst.op[i]);
  return Status::Next;
}

/// op[0]: an index, which must be less than extra.
static Status checkIndex(Invocation &invocation, const Inst &inst) {
  const Scalar &index = *invocation.at(inst.op[0]);
  if (index.isPoison())
    return Status::Stop;
  int64_t value = static_cast<int64_t>(index.bits << (64 - inst.width)) >> (64 - inst.width);
  if (value < 0 || value >= inst.extra)
    return Status::Stop;
  *invocation.at(inst.dst) = Scalar::exact(static_cast<uint64_t>(value));
  return Status::Next;
}

/// op[0]: the result of checkIndex(); op[1]: the array, with elements of n scalars.
static Status loadElement(Invocation &invocation, const Inst &inst) {
  const Scalar *array = invocation.at(inst.op[1]);
  uint64_t index = invocation.at(inst.op[0])->bits;
  if (index && faultPlanted(Fault::PathFirstElement))
    index = 0;
  copyScalars(array + index * inst.n, inst.n, invocation.at(inst.dst));
  return Status::Next;
}

/// Copies the array with one element replaced by op[2]; extra: scalars of the array.
static Status storeElement(Invocation &invocation, const Inst &inst) {
  Scalar *dst = invocation.at(inst.dst);
  copyScalars(invocation.at(inst.op[1]), inst.extra, dst);
  copyScalars(invocation.at(inst.op[2]), inst.n, dst + invocation.at(inst.op[0])->bits * inst.n);
  return Status::Next;
}

/// op[0]: the arguments of a call of shape extra; n: scalars of the results.
static Status takeCall(Invocation &invocation, const Inst &inst) {
  CallTable &calls = *static_cast<PathRun &>(invocation).calls;
  const Scalar *results = calls.find(inst.extra, invocation.at(inst.op[0]));
  if (!results)
    return Status::Stop;
  copyScalars(results, inst.n, invocation.at(inst.dst));
  return Status::Next;
}

PathRecorder::PathRecorder(PathTree &tree) : m_tree(tree), m_execution(tree.m_execution) {}

/// Returns the stack of the recorded invocation.
PathRecorder::~PathRecorder() {
  m_execution.endAlone(m_run);
}

/// Starts the invocation with the inputs of the fragment. Each input is a value of the tree; its id
/// is its number plus 1, because id 0 marks what is the same for all fragments of a path.
bool PathRecorder::start(const FragmentPlace &place, uint32_t lane) {
  m_run.localIndex = lane;
  m_run.fragment = &place;
  m_run.isUncertain = !place.get().coverage.certain;
  if (!m_execution.startAlone(m_run))
    return false;
  const Program &program = m_run.program();
  m_ids.resize(program.privateSlots + program.functions[program.entry].stackSlots + 1);
  for (const InterfaceScalar &input : program.shaderInputs) {
    m_run.stack[input.slot] = place.inputs->getInput(input, place, m_run);
    ++m_values;
    m_ids[input.slot] = faultPlanted(Fault::PathSharesInputs) ? 0 : m_values;
  }
  return true;
}

/// Returns false where the fragment has to run without the tree: it made a step that the tree
/// cannot have, exceeded the limits, or failed. An incomplete node then requires a plain run of all
/// fragments that reach it.
bool PathRecorder::record(const FragmentPlace &place, uint32_t lane) {
  Went went = start(place, lane) ? Went::On : Went::Wrong;
  while (went == Went::On)
    went = m_values < MaxValues && m_instructions < MaxInstructions ? step() : Went::Wrong;
  PathTree::Node &node = m_tree.m_nodes[m_node];
  if (went == Went::Ended)
    end();
  else if (!node.isComplete)
    node.steps.clear(); // The node requires a plain run.
  node.isComplete = true;
  m_tree.m_values.resize(std::max<size_t>(m_tree.m_values.size(), m_values));
  if (went == Went::Wrong)
    m_execution.abandonGroup(); // Forgets how it ended.
  return went == Went::Ended;
}

/// Notes the outputs and the instruction count in the last node. Does nothing where the path was
/// recorded earlier.
void PathRecorder::end() {
  PathTree::Node &node = m_tree.m_nodes[m_node];
  if (node.isComplete)
    return;
  node.end = PathTree::End::Ended;
  node.isKilled = m_run.isKilled;
  node.instructions = m_instructions;
  std::vector<uint32_t> outputs;
  for (const InterfaceScalar &output : m_run.program().shaderOutputs)
    outputs.push_back(operandAt(output.slot, 1));
  node.outputs = std::move(outputs);
  node.counts = m_counts;
}

/// Records one instruction, then executes it, so that the invocation holds the values that the next
/// one depends on.
PathRecorder::Went PathRecorder::step() {
  const Inst &inst = *m_run.pc;
  ++m_instructions;
  if (inst.kind == InstKind::Call && usesTable(inst)) {
    ++m_run.pc;
    return callByTable(inst) ? Went::On : Went::Wrong;
  }
  return follow(inst) ? execute(inst) : Went::Wrong;
}

/// Executes an instruction of the recorded invocation. Waiting for others is wrong here, as is an
/// error.
PathRecorder::Went PathRecorder::execute(const Inst &inst) {
  switch (inst.run(m_run, inst)) {
  case Status::Next:
    ++m_run.pc;
    return Went::On;
  case Status::Jump:
    return Went::On;
  case Status::Done:
    return Went::Ended;
  default:
    return Went::Wrong;
  }
}

/// True if none of the \p count slots depends on an input of the fragment. Constants are known.
bool PathRecorder::isKnown(uint32_t reference, uint32_t count) const {
  if (reference & ConstantBit)
    return true;
  const uint32_t *ids = &m_ids[slotOf(reference)];
  return std::all_of(ids, ids + count, [](uint32_t id) { return id == 0; });
}

/// From now on the slots hold what is the same for all fragments of the path.
void PathRecorder::setKnown(uint32_t slot, uint32_t count) {
  std::fill_n(m_ids.begin() + slot, count, 0u);
}

/// From now on the slots hold \p count values of the tree, numbered from \p first.
void PathRecorder::setValues(uint32_t slot, uint32_t first, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i)
    m_ids[slot + i] = first + i + 1;
}

/// Copies the ids of \p count scalars from \p reference to \p slot.
void PathRecorder::move(uint32_t reference, uint32_t count, uint32_t slot) {
  if (reference & ConstantBit)
    setKnown(slot, count);
  else
    std::copy_n(m_ids.begin() + slotOf(reference), count, m_ids.begin() + slot);
}

/// A reference to \p values among the tree's constants.
uint32_t PathRecorder::constants(const Scalar *values, uint32_t count) {
  PathKey key = keyOf(values, count);
  auto [place, isNew] = m_tree.m_constantPlaces.try_emplace(
      std::move(key), static_cast<uint32_t>(m_tree.m_constants.size()));
  if (isNew)
    m_tree.m_constants.insert(m_tree.m_constants.end(), values, values + count);
  return place->second | ConstantBit;
}

/// Inputs are the first values; only those that a step uses are computed.
void PathRecorder::noteUse(uint32_t first, uint32_t count) {
  auto inputs = static_cast<uint32_t>(m_run.program().shaderInputs.size());
  for (uint32_t id = first; id < std::min(first + count, inputs); ++id)
    if (!is_contained(m_tree.m_usedInputs, id))
      m_tree.m_usedInputs.push_back(id);
}

/// The reference that steps use for the \p count scalars at an instruction's \p reference.
uint32_t PathRecorder::operand(uint32_t reference, uint32_t count) {
  return reference & ConstantBit ? constants(m_run.at(reference), count)
                                 : operandAt(slotOf(reference), count);
}

/// Returns a reference to what the slots hold: constants if all are known, else consecutive values.
/// Slots that are neither are gathered into a row by one more step.
uint32_t PathRecorder::operandAt(uint32_t slot, uint32_t count) {
  const uint32_t *ids = &m_ids[slot];
  if (std::all_of(ids, ids + count, [](uint32_t id) { return id == 0; }))
    return constants(m_run.stack + slot, count);
  bool isRow = true;
  for (uint32_t i = 0; i < count; ++i)
    isRow = isRow && ids[i] == ids[0] + i && ids[i];
  if (isRow) {
    noteUse(ids[0] - 1, count);
    return ids[0] - 1;
  }
  std::vector<uint32_t> parts;
  for (uint32_t i = 0; i < count; ++i)
    parts.push_back(operandAt(slot + i, 1));
  return gather(parts);
}

/// Gathers single values into consecutive ones.
uint32_t PathRecorder::gather(const std::vector<uint32_t> &parts) {
  auto [made, isNew] = m_made.try_emplace(parts, m_values);
  if (!isNew)
    return made->second;
  static constexpr size_t Most = std::size(Inst().op);
  PathTree::Node &node = m_tree.m_nodes[m_node];
  for (size_t first = 0; first < parts.size(); first += Most) {
    Inst step;
    step.run = gatherParts;
    step.dst = m_values;
    step.n = static_cast<uint32_t>(std::min(Most, parts.size() - first));
    std::copy_n(parts.begin() + static_cast<ptrdiff_t>(first), step.n, step.op);
    m_values += step.n;
    if (!node.isComplete) {
      node.steps.push_back(step);
      ++m_tree.m_steps;
    }
  }
  return made->second;
}

/// Adds a step and returns its first result. Returns that of an earlier step if there is one with
/// the same operands and \p what, which identifies the operation.
uint32_t PathRecorder::emit(Inst step, uint32_t results, const void *what) {
  auto address = reinterpret_cast<uintptr_t>(what);
  // Differs from all keys of gather().
  PathKey key = {static_cast<uint32_t>(address),
                 static_cast<uint32_t>(uint64_t(address) >> 32),
                 step.op[0],
                 step.op[1],
                 step.op[2],
                 step.op[3],
                 step.extra,
                 step.n,
                 ~0u};
  auto [made, isNew] = m_made.try_emplace(std::move(key), m_values);
  if (!isNew)
    return made->second;
  step.dst = m_values;
  m_values += results;
  PathTree::Node &node = m_tree.m_nodes[m_node];
  if (!node.isComplete) {
    node.steps.push_back(step);
    ++m_tree.m_steps;
  }
  return step.dst;
}

/// Records an instruction before it is executed. False for instructions that the tree cannot have.
bool PathRecorder::follow(const Inst &inst) {
  switch (inst.kind) {
  case InstKind::Other:
    return false;
  case InstKind::Value:
    return followValue(inst);
  case InstKind::Copy:
  case InstKind::Insert:
  case InstKind::Undef:
  case InstKind::LoadFrame:
  case InstKind::LoadPrivate:
  case InstKind::StoreFrame:
  case InstKind::StorePrivate:
    return followMoves(inst);
  case InstKind::Construct:
    return followConstruct(inst);
  case InstKind::Shuffle:
    return followShuffle(inst);
  case InstKind::Variable:
    return followVariable(inst);
  case InstKind::Chain:
    return followChain(inst);
  case InstKind::Descriptor:
    return followDescriptor(inst);
  case InstKind::Load:
    return followLoad(inst);
  case InstKind::Store:
    return followStore(inst);
  case InstKind::Branch:
  case InstKind::ConditionalBranch:
  case InstKind::Switch:
    return followBranch(inst);
  case InstKind::Call:
    return followCall(inst);
  case InstKind::Return:
  case InstKind::ReturnValue:
    return followReturn(inst);
  case InstKind::Kill:
    return true;
  }
  return false;
}

/// Executes a computation with known operands at once; any other one becomes a step. False where a
/// computation with known operands fails or chooses among permitted values.
bool PathRecorder::followValue(const Inst &inst) {
  const ValueShape &shape = m_run.program().valueShapes[inst.values];
  bool known = true;
  for (unsigned i = 0; i < std::size(shape.reads) && shape.reads[i]; ++i)
    known = known && isKnown(inst.op[i], shape.reads[i]);
  if (known) {
    // Executed here to see whether it chooses a value, which no step may do.
    m_execution.takeHasChosen();
    if (inst.run(m_run, inst) != Status::Next || m_execution.takeHasChosen())
      return false;
    setKnown(slotOf(inst.dst), shape.results);
    return true;
  }
  Inst step = inst;
  for (unsigned i = 0; i < std::size(shape.reads) && shape.reads[i]; ++i)
    step.op[i] = operand(inst.op[i], shape.reads[i]);
  setValues(slotOf(inst.dst), emit(step, shape.results, &inst), shape.results);
  return true;
}

/// Moves ids between slots for copies and for accesses to variables with a fixed place. No step is
/// needed.
bool PathRecorder::followMoves(const Inst &inst) {
  switch (inst.kind) {
  case InstKind::Insert:
    move(inst.op[1], inst.n, slotOf(inst.dst));
    move(inst.op[0], inst.op[2], slotOf(inst.dst) + inst.extra);
    return true;
  case InstKind::Copy:
  case InstKind::LoadFrame:
    move(inst.op[0], inst.n, slotOf(inst.dst));
    return true;
  case InstKind::LoadPrivate:
    std::copy_n(m_ids.begin() + inst.op[0], inst.n, m_ids.begin() + slotOf(inst.dst));
    return true;
  case InstKind::StoreFrame:
    move(inst.op[1], inst.n, slotOf(inst.op[0]));
    return true;
  case InstKind::StorePrivate:
    move(inst.op[1], inst.n, inst.op[0]);
    return true;
  default: // Undef.
    setKnown(slotOf(inst.dst), inst.n);
    return true;
  }
}

/// Moves the ids of the parts into the composite.
bool PathRecorder::followConstruct(const Inst &inst) {
  const uint32_t *list = &m_run.program().lists[inst.extra];
  uint32_t slot = slotOf(inst.dst);
  for (uint32_t i = 0; i < inst.n; ++i, list += 2) {
    move(list[0], list[1], slot);
    slot += list[1];
  }
  return true;
}

/// Moves the ids of the chosen components; undefined ones are known.
bool PathRecorder::followShuffle(const Inst &inst) {
  const uint32_t *list = &m_run.program().lists[inst.extra];
  for (uint32_t i = 0; i < inst.n; ++i)
    if (list[i] == ~0u)
      setKnown(slotOf(inst.dst) + i, 1);
    else
      move(list[i], 1, slotOf(inst.dst) + i);
  return true;
}

/// Moves the ids of the initializer into the variable. Without one, the variable is undefined and
/// by that known. The pointer is known in both cases.
bool PathRecorder::followVariable(const Inst &inst) {
  if (inst.extra)
    move(inst.op[1], inst.n, slotOf(inst.op[0]));
  else
    setKnown(slotOf(inst.op[0]), inst.n);
  setKnown(slotOf(inst.dst), 1);
  return true;
}

/// One index may depend on inputs, if the base is memory of the invocation.
bool PathRecorder::followChain(const Inst &inst) {
  const Program &program = m_run.program();
  const Chain &chain = program.chains[inst.extra];
  const Scalar pointer = *m_run.at(inst.op[0]);
  if (inst.n != 1 || !isKnown(inst.op[0], 1))
    return false;
  const ChainStep *open = nullptr;
  for (uint32_t i = 0; i < chain.stepCount; ++i) {
    const ChainStep &each = program.steps[chain.firstStep + i];
    if (isKnown(each.index, 1))
      continue;
    if (open || each.mayBeNegative || each.selectsDescriptor)
      return false;
    open = &each;
  }
  if (!open) {
    setKnown(slotOf(inst.dst), 1);
    return true;
  }
  // Executed here: the result has the offset of the other indices.
  if (pointer.object != OwnMemory || pointer.flags || inst.run(m_run, inst) != Status::Next)
    return false;
  const Scalar &result = *m_run.at(inst.dst), &index = *m_run.at(open->index);
  if (result.flags || !open->count || open->count > MaxLoadedArray)
    return false;
  Inst step = inst;
  step.run = checkIndex;
  step.width = open->width;
  step.n = 1;
  step.extra = static_cast<uint32_t>(open->count);
  step.op[0] = operand(open->index, 1);
  uint32_t value = emit(step, 1, &inst);
  setValues(slotOf(inst.dst), value, 1);
  m_pointers[value] = {static_cast<uint32_t>(result.bits - index.bits * open->stride),
                       static_cast<uint32_t>(open->count), static_cast<uint32_t>(open->stride)};
  return true;
}

/// False where the descriptor depends on an input, or where its index is poison or ambiguous.
bool PathRecorder::followDescriptor(const Inst &inst) {
  if (!isKnown(inst.op[0], 1) || m_run.at(inst.op[0])->flags)
    return false;
  setKnown(slotOf(inst.dst), inst.n);
  return true;
}

/// Memory of the invocation hands its ids on; other memory is read-only during the draw and by that
/// known. A load through a pointer that depends on an input becomes a step of loadIndexed().
bool PathRecorder::followLoad(const Inst &inst) {
  const Scalar &pointer = *m_run.at(inst.op[0]);
  uint32_t count = m_run.program().memoryTypes[inst.extra].scalars;
  if (pointer.flags)
    return false;
  if (!isKnown(inst.op[0], 1))
    return loadIndexed(inst, m_ids[slotOf(inst.op[0])] - 1, count);
  if (pointer.object == OwnMemory)
    std::copy_n(m_ids.begin() + static_cast<ptrdiff_t>(pointer.bits), count,
                m_ids.begin() + slotOf(inst.dst));
  else // It is read-only during the draw.
    setKnown(slotOf(inst.dst), count);
  return true;
}

/// Stores go to memory of the invocation only. A store through a pointer that depends on an input
/// becomes a step of storeIndexed().
bool PathRecorder::followStore(const Inst &inst) {
  const Scalar &pointer = *m_run.at(inst.op[0]);
  uint32_t count = m_run.program().memoryTypes[inst.extra].scalars;
  if (pointer.flags || pointer.object != OwnMemory)
    return false;
  if (!isKnown(inst.op[0], 1))
    return storeIndexed(inst, m_ids[slotOf(inst.op[0])] - 1, count);
  move(inst.op[1], count, static_cast<uint32_t>(pointer.bits));
  return true;
}

/// Emits a step that selects an element of the array by value \p pointer. \p count is the number of
/// scalars in an element. False for pointers of unknown origin and for arrays above MaxLoadedArray
/// scalars.
bool PathRecorder::loadIndexed(const Inst &inst, uint32_t pointer, uint32_t count) {
  auto found = m_pointers.find(pointer);
  if (found == m_pointers.end() || found->second.count * count > MaxLoadedArray)
    return false;
  const Indexed &array = found->second;
  Inst step = inst;
  step.run = loadElement;
  step.n = count;
  step.op[0] = pointer;
  std::vector<Scalar> known;
  std::vector<uint32_t> parts;
  for (uint32_t i = 0; i < array.count; ++i)
    for (uint32_t k = 0; k < count; ++k) {
      uint32_t slot = array.base + i * array.distance + k;
      if (m_ids[slot] == 0)
        known.push_back(m_run.stack[slot]);
      parts.push_back(slot);
    }
  if (known.size() == parts.size()) {
    step.op[1] = constants(known.data(), static_cast<uint32_t>(known.size()));
  } else {
    for (uint32_t &part : parts)
      part = operandAt(part, 1);
    step.op[1] = gather(parts);
  }
  setValues(slotOf(inst.dst), emit(step, count, &inst), count);
  return true;
}

/// Emits a step that replaces the element at value \p pointer and has the whole array as its
/// result. False for pointers of unknown origin and for arrays above MaxStoredArray scalars.
bool PathRecorder::storeIndexed(const Inst &inst, uint32_t pointer, uint32_t count) {
  auto found = m_pointers.find(pointer);
  if (found == m_pointers.end() || found->second.count * count > MaxStoredArray)
    return false;
  const Indexed &array = found->second;
  Inst step = inst;
  step.run = storeElement;
  step.n = count;
  step.extra = array.count * count;
  step.op[0] = pointer;
  std::vector<uint32_t> parts;
  for (uint32_t i = 0; i < array.count; ++i)
    for (uint32_t k = 0; k < count; ++k)
      parts.push_back(operandAt(array.base + i * array.distance + k, 1));
  step.op[1] = gather(parts);
  step.op[2] = operand(inst.op[1], count);
  uint32_t value = emit(step, step.extra, &inst);
  for (uint32_t i = 0; i < array.count; ++i)
    setValues(array.base + i * array.distance, value + i * count, count);
  return true;
}

/// Forks the path at the condition or selector \p reference, unless it has been decided before.
bool PathRecorder::decide(uint32_t reference, bool isSelector) {
  const Scalar &value = *m_run.at(reference);
  if (value.isPoison())
    return false;
  if (isKnown(reference, 1) || faultPlanted(Fault::PathNeverForks))
    return true;
  uint64_t key = isSelector ? value.bits : value.bits != 0;
  uint32_t decider = operand(reference, 1);
  if (auto [known, isNew] = m_decided.try_emplace(decider, key); !isNew)
    return true;
  PathTree::Node &node = m_tree.m_nodes[m_node];
  if (!node.isComplete) {
    node.isComplete = true;
    node.end = PathTree::End::Fork;
    node.isSelector = isSelector;
    node.decider = decider;
  }
  auto child = find_if(node.children, [&](const auto &each) { return each.key == key; });
  if (child != node.children.end()) {
    m_node = child->node;
    return true;
  }
  m_node = static_cast<uint32_t>(m_tree.m_nodes.size());
  node.children.push_back({key, m_node});
  m_tree.m_nodes.emplace_back(); // Node moves.
  return true;
}

/// Lets the node decide by the condition or selector, then follows the edge that the recorded
/// fragment takes.
bool PathRecorder::followBranch(const Inst &inst) {
  if (inst.kind == InstKind::Branch)
    return followEdge(inst.extra);
  bool isSelector = inst.kind == InstKind::Switch;
  if (!decide(inst.op[0], isSelector))
    return false;
  uint64_t value = m_run.at(inst.op[0])->bits;
  if (!isSelector)
    return followEdge(value ? inst.op[1] : inst.op[2]);
  const Program &program = m_run.program();
  const Switch &table = program.switches[inst.extra];
  ArrayRef<SwitchCase> cases = ArrayRef(program.cases).slice(table.firstCase, table.caseCount);
  auto taken = find_if(cases, [&](const SwitchCase &each) { return each.value == value; });
  return followEdge(taken == cases.end() ? table.defaultEdge : taken->edge);
}

/// Moves the ids of phis. All sources are read before any is written, because the copies happen in
/// parallel.
bool PathRecorder::followEdge(uint32_t index) {
  const Program &program = m_run.program();
  const Edge &edge = program.edges[index];
  ArrayRef<PhiCopy> copies = ArrayRef(program.copies).slice(edge.firstCopy, edge.copyCount);
  std::vector<uint32_t> before;
  for (const PhiCopy &copy : copies)
    for (uint32_t i = 0; i < copy.n; ++i)
      before.push_back(copy.src & ConstantBit ? 0 : m_ids[slotOf(copy.src) + i]);
  auto next = before.begin();
  for (const PhiCopy &copy : copies) {
    std::copy_n(next, copy.n, m_ids.begin() + slotOf(copy.dst));
    next += copy.n;
  }
  return true;
}

/// Whether the call depends on inputs and the table can hold its results.
bool PathRecorder::usesTable(const Inst &inst) {
  const CallShape *shape = m_tree.m_calls ? m_tree.m_calls->findShape(inst) : nullptr;
  if (!shape)
    return false;
  bool known = true;
  for (const CallShape::Argument &argument : shape->arguments) {
    known = known && isKnown(argument.reference, argument.count);
    if (!argument.pointee)
      continue;
    const Scalar &pointer = *m_run.at(argument.reference);
    if (!isKnown(argument.reference, 1) || pointer.object != OwnMemory || pointer.flags)
      return false;
    const uint32_t *ids = &m_ids[pointer.bits];
    known = known && std::all_of(ids, ids + argument.pointee, [](uint32_t id) { return id == 0; });
    for (const CallShape::Argument &other : shape->arguments)
      if (uint64_t begin = m_run.at(other.reference)->bits;
          &other != &argument && other.pointee && begin < pointer.bits + argument.pointee &&
          pointer.bits < begin + other.pointee)
        return false;
  }
  return !known;
}

/// Records a call as one step.
bool PathRecorder::callByTable(const Inst &inst) {
  const CallShape &shape = *m_tree.m_calls->findShape(inst);
  std::vector<uint32_t> parts;
  std::vector<Scalar> values;
  auto add = [&](const Scalar *value, uint32_t reference) {
    values.push_back(*value);
    parts.push_back(reference);
  };
  for (const CallShape::Argument &argument : shape.arguments)
    for (uint32_t i = 0; i < argument.getScalars(); ++i) {
      if (argument.pointee) {
        auto slot = static_cast<uint32_t>(m_run.at(argument.reference)->bits) + i;
        add(m_run.stack + slot, operandAt(slot, 1));
      } else {
        add(m_run.at(argument.reference) + i, operand(argument.reference + i, 1));
      }
    }
  const Scalar *results = m_tree.m_calls->find(shape.number, values.data());
  if (!results)
    return false;
  Inst step = inst;
  step.run = takeCall;
  step.n = shape.results;
  step.extra = shape.number;
  step.op[0] = gather(parts);
  uint32_t first = emit(step, step.n, &inst);
  m_counts.push_back(first + step.n - 1);
  auto take = [&](uint32_t slot, uint32_t count) {
    std::copy_n(results, count, m_run.stack + slot);
    setValues(slot, first, count);
    results += count;
    first += count;
  };
  take(slotOf(inst.dst), shape.returned);
  for (const CallShape::Argument &argument : shape.arguments)
    if (argument.pointee)
      take(static_cast<uint32_t>(m_run.at(argument.reference)->bits), argument.pointee);
  return true;
}

/// Moves the ids of the arguments into the callee's frame. False for recursive functions.
bool PathRecorder::followCall(const Inst &inst) {
  const Program &program = m_run.program();
  const CallSite &site = program.calls[inst.extra];
  if (program.functions[site.function].recursive)
    return false;
  uint32_t frame = m_run.frameBase + program.functions[m_run.function].frameSlots;
  for (const PhiCopy &argument : site.arguments)
    move(argument.src, argument.n, frame + argument.dst);
  return true;
}

/// Moves the ids of the returned value into the caller's frame. Nothing moves at the end of the
/// entry point.
bool PathRecorder::followReturn(const Inst &inst) {
  if (inst.kind == InstKind::Return || m_run.calls.empty())
    return true;
  const CallRecord &record = m_run.calls.back();
  move(inst.op[0], inst.n, record.frameBase + record.call->dst);
  return true;
}
