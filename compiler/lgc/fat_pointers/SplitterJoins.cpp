// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Phi, select and freeze of what holds fat pointers.
#include "compiler/lgc/fat_pointers/Splitter.h"

#include "support/Fault.h"

using namespace llvm;
using namespace assay;

/// An empty phi for each part; \p resource, if there is one, represents that part.
static FatParts makePhis(Splitter &splitter, PHINode &phi, Value *resource) {
  IRBuilder<> &builder = splitter.builder();
  unsigned count = phi.getNumIncomingValues();
  Type *type = phi.getType();
  Type *number = getTypeLike(type, builder.getInt32Ty());
  FatParts parts;
  parts.resource =
      resource ? resource
               : builder.CreatePHI(getTypeLike(type, builder.getPtrTy(ResourceSpace)), count);
  if (isStrided(type))
    parts.index = builder.CreatePHI(number, count);
  parts.offset = builder.CreatePHI(number, count);
  return parts;
}

/// The resource that both or all operands of \p join share, or null.
static Value *findResource(Splitter &splitter, Instruction &join) {
  Value *root = splitter.roots().find(join);
  if (faultPlanted(Fault::FatWrongRoot) && isa<PHINode>(join))
    root = join.getOperand(0);
  return root ? splitter.getResource(root) : nullptr;
}

/// Makes a phi for each part, or one of the remapped type for an aggregate; operands follow at the
/// end.
static void splitPhi(Splitter &splitter, Instruction &instruction) {
  auto &phi = cast<PHINode>(instruction);
  if (isFatPointer(phi.getType())) {
    Value *resource = findResource(splitter, phi);
    splitter.deferPhi(phi, makePhis(splitter, phi, resource), resource != nullptr);
    return;
  }
  Type *type = splitter.types().remap(phi.getType());
  splitter.deferPhi(phi, splitter.builder().CreatePHI(type, phi.getNumIncomingValues()));
}

/// Of equal values, without an instruction.
static Value *select(IRBuilder<> &builder, SelectInst &old, Value *whenTrue, Value *whenFalse) {
  if (whenTrue == whenFalse)
    return whenTrue;
  return builder.CreateSelect(old.getCondition(), whenTrue, whenFalse, "", &old);
}

/// Selects each part, except the resource where both sides have one root.
static void splitSelect(Splitter &splitter, Instruction &instruction) {
  auto &old = cast<SelectInst>(instruction);
  IRBuilder<> &builder = splitter.builder();
  if (!isFatPointer(old.getType())) {
    splitter.defineWhole(old, select(builder, old, splitter.getWhole(old.getTrueValue()),
                                     splitter.getWhole(old.getFalseValue())));
    return;
  }
  FatParts whenTrue = splitter.getParts(old.getTrueValue());
  FatParts whenFalse = splitter.getParts(old.getFalseValue());
  if (faultPlanted(Fault::FatSelectSwapped))
    std::swap(whenTrue.offset, whenFalse.offset);
  Value *resource = findResource(splitter, old);
  splitter.define(old, splitter.forEachPart(old.getType(), [&](Splitter::Selector part) {
    if (resource && part == &FatParts::resource)
      return resource;
    return select(builder, old, whenTrue.*part, whenFalse.*part);
  }));
}

/// Freezes each part. The parts of poison may become unrelated values, which freeze allows.
static void splitFreeze(Splitter &splitter, Instruction &instruction) {
  IRBuilder<> &builder = splitter.builder();
  Value *operand = instruction.getOperand(0);
  if (!isFatPointer(instruction.getType())) {
    splitter.defineWhole(instruction, builder.CreateFreeze(splitter.getWhole(operand)));
    return;
  }
  FatParts parts = splitter.getParts(operand);
  splitter.define(
      instruction, splitter.forEachPart(operand->getType(), [&](Splitter::Selector part) {
        return faultPlanted(Fault::FatFreezeDropped) ? parts.*part
                                                     : builder.CreateFreeze(parts.*part);
      }));
}

ArrayRef<OpcodeHandler> assay::getJoinHandlers() {
  static constexpr OpcodeHandler table[] = {
      {Instruction::PHI, splitPhi},
      {Instruction::Select, splitSelect},
      {Instruction::Freeze, splitFreeze},
  };
  return table;
}
