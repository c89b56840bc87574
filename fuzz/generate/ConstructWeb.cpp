// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Webs of phis, switches whose cases fall through, several ways out of a function, and places that
// nobody reaches.
#include "fuzz/generate/Constructs.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

/// Number of statements of a nested body, before the budget ends it.
static unsigned bodySize(Writer &writer) {
  return static_cast<unsigned>(writer.random().between(1, 4));
}

/// A loop whose head has phis of one type that take each other's values, all at once: a parallel
/// copy that must not be done one after the other.
void writeWebRotation(Writer &writer) {
  Pool &pool = writer.pool();
  Random &random = writer.random();
  Id u32 = pool.intType(32, false), type = writer.randomNumeric();
  unsigned most = static_cast<unsigned>(random.between(1, 5));
  unsigned width = static_cast<unsigned>(random.between(2, 4));
  Value count = writer.takeIndex(most + 1);
  SmallVector<Value, 4> initial;
  for (unsigned i = 0; i < width; ++i)
    initial.push_back(writer.take(type));
  Id before = writer.currentLabel(), head = writer.newLabel(), inside = writer.newLabel(),
     next = writer.newLabel(), merge = writer.newLabel();
  writer.branch(head);
  writer.begin(head);
  Id counter = writer.phi(u32, {});
  SmallVector<Id, 4> carried;
  for (unsigned i = 0; i < width; ++i)
    carried.push_back(writer.phi(type, {}));
  Id more =
      writer.emit(spv::Op::OpULessThan, pool.boolType(), {fuzz::id(counter), fuzz::id(count.id)});
  writer.emitVoid(spv::Op::OpLoopMerge, {fuzz::id(merge), fuzz::id(next), literal(0)});
  writer.emitVoid(spv::Op::OpBranchConditional,
                  {fuzz::id(more), fuzz::id(inside), fuzz::id(merge)});
  writer.begin(inside);
  Id last = carried.front();
  writer.nested(count.isUniform, most, [&] {
    for (Id each : carried)
      writer.add({each, type, false, 0});
    writer.statements(bodySize(writer));
    if (random.oneIn(2)) // Else the phis only change places.
      last = writer.take(type).id;
  });
  writer.branch(next);
  writer.begin(next);
  Id increased = writer.emit(spv::Op::OpIAdd, u32, {fuzz::id(counter), fuzz::id(pool.number(1))});
  writer.branch(head);
  writer.setPhi(counter, {{pool.number(0), before}, {increased, next}});
  for (unsigned i = 0; i < width; ++i)
    writer.setPhi(carried[i],
                  {{initial[i].id, before}, {i + 1 < width ? carried[i + 1] : last, next}});
  writer.begin(merge);
  for (Id each : carried)
    writer.add({each, type, false, 0});
}

/// Each case may go on into the next, with phis that tell how it was reached; one phi after all.
void writeWebFallThrough(Writer &writer) {
  Random &random = writer.random();
  unsigned cases = static_cast<unsigned>(random.between(2, 5));
  Value selector = writer.takeIndex(cases + 2);
  Id type = writer.randomNumeric(), header = writer.currentLabel(), merge = writer.newLabel();
  Value entry = writer.take(type);
  SmallVector<Id, 6> labels;
  SmallVector<Operand, 12> operands{fuzz::id(selector.id), fuzz::id(merge)};
  for (unsigned i = 0; i < cases; ++i) {
    labels.push_back(writer.newLabel());
    operands.push_back(literal(i));
    operands.push_back(fuzz::id(labels.back()));
  }
  writer.emitVoid(spv::Op::OpSelectionMerge, {fuzz::id(merge), literal(0)});
  writer.emitVoid(spv::Op::OpSwitch, operands);
  std::vector<std::pair<Id, Id>> results{{entry.id, header}};
  std::optional<std::pair<Id, Id>> falling; // Value, label of the case before.
  for (unsigned i = 0; i < cases; ++i) {
    writer.begin(labels[i]);
    SmallVector<std::pair<Id, Id>, 2> sources{{entry.id, header}};
    if (falling)
      sources.push_back(*falling);
    Id start = writer.phi(type, sources);
    falling.reset();
    std::pair<Id, Id> result;
    // Lanes that fall through meet those that came directly: uniform as the selector is.
    writer.nested(selector.isUniform, 1, [&] {
      writer.add({start, type, false, 0});
      writer.statements(bodySize(writer));
      Id id = writer.take(type).id;
      result = {id, writer.currentLabel()};
    });
    bool falls = i + 1 < cases && random.chance(60);
    writer.branch(falls ? labels[i + 1] : merge);
    if (falls)
      falling = result;
    else
      results.push_back(result);
  }
  writer.begin(merge);
  writer.add({writer.phi(type, results), type, false, 0});
}

/// The function's result, given early; of the entry point all invocations of a workgroup leave.
static void leave(Writer &writer) {
  Id type = writer.resultType();
  if (writer.isInEntryPoint())
    writer.emitVoid(spv::Op::OpReturn, {});
  else
    writer.emitVoid(spv::Op::OpReturnValue, {fuzz::id(writer.take(type).id)});
}

/// if (condition) { ...; return; }. In the entry point by a uniform value alone, seldom true: what
/// comes after relies on everyone.
void writeWebReturn(Writer &writer) {
  Value condition = writer.takeCondition();
  if (writer.isInEntryPoint()) {
    Pool &pool = writer.pool();
    Id u32 = pool.intType(32, false);
    Value word = writer.loadUniformInput();
    condition = {writer.emit(spv::Op::OpIEqual, pool.boolType(),
                             {fuzz::id(word.id), fuzz::id(writer.constant(u32).id)}),
                 pool.boolType(), true, 0};
  }
  Id early = writer.newLabel(), merge = writer.newLabel();
  writer.emitVoid(spv::Op::OpSelectionMerge, {fuzz::id(merge), literal(0)});
  writer.emitVoid(spv::Op::OpBranchConditional,
                  {fuzz::id(condition.id), fuzz::id(early), fuzz::id(merge)});
  writer.begin(early);
  writer.nested(condition.isUniform, 1, [&] {
    writer.statements(bodySize(writer));
    leave(writer);
  });
  writer.begin(merge);
}

/// A switch whose default nobody takes; in functions all cases but the last may return.
void writeWebUnreachable(Writer &writer) {
  Random &random = writer.random();
  unsigned cases = static_cast<unsigned>(random.between(2, 4));
  bool returns = !writer.isInEntryPoint() && random.oneIn(2);
  Value selector = writer.takeIndex(cases);
  Id type = writer.randomNumeric(), nobody = writer.newLabel(), merge = writer.newLabel();
  SmallVector<Operand, 12> operands{fuzz::id(selector.id), fuzz::id(nobody)};
  SmallVector<Id, 4> labels;
  for (unsigned i = 0; i < cases; ++i) {
    labels.push_back(writer.newLabel());
    operands.push_back(literal(i));
    operands.push_back(fuzz::id(labels.back()));
  }
  writer.emitVoid(spv::Op::OpSelectionMerge, {fuzz::id(merge), literal(0)});
  writer.emitVoid(spv::Op::OpSwitch, operands);
  std::vector<std::pair<Id, Id>> results;
  for (auto [index, label] : enumerate(labels)) {
    writer.begin(label);
    bool isLast = index + 1 == labels.size();
    writer.nested(selector.isUniform, 1, [&] {
      writer.statements(bodySize(writer));
      if (returns && !isLast)
        return leave(writer);
      Id value = writer.take(type).id;
      results.push_back({value, writer.currentLabel()});
      writer.branch(merge);
    });
  }
  writer.begin(nobody);
  writer.emitVoid(spv::Op::OpUnreachable, {});
  writer.begin(merge);
  writer.add({writer.phi(type, results), type, false, 0});
}

} // namespace assay::fuzz
