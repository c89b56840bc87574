// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control flow that stays structured, and the choice of what comes next.
#include "fuzz/generate/Writer.h"

#include "llvm/ADT/STLExtras.h"
#include <cassert>

using namespace llvm;

namespace assay::fuzz {

/// Returns the label of the block that is being written.
Id Writer::currentLabel() const {
  return m_function->blocks.back().label;
}

/// Appends a block; the previous one must have its terminator.
void Writer::begin(Id label) {
  m_function->blocks.push_back({label, {}});
}

/// Replaces the operands of a phi by pairs of value and label.
static void setSources(Instruction &phi, ArrayRef<std::pair<Id, Id>> sources) {
  phi.operands.clear();
  for (auto [value, label] : sources) {
    phi.operands.push_back(fuzz::id(value));
    phi.operands.push_back(fuzz::id(label));
  }
}

/// Inserts after the phis that the block has.
Id Writer::phi(Id type, ArrayRef<std::pair<Id, Id>> sources) {
  std::vector<Instruction> &body = m_function->blocks.back().body;
  Instruction phi{spv::Op::OpPhi, type, m_program.fresh(), {}};
  setSources(phi, sources);
  auto place =
      find_if_not(body, [](const Instruction &each) { return each.opcode == spv::Op::OpPhi; });
  return body.insert(place, std::move(phi))->result;
}

/// Replaces the sources of a phi of the current function.
void Writer::setPhi(Id phi, ArrayRef<std::pair<Id, Id>> sources) {
  for (Block &block : reverse(m_function->blocks))
    for (Instruction &each : block.body)
      if (each.result == phi)
        return setSources(each, sources);
  llvm_unreachable("no such phi");
}

/// Scope, uniformity, depth and repeats are restored afterwards, whatever the body does.
void Writer::nested(bool uniform, unsigned repeats, function_ref<void()> body) {
  size_t scope = m_scope.size();
  bool wasUniform = m_isUniform;
  m_isUniform &= uniform;
  m_repeats *= repeats;
  ++m_depth;
  body();
  --m_depth;
  m_repeats /= repeats;
  m_isUniform = wasUniform;
  m_scope.resize(scope);
}

/// Writes a selection with both sides. What a side adds to the scope is gone after it. Writing
/// continues in the merge block.
void Writer::select(const Value &condition, function_ref<void()> yes, function_ref<void()> no) {
  Id yesLabel = newLabel(), noLabel = newLabel(), merge = newLabel();
  emitVoid(spv::Op::OpSelectionMerge, {fuzz::id(merge), literal(0)});
  emitVoid(spv::Op::OpBranchConditional,
           {fuzz::id(condition.id), fuzz::id(yesLabel), fuzz::id(noLabel)});
  for (auto [label, body] : {std::pair(yesLabel, yes), std::pair(noLabel, no)}) {
    begin(label);
    nested(condition.isUniform, 1, body);
    branch(merge);
  }
  begin(merge);
}

/// The head has the counter's phi and the merge instruction; the test is in the next block.
void Writer::loop(const Value &count, unsigned most, function_ref<void(Value)> body) {
  Id u32 = m_pool.intType(32, false);
  Id before = currentLabel(), head = newLabel(), test = newLabel(), inside = newLabel(),
     next = newLabel(), merge = newLabel();
  branch(head);
  begin(head);
  Value counter{phi(u32, {}), u32, count.isUniform, 0};
  emitVoid(spv::Op::OpLoopMerge, {fuzz::id(merge), fuzz::id(next), literal(0)});
  branch(test);
  begin(test);
  Id more =
      emit(spv::Op::OpULessThan, m_pool.boolType(), {fuzz::id(counter.id), fuzz::id(count.id)});
  emitVoid(spv::Op::OpBranchConditional, {fuzz::id(more), fuzz::id(inside), fuzz::id(merge)});
  begin(inside);
  nested(count.isUniform, std::max(most, 1u), [&] {
    add(counter);
    body(counter);
  });
  branch(next);
  begin(next);
  Id increased = emit(spv::Op::OpIAdd, u32, {fuzz::id(counter.id), fuzz::id(m_pool.number(1))});
  branch(head);
  setPhi(counter.id, {{m_pool.number(0), before}, {increased, next}});
  begin(merge);
}

namespace {
/// A bit of Needs and whether the place of the writer has it.
struct NeedRow {
  Needs need;
  bool (*isMet)(const Writer &, const Construct &);
};
} // namespace

/// True while the case has fewer than \p most images, or other buffers.
static bool hasRoomFor(const Writer &writer, bool isImage, size_t most) {
  return static_cast<size_t>(
             count_if(writer.generated().buffers, [&](const GeneratedBuffer &buffer) {
               return isTexels(buffer.kind) == isImage;
             })) < most;
}

/// A case has at most 8 buffers, 6 images and 12 specialization constants. A place may be executed
/// 32 times for Turns, 8 times for FewTurns and 16 times for Calls.
static constexpr NeedRow needRows[] = {
    {InEntryPoint, [](const Writer &w, const Construct &) { return w.isInEntryPoint(); }},
    {InUniformFlow,
     [](const Writer &w, const Construct &) { return w.isInEntryPoint() && w.isUniformFlow(); }},
    {Nests, [](const Writer &w, const Construct &) { return w.mayNest(); }},
    {Turns, [](const Writer &w, const Construct &) { return w.repeats() <= 32; }},
    {FewTurns, [](const Writer &w, const Construct &) { return w.repeats() <= 8; }},
    {AddsBuffer, [](const Writer &w, const Construct &) { return hasRoomFor(w, false, 8); }},
    {AddsImage, [](const Writer &w, const Construct &) { return hasRoomFor(w, true, 6); }},
    {Specializes,
     [](const Writer &w, const Construct &) { return w.generated().specialization.size() < 12; }},
    {Calls,
     [](const Writer &w, const Construct &) { return !w.callees().empty() && w.repeats() <= 16; }},
    {Leaves,
     [](const Writer &w, const Construct &) { return !w.isInEntryPoint() || w.isUniformFlow(); }},
    {Shares, [](const Writer &w, const Construct &) { return w.mayShare(false); }},
    {SharesBlock, [](const Writer &w, const Construct &) { return w.mayShare(true); }},
    {Once, [](const Writer &w,
              const Construct &c) { return !w.generated().constructs.contains(c.name.str()); }},
};

/// True if all that the construct needs is met at this place.
bool Writer::fits(const Construct &construct) const {
  return all_of(needRows, [&](const NeedRow &row) {
    return !(construct.needs & row.need) || row.isMet(*this, construct);
  });
}

/// A construct that does not fit is drawn again, eight times at most; then the statement is left
/// out.
void Writer::statements(unsigned count) {
  for (; count > 0 && m_budget > 0; --count) {
    uint64_t total = 0;
    SmallVector<std::pair<const Construct *, uint64_t>, 64> choices;
    for (const Construct &each : constructs()) {
      auto weight = m_profile.weights.find(each.name.str());
      total += weight == m_profile.weights.end() ? each.weight : weight->second;
      choices.push_back({&each, total});
    }
    // Another draw where the construct may not stand here: the mix stays what the weights say.
    for (unsigned draw = 0; total && draw < 8; ++draw) {
      uint64_t at = m_random.below(total);
      const Construct *chosen =
          find_if(choices, [&](const auto &choice) { return at < choice.second; })->first;
      if (!fits(*chosen))
        continue;
      m_generated.constructs.insert(chosen->name.str());
      chosen->write(*this);
      break;
    }
  }
}

} // namespace assay::fuzz
