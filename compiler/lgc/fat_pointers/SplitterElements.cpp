// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements of vectors of fat pointers, and of aggregates that hold fat pointers.
#include "compiler/lgc/fat_pointers/Splitter.h"

#include "support/Fault.h"

using namespace llvm;
using namespace assay;

/// Extracts the element of each part's vector.
static void splitExtractElement(Splitter &splitter, Instruction &instruction) {
  auto &extract = cast<ExtractElementInst>(instruction);
  IRBuilder<> &builder = splitter.builder();
  FatParts parts = splitter.getParts(extract.getVectorOperand());
  Value *lane = extract.getIndexOperand();
  splitter.define(extract, splitter.forEachPart(extract.getType(), [&](Splitter::Selector part) {
    bool isWrong = faultPlanted(Fault::FatWrongElement) && part == &FatParts::offset;
    return builder.CreateExtractElement(parts.*part,
                                        isWrong ? ConstantInt::get(lane->getType(), 0) : lane);
  }));
}

/// Inserts the element into each part's vector.
static void splitInsertElement(Splitter &splitter, Instruction &instruction) {
  auto &insert = cast<InsertElementInst>(instruction);
  IRBuilder<> &builder = splitter.builder();
  FatParts vectors = splitter.getParts(insert.getOperand(0));
  FatParts element = splitter.getParts(insert.getOperand(1));
  splitter.define(insert, splitter.forEachPart(insert.getType(), [&](Splitter::Selector part) {
    return builder.CreateInsertElement(vectors.*part, element.*part, insert.getOperand(2));
  }));
}

/// Shuffles each part's vector by the same mask.
static void splitShuffle(Splitter &splitter, Instruction &instruction) {
  auto &shuffle = cast<ShuffleVectorInst>(instruction);
  IRBuilder<> &builder = splitter.builder();
  FatParts first = splitter.getParts(shuffle.getOperand(0));
  FatParts second = splitter.getParts(shuffle.getOperand(1));
  splitter.define(shuffle, splitter.forEachPart(shuffle.getType(), [&](Splitter::Selector part) {
    return builder.CreateShuffleVector(first.*part, second.*part, shuffle.getShuffleMask());
  }));
}

/// The place of \p part of a fat pointer at \p indices of an aggregate.
static SmallVector<unsigned, 4> getPlace(ArrayRef<unsigned> indices, Splitter::Selector part,
                                         Type *pointer) {
  SmallVector<unsigned, 4> place(indices);
  unsigned offset = isStrided(pointer) ? 2 : 1;
  place.push_back(part == &FatParts::resource ? 0 : part == &FatParts::index ? 1 : offset);
  return place;
}

/// A fat pointer is extracted part by part, anything else as a whole.
static void splitExtractValue(Splitter &splitter, Instruction &instruction) {
  auto &extract = cast<ExtractValueInst>(instruction);
  IRBuilder<> &builder = splitter.builder();
  Value *aggregate = splitter.getWhole(extract.getAggregateOperand());
  Type *type = extract.getType();
  if (isFatPointer(type)) {
    splitter.define(extract, splitter.forEachPart(type, [&](Splitter::Selector part) {
      return builder.CreateExtractValue(aggregate, getPlace(extract.getIndices(), part, type));
    }));
    return;
  }
  Value *value = builder.CreateExtractValue(aggregate, extract.getIndices());
  if (splitter.types().holdsFatPointer(type))
    splitter.defineWhole(extract, value);
  else
    splitter.replace(extract, value);
}

/// A fat pointer is inserted part by part, anything else as a whole.
static void splitInsertValue(Splitter &splitter, Instruction &instruction) {
  auto &insert = cast<InsertValueInst>(instruction);
  IRBuilder<> &builder = splitter.builder();
  Value *aggregate = splitter.getWhole(insert.getAggregateOperand());
  Value *inserted = insert.getInsertedValueOperand();
  Type *type = inserted->getType();
  if (!isFatPointer(type)) {
    Value *value = splitter.getWhole(inserted);
    splitter.defineWhole(insert, builder.CreateInsertValue(aggregate, value, insert.getIndices()));
    return;
  }
  FatParts parts = splitter.getParts(inserted);
  splitter.forEachPart(type, [&](Splitter::Selector part) {
    return aggregate = builder.CreateInsertValue(aggregate, parts.*part,
                                                 getPlace(insert.getIndices(), part, type));
  });
  splitter.defineWhole(insert, aggregate);
}

ArrayRef<OpcodeHandler> assay::getElementHandlers() {
  static constexpr OpcodeHandler table[] = {
      {Instruction::ExtractElement, splitExtractElement},
      {Instruction::InsertElement, splitInsertElement},
      {Instruction::ShuffleVector, splitShuffle},
      {Instruction::ExtractValue, splitExtractValue},
      {Instruction::InsertValue, splitInsertValue},
  };
  return table;
}
