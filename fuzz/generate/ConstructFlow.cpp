// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Selections, switches, loops and calls, nested in each other, with phis where they join.
#include "fuzz/generate/Constructs.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

/// Number of statements of a nested body, before the budget ends it.
static unsigned bodySize(Writer &writer) {
  return static_cast<unsigned>(writer.random().between(1, 6));
}

namespace {
/// Values of one type from several ways, for a phi after them.
struct Join {
  Id type = 0;
  std::vector<std::pair<Id, Id>> sources; ///< Value, label.
  bool isUniform = true;                  ///< All values so far are.
  uint32_t magnitude = ~0u;               ///< Of all values so far; ~0u: none yet.

  /// Chooses the value for the edge from the current block. The phi is exact only if all values
  /// are.
  void add(Writer &writer) {
    Value value = writer.take(type);
    sources.push_back({value.id, writer.currentLabel()});
    isUniform &= value.isUniform;
    magnitude = value.magnitude && magnitude
                    ? (magnitude == ~0u ? value.magnitude : std::max(magnitude, value.magnitude))
                    : 0;
  }
  /// Emits the phi; all edges must have been added.
  void finish(Writer &writer, bool uniformFlow) {
    Id id = writer.phi(type, sources);
    writer.add({id, type, isUniform && uniformFlow, magnitude == ~0u ? 0 : magnitude});
  }
};
} // namespace

/// Chooses up to three phis and their types.
static SmallVector<Join, 3> makeJoins(Writer &writer) {
  SmallVector<Join, 3> joins(writer.random().below(4));
  for (Join &join : joins)
    join.type = writer.random().oneIn(4) ? writer.randomType() : writer.randomNumeric();
  return joins;
}

/// Chooses a value for each phi in the current block. Call it last in each branch.
static void addAll(Writer &writer, MutableArrayRef<Join> joins) {
  for (Join &join : joins)
    join.add(writer);
}

/// Emits the phis in the merge block. \p uniformFlow: all invocations came by the same edge.
static void finishAll(Writer &writer, MutableArrayRef<Join> joins, bool uniformFlow) {
  for (Join &join : joins)
    join.finish(writer, uniformFlow);
}

/// Emits if-else with up to three phis; the else branch may be empty.
void writeFlowSelection(Writer &writer) {
  Value condition = writer.takeCondition();
  SmallVector<Join, 3> joins = makeJoins(writer);
  bool hasElse = writer.random().oneIn(2);
  writer.select(
      condition,
      [&] {
        writer.statements(bodySize(writer));
        addAll(writer, joins);
      },
      [&] {
        if (hasElse)
          writer.statements(bodySize(writer));
        addAll(writer, joins);
      });
  finishAll(writer, joins, condition.isUniform);
}

/// Cases of which some share a body; the default may be the way past all of them.
void writeFlowSwitch(Writer &writer) {
  Random &random = writer.random();
  unsigned bodies = static_cast<unsigned>(random.between(1, 4));
  Value selector = writer.takeIndex(bodies + 2);
  SmallVector<Join, 3> joins = makeJoins(writer);
  Id merge = writer.newLabel();
  SmallVector<Id, 4> labels;
  for (unsigned i = 0; i < bodies; ++i)
    labels.push_back(writer.newLabel());
  Id fallback = writer.newLabel();
  SmallVector<Operand, 12> operands{fuzz::id(selector.id), fuzz::id(fallback)};
  for (unsigned value = 0; value < bodies + 1; ++value) {
    operands.push_back(literal(value));
    operands.push_back(fuzz::id(labels[value % bodies]));
  }
  writer.emitVoid(spv::Op::OpSelectionMerge, {fuzz::id(merge), literal(0)});
  writer.emitVoid(spv::Op::OpSwitch, operands);
  labels.push_back(fallback);
  for (Id label : labels) {
    writer.begin(label);
    writer.nested(selector.isUniform, 1, [&] {
      writer.statements(bodySize(writer) / 2 + 1);
      addAll(writer, joins);
    });
    writer.branch(merge);
  }
  writer.begin(merge);
  finishAll(writer, joins, selector.isUniform);
}

/// A number of turns that is a constant, the same for all, or each invocation's own.
static Value takeCount(Writer &writer, unsigned most) {
  if (writer.random().oneIn(2))
    return {writer.pool().number(static_cast<uint32_t>(writer.random().between(1, most))),
            writer.pool().intType(32, false), true, 0};
  return writer.takeIndex(most + 1);
}

/// Values carried from turn to turn in variables of the function: LLVM makes phis of them.
void writeFlowLoop(Writer &writer) {
  unsigned most = static_cast<unsigned>(writer.random().between(1, 6));
  Value count = takeCount(writer, most);
  Id type = writer.randomNumeric();
  Value initial = writer.take(type);
  Id variable = writer.localVariable(type);
  writer.emitVoid(spv::Op::OpStore, {fuzz::id(variable), fuzz::id(initial.id)});
  writer.loop(count, most, [&](Value) {
    Id loaded = writer.emit(spv::Op::OpLoad, type, {fuzz::id(variable)});
    writer.add({loaded, type, false, 0});
    writer.statements(bodySize(writer));
    writer.emitVoid(spv::Op::OpStore, {fuzz::id(variable), fuzz::id(writer.take(type).id)});
  });
  Id result = writer.emit(spv::Op::OpLoad, type, {fuzz::id(variable)});
  writer.add({result, type, false, 0});
}

/// for (i = 0; ; ++i) { ...; if (a) break; ...; if (b) continue; ... } with a carried phi. The
/// condition of the head ends it at the latest.
void writeFlowLoopExits(Writer &writer) {
  Pool &pool = writer.pool();
  Id u32 = pool.intType(32, false);
  unsigned most = static_cast<unsigned>(writer.random().between(2, 6));
  Value count = takeCount(writer, most);
  Id type = writer.randomNumeric();
  Value initial = writer.take(type);
  Id before = writer.currentLabel(), head = writer.newLabel(), inside = writer.newLabel(),
     next = writer.newLabel(), merge = writer.newLabel();
  writer.branch(head);
  writer.begin(head);
  Id counter = writer.phi(u32, {}), carried = writer.phi(type, {});
  Id more =
      writer.emit(spv::Op::OpULessThan, pool.boolType(), {fuzz::id(counter), fuzz::id(count.id)});
  writer.emitVoid(spv::Op::OpLoopMerge, {fuzz::id(merge), fuzz::id(next), literal(0)});
  writer.emitVoid(spv::Op::OpBranchConditional,
                  {fuzz::id(more), fuzz::id(inside), fuzz::id(merge)});
  writer.begin(inside);
  // Who has left the loop does not come back: in its turns flow is nobody's to rely on.
  std::vector<std::pair<Id, Id>> results{{carried, head}}, nexts;
  writer.nested(false, most, [&] {
    writer.add({counter, u32, false, 0});
    writer.add({carried, type, false, 0});
    for (Id target : {merge, next}) {
      writer.statements(bodySize(writer) / 2 + 1);
      Value condition = writer.takeCondition();
      Value value = writer.take(type);
      Id on = writer.newLabel();
      // A branch out of a loop needs no merge of its own, but may have one.
      Id skip = writer.newLabel();
      writer.emitVoid(spv::Op::OpSelectionMerge, {fuzz::id(on), literal(0)});
      writer.emitVoid(spv::Op::OpBranchConditional,
                      {fuzz::id(condition.id), fuzz::id(skip), fuzz::id(on)});
      writer.begin(skip);
      writer.branch(target);
      (target == merge ? results : nexts).push_back({value.id, skip});
      writer.begin(on);
    }
    writer.statements(bodySize(writer) / 2 + 1);
    nexts.push_back({writer.take(type).id, writer.currentLabel()});
  });
  writer.branch(next);
  writer.begin(next);
  Id carriedNext = writer.phi(type, nexts);
  Id increased = writer.emit(spv::Op::OpIAdd, u32, {fuzz::id(counter), fuzz::id(pool.number(1))});
  writer.branch(head);
  writer.setPhi(counter, {{pool.number(0), before}, {increased, next}});
  writer.setPhi(carried, {{initial.id, before}, {carriedNext, next}});
  writer.begin(merge);
  Id result = writer.phi(type, results);
  writer.add({result, type, false, 0});
}

/// Calls one of the functions written so far, with values in scope. The result counts as
/// non-uniform.
void writeFlowCall(Writer &writer) {
  const Writer::Callee &callee = writer.random().pick(writer.callees());
  SmallVector<Operand, 6> operands{fuzz::id(callee.function)};
  for (Id type : callee.parameters)
    operands.push_back(fuzz::id(writer.take(type).id));
  Id id = writer.emit(spv::Op::OpFunctionCall, callee.result, operands);
  writer.add({id, callee.result, false, 0});
}

} // namespace assay::fuzz
