// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory accesses through fat pointers.
#include "compiler/lgc/fat_pointers/BufferAccess.h"
#include "compiler/lgc/fat_pointers/Splitter.h"

using namespace llvm;
using namespace assay;

static BufferAddress getAddress(Splitter &splitter, Value *pointer) {
  FatParts parts = splitter.getParts(pointer);
  return {parts.resource, parts.index, parts.offset};
}

static void splitLoad(Splitter &splitter, Instruction &instruction) {
  auto &load = cast<LoadInst>(instruction);
  BufferAddress address = getAddress(splitter, load.getPointerOperand());
  splitter.replace(
      load, emitBufferLoad(splitter.builder(), address, load.getType(), getAccessTraits(load)));
}

static void splitStore(Splitter &splitter, Instruction &instruction) {
  auto &store = cast<StoreInst>(instruction);
  BufferAddress address = getAddress(splitter, store.getPointerOperand());
  emitBufferStore(splitter.builder(), address, store.getValueOperand(), getAccessTraits(store));
  splitter.replace(store, nullptr);
}

static void splitAtomic(Splitter &splitter, Instruction &instruction) {
  auto &atomic = cast<AtomicRMWInst>(instruction);
  BufferAddress address = getAddress(splitter, atomic.getPointerOperand());
  splitter.replace(atomic, emitBufferAtomic(splitter.builder(), address, atomic.getOperation(),
                                            atomic.getValOperand(), getAccessTraits(atomic)));
}

static void splitCompareExchange(Splitter &splitter, Instruction &instruction) {
  auto &exchange = cast<AtomicCmpXchgInst>(instruction);
  BufferAddress address = getAddress(splitter, exchange.getPointerOperand());
  Value *result =
      emitBufferCompareExchange(splitter.builder(), address, exchange.getCompareOperand(),
                                exchange.getNewValOperand(), getAccessTraits(exchange));
  splitter.replace(exchange, result);
}

ArrayRef<OpcodeHandler> assay::getMemoryHandlers() {
  static constexpr OpcodeHandler table[] = {
      {Instruction::Load, splitLoad},
      {Instruction::Store, splitStore},
      {Instruction::AtomicRMW, splitAtomic},
      {Instruction::AtomicCmpXchg, splitCompareExchange},
  };
  return table;
}
