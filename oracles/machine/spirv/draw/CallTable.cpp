// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/spirv/draw/CallTable.h"

#include "support/Fault.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include <algorithm>

using namespace llvm;
using namespace assay;
using namespace assay::reference;

/// The table holds at most this many result scalars.
static constexpr size_t MaxResults = size_t(1) << 20;
/// Longer calls require a plain run, which enforces the shader's instruction limit.
static constexpr uint64_t MaxInstructions = 1u << 22;

/// Hashes all words of the key.
size_t PathKeyHash::operator()(const PathKey &key) const {
  return hash_combine_range(key.begin(), key.end());
}

/// Returns all that distinguishes two values, in 7 words per scalar: bits, bounds of the interval,
/// flags and cause. Values with equal keys give equal results.
PathKey reference::keyOf(const Scalar *values, uint32_t count) {
  PathKey key;
  key.reserve(7 * size_t(count));
  for (uint32_t i = 0; i < count; ++i) {
    const Scalar &value = values[i];
    for (uint64_t part : {value.bits, bit_cast<uint64_t>(value.lo), bit_cast<uint64_t>(value.hi)})
      key.insert(key.end(), {static_cast<uint32_t>(part), static_cast<uint32_t>(part >> 32)});
    key.push_back(value.flags | static_cast<uint32_t>(value.cause) << 8);
  }
  return key;
}

/// Collects the shapes of all calls of the program. The execution must outlive the table.
CallTable::CallTable(Execution &execution)
    : m_execution(execution), m_program(execution.program()) {
  for (const FunctionCode &function : m_program.functions)
    for (const Inst &inst : function.code)
      if (inst.kind == InstKind::Call)
        addShape(inst);
  m_places.resize(m_shapes.size());
}

/// Whether \p reference is a pointer to a variable outside of functions.
bool CallTable::isOwnMemory(uint32_t reference) const {
  return reference & ConstantBit &&
         m_program.constants[reference & ~ConstantBit].object == OwnMemory;
}

/// Whether \p inst may occur in a pure function. Notes loops in \p purity.
bool CallTable::isPure(const Inst &inst, Purity &purity) {
  auto edge = [&](uint32_t index) { purity.hasLoop |= m_program.edges[index].to <= &inst; };
  switch (inst.kind) {
  case InstKind::Copy:
    return inst.source->opcode != spv::Op::OpCopyObject; // The object may be a pointer.
  case InstKind::Value:
  case InstKind::Undef:
  case InstKind::Construct:
  case InstKind::Shuffle:
  case InstKind::Insert:
  case InstKind::Variable:
  case InstKind::LoadFrame:
  case InstKind::StoreFrame:
  case InstKind::Switch:
  case InstKind::Return:
  case InstKind::ReturnValue:
    return true;
  case InstKind::Branch:
    edge(inst.extra);
    return true;
  case InstKind::ConditionalBranch:
    edge(inst.op[1]);
    edge(inst.op[2]);
    return true;
  case InstKind::Chain:
    return inst.n == 1 && !isOwnMemory(inst.op[0]);
  case InstKind::Load:
  case InstKind::Store:
    return !isOwnMemory(inst.op[0]);
  case InstKind::Call: {
    const CallSite &site = m_program.calls[inst.extra];
    for (auto [argument, pointee] : zip_equal(site.arguments, site.pointees))
      if (pointee && isOwnMemory(argument.src))
        return false;
    Purity callee = purityOf(site.function);
    purity.hasLoop |= callee.hasLoop;
    return callee.isPure;
  }
  default:
    return false;
  }
}

/// Returns what is known of a function, computed once. While a function is examined it counts as
/// impure, which makes recursion impure.
CallTable::Purity CallTable::purityOf(uint32_t function) {
  if (auto found = m_purity.find(function); found != m_purity.end())
    return found->second;
  m_purity[function] = {}; // Recursive functions are not pure.
  Purity purity;
  purity.isPure = all_of(m_program.functions[function].code,
                         [&](const Inst &inst) { return isPure(inst, purity); });
  return m_purity[function] = purity;
}

/// Gives a number to a call whose results are worth keeping: the callee is pure, has a loop, and is
/// not recursive. Does nothing for other calls, for calls without arguments, and for pointer
/// arguments of unknown size or with more memory than the entry point's frame has.
void CallTable::addShape(const Inst &call) {
  const CallSite &site = m_program.calls[call.extra];
  Purity purity = purityOf(site.function);
  const FunctionCode &code = m_program.functions[site.function];
  if (!purity.isPure || !purity.hasLoop || code.recursive)
    return;
  CallShape shape;
  shape.number = static_cast<uint32_t>(m_shapes.size());
  shape.function = site.function;
  for (const Inst &inst : code.code)
    if (inst.kind == InstKind::ReturnValue)
      shape.returned = inst.n;
  uint32_t pointees = 0;
  for (auto [argument, pointee] : zip_equal(site.arguments, site.pointees)) {
    if (pointee == ~0u)
      return;
    shape.arguments.push_back({argument.src, argument.dst, argument.n, pointee});
    shape.scalars += shape.arguments.back().getScalars();
    pointees += pointee;
  }
  shape.results = shape.returned + pointees + 1;
  // start() places the memory of pointer arguments in the frame of the entry point.
  if (!shape.scalars || pointees > m_program.functions[m_program.entry].frameSlots)
    return;
  m_numbers[&call] = shape.number;
  m_shapes.push_back(std::move(shape));
}

/// Returns null for calls that the table does not hold.
const CallShape *CallTable::findShape(const Inst &call) const {
  auto found = m_numbers.find(&call);
  return found == m_numbers.end() ? nullptr : &m_shapes[found->second];
}

/// Prepares \p run to execute the function from its first instruction.
bool CallTable::start(const CallShape &shape, const Scalar *arguments, Invocation &run) {
  if (!m_execution.startAlone(run))
    return false;
  uint32_t next = m_program.privateSlots;
  run.frameBase = next + m_program.functions[m_program.entry].frameSlots;
  run.base[0] = run.stack + run.frameBase;
  run.function = shape.function;
  run.pc = m_program.functions[shape.function].code.data();
  for (const CallShape::Argument &argument : shape.arguments) {
    Scalar *slot = run.base[0] + argument.slot;
    if (argument.pointee) {
      *slot = Scalar::pointer(OwnMemory, next);
      slot = run.stack + next;
      next += argument.pointee;
    }
    copyScalars(arguments, argument.getScalars(), slot);
    arguments += argument.getScalars();
  }
  return true;
}

/// Runs the callee alone and appends to \p results what it returned, the memory of its pointer
/// arguments, and the number of instructions. False where it did not end within MaxInstructions, or
/// chose among several permitted values.
bool CallTable::execute(const CallShape &shape, const Scalar *arguments,
                        std::vector<Scalar> &results) {
  Invocation run;
  if (!start(shape, arguments, run))
    return false;
  uint64_t count = 1;
  Status status = run.pc->run(run, *run.pc);
  for (; status == Status::Next || status == Status::Jump; ++count) {
    if (status == Status::Next)
      ++run.pc;
    if (count == MaxInstructions)
      break;
    status = run.pc->run(run, *run.pc);
  }
  bool isGood = status == Status::Done && !m_execution.takeHasChosen();
  if (isGood) {
    if (shape.returned)
      results.assign(run.at(run.pc->op[0]), run.at(run.pc->op[0]) + shape.returned);
    uint32_t pointees = shape.results - 1 - shape.returned;
    const Scalar *first = run.stack + m_program.privateSlots;
    results.insert(results.end(), first, first + pointees);
    results.push_back(Scalar::exact(count));
  }
  m_execution.endAlone(run);
  return isGood;
}

/// Returns the results for these arguments, and executes the call where they are new. Null where
/// the call cannot be executed. The result is valid until the next call of find().
const Scalar *CallTable::find(uint32_t number, const Scalar *arguments) {
  const CallShape &shape = m_shapes[number];
  bool isShort = shape.scalars > 1 && faultPlanted(Fault::CallTableShortKey);
  PathKey key = keyOf(arguments, shape.scalars - isShort);
  if (auto found = m_places[number].find(key); found != m_places[number].end())
    return &m_results[found->second];
  m_last.clear();
  if (!execute(shape, arguments, m_last))
    return nullptr;
  if (m_results.size() + m_last.size() > MaxResults)
    return m_last.data();
  m_places[number].emplace(std::move(key), static_cast<uint32_t>(m_results.size()));
  m_results.insert(m_results.end(), m_last.begin(), m_last.end());
  return &m_results[m_results.size() - m_last.size()];
}
