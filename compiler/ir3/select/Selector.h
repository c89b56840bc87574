// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One selection. Every value is a list of scalars of 32 bits, each a source of later instructions:
// vectors and structures are their components, integers of 64 bits their halves, pointers to
// buffers byte offsets. Families of instructions are in files of their own, as tables.
#pragma once

#include "compiler/ir3/ir/Builder.h"
#include "compiler/ir3/select/Select.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace assay {
class LoadBufferDescOp;
} // namespace assay

namespace assay::ir3 {

using Scalars = llvm::SmallVector<Register, 4>;

class Selector {
public:
  Selector(llvm::Function &function, const Interface &interface, Program &program);
  llvm::Error run();

  // What families use.
  Builder &builder() { return m_builder; }
  const Interface &interface() const { return m_interface; }
  Program &program() { return m_program; }
  const llvm::DataLayout &layout() const { return m_layout; }
  /// The scalars of \p value, which has been selected or is a constant.
  Scalars get(const llvm::Value *value);
  Register getOne(const llvm::Value *value) { return get(value)[0]; }
  void set(const llvm::Value *value, Scalars scalars) { m_values[value] = std::move(scalars); }
  /// An instruction of one result.
  Register emit(Opcode opcode, llvm::ArrayRef<Register> sources) {
    return m_builder.create(opcode, sources)->value();
  }
  Register emitCompare(Opcode opcode, Condition condition, Register left, Register right) {
    return m_builder.compareValue(opcode, condition, left, right)->value();
  }
  static Register number(uint32_t value) { return Register::immediate(value); }
  /// The first error; later ones count for nothing.
  void fail(const llvm::Instruction &inst, const llvm::Twine &why);
  bool hasFailed() const { return bool(m_problem.size()); }
  /// Byte offset of a global variable in workgroup memory, and of an alloca in private memory.
  uint32_t offsetOf(const llvm::Value *object) const { return m_offsets.lookup(object); }
  /// The array in registers that \p pointer leads into; nothing for memory.
  std::optional<unsigned> arrayOf(const llvm::Value *pointer) const;

private:
  llvm::Error placeObjects();
  void orderBlocks();
  void selectBlock(llvm::BasicBlock &block);
  void selectInstruction(llvm::Instruction &inst);
  void startPhi(llvm::PHINode &phi);
  void finishPhis();
  void selectTerminator(llvm::Instruction &inst);
  Scalars getConstant(const llvm::Constant *constant);

  llvm::Function &m_function;
  const Interface &m_interface;
  Program &m_program;
  const llvm::DataLayout &m_layout;
  Builder m_builder;
  std::vector<llvm::BasicBlock *> m_order;
  llvm::DenseMap<const llvm::BasicBlock *, Block *> m_blocks;
  llvm::DenseMap<const llvm::Value *, Scalars> m_values;
  llvm::DenseMap<const llvm::Value *, uint32_t> m_offsets;
  llvm::DenseMap<const llvm::Value *, unsigned> m_arrays; ///< Variables in registers.
  std::vector<std::pair<llvm::PHINode *, llvm::SmallVector<Instruction *, 4>>> m_phis;
  std::string m_problem;
};

/// How many scalars a value of \p type has; 0 for a type without a selection.
unsigned countScalars(llvm::Type *type);

/// Each returns false for an instruction of another family.
bool selectArithmetic(Selector &selector, llvm::Instruction &inst);
bool selectConversion(Selector &selector, llvm::Instruction &inst);
/// The conversions that pass PromoteNarrow leaves; the only instructions with narrow types.
bool selectHalf(Selector &selector, llvm::Instruction &inst);
bool selectMemory(Selector &selector, llvm::Instruction &inst);
bool selectCall(Selector &selector, llvm::CallInst &call);
/// Ops of storage images and texel buffers, then those of the texture unit.
bool selectImage(Selector &selector, llvm::CallInst &call);
bool selectTexture(Selector &selector, llvm::CallInst &call);
/// The functions of lower/WaveFunctions.h.
bool selectWaveFunction(Selector &selector, llvm::CallInst &call);

/// 32-bit multiplication of the low halves: mull.u and two madsh.m16.
Register multiply(Selector &selector, Register a, Register b);
/// A binary instruction \p opcode of LLVM on integers of 64 bits, each two scalars.
Scalars wideArithmetic(Selector &selector, unsigned opcode, Scalars a, Scalars b);
/// The high 32 bits of a product.
Register multiplyHigh(Selector &selector, Register a, Register b, bool isSigned);

} // namespace assay::ir3
