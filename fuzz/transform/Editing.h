// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What several transformations do to code: choose places, emit, split blocks, replace uses.
#pragma once

#include "fuzz/program/Pool.h"
#include "fuzz/transform/Context.h"
#include "fuzz/transform/Transform.h"
#include "support/Random.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace assay::fuzz {

/// Instructions under construction, with new ids, types and constants of the case's program.
class Emitter {
public:
  explicit Emitter(Context &context)
      : m_program(context.edit().program), m_pool(context.edit().program) {}

  Pool &pool() { return m_pool; }
  Id fresh() { return m_program.fresh(); }
  Id emit(spv::Op opcode, Id type, llvm::ArrayRef<Operand> operands);
  /// As emit, for a result that has its id already.
  void emitAs(Id result, spv::Op opcode, Id type, llvm::ArrayRef<Operand> operands);
  void emitVoid(spv::Op opcode, llvm::ArrayRef<Operand> operands);
  /// A new variable of \p type without a layout: in \p function, or for another class than Function
  /// at module scope.
  Id variable(Function &function, spv::StorageClass storage, Id type);
  /// A module-scope OpUndef.
  Id undefined(Id type);
  /// Puts what was emitted before instruction \p index of \p block, and begins again.
  void insertInto(Block &block, size_t index);

private:
  Program &m_program;
  Pool m_pool;
  std::vector<Instruction> m_instructions;
};

/// A place in reachable code where instructions may be put, each block equally likely; none where
/// chance found none.
std::optional<Place> pickInsertion(const Context &context, Random &random);
/// One of the reachable instructions that \p accept accepts.
std::optional<Place> pickInstruction(const Context &context, Random &random,
                                     llvm::function_ref<bool(Place, const Instruction &)> accept);

/// Whether a block may be split at \p place: an insertion, its block is no loop header, and no
/// OpSampledImage is parted from its users.
bool isSplittable(const Context &context, Place place);
/// The index of the block of \p label, which there must be.
size_t indexOf(const Function &function, Id label);
/// Puts \p blocks in front of the block of \p label.
void insertBefore(Function &function, Id label, std::vector<Block> blocks);
/// Moves what begins at instruction \p index of block \p block into a new one, \p label, that
/// is right after it and to which the first part branches.
void splitBlock(Function &function, size_t block, size_t index, Id label);
/// Phis of \p block that name \p from as the block they come from name \p to.
void renamePhiSources(Block &block, Id from, Id to);

/// Whether another value of the same type may replace the operand by SPIR-V's rules:
/// data, and none that must be a constant or the same in all invocations.
bool isReplaceable(const Context &context, const Use &use);
/// One of the reachable, replaceable uses that \p accept accepts.
std::optional<Use> pickUse(const Context &context, Random &random,
                           llvm::function_ref<bool(const Use &)> accept);
/// Whether \p value is data, of numbers and bools alone: no pointer, no image; and may be used
/// by any instruction.
bool mayBePhi(const Context &context, Id value);
/// Whether an instruction does nothing but compute its result from its operands.
bool isPure(const Instruction &instruction);
/// Uses of \p value that are replaceable, and at which \p place is after it: what is at the place
/// dominates them.
std::vector<Use> replaceableUsesAfter(const Context &context, Id value, Place place);
/// Names \p to in \p use. By the place that the use had before anything was changed.
void replaceUse(Program &program, const Use &use, Id to);

/// Names \p to in \p use, after what \p emitter holds, which is put in front of the user.
void substitute(Context &context, const Use &use, Id to, Emitter &emitter);
/// Puts a copy of the instruction of \p result right after it; some of the replaceable uses, by
/// \p seed, name the copy. Broken: they name 0.
void duplicateAfter(Context &context, Id result, uint64_t seed);

/// The type of a scalar, or of a vector's components, for \p type; null for other types.
const Instruction *scalarOf(const Context &context, Id type);
/// A constant of scalar or vector \p type, of components that are numbers of these \p bits, or
/// true for any but 0.
Id constantSplat(Pool &pool, Id type, uint64_t bits);

/// Tests only: \p function has its last store no more, if it has one.
void loseLastStore(Function &function);
/// Tests only: turns the branch around the dead code at \p place, so that it is executed.
void reviveDeadCode(Context &context, Place place);

/// Whether variables of \p type may stand outside of buffers: data alone, without a layout.
bool isPlainData(const Context &context, Id type);
/// Whether \p id is a scalar constant that no specialization changes.
bool isScalarConstant(const Context &context, Id id);

inline void append(std::vector<uint64_t> &numbers, Anchor anchor) {
  numbers.insert(numbers.end(), {anchor.id, anchor.offset});
}
/// The anchor in numbers \p index and the next.
inline Anchor anchorIn(const Step &step, size_t index) {
  return {step.id(index), static_cast<uint32_t>(step.number(index + 1))};
}

inline void append(std::vector<uint64_t> &numbers, const Context &context, const Use &use) {
  append(numbers, context.anchorOf(use.place));
  numbers.push_back(use.operand);
}
/// The use in numbers \p index to \p index + 2: an operand of a reachable instruction that is
/// replaceable; or none.
std::optional<Use> useIn(const Context &context, const Step &step, size_t index);

} // namespace assay::fuzz
