// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory accesses through fat pointers.
#include "compiler/lgc/fat_pointers/Splitter.h"

using namespace llvm;
using namespace assay;

/// Returns the parts of \p pointer as an address for the emitter.
static BufferAddress getAddress(Splitter &splitter, Value *pointer) {
  FatParts parts = splitter.getParts(pointer);
  return {parts.resource, parts.index, parts.offset};
}

/// The emitter emits the load.
static void splitLoad(Splitter &splitter, Instruction &instruction) {
  auto &load = cast<LoadInst>(instruction);
  BufferAddress address = getAddress(splitter, load.getPointerOperand());
  splitter.replace(load, splitter.emitter().emitLoad(splitter.builder(), address, load));
}

/// The emitter emits the store, which has no result.
static void splitStore(Splitter &splitter, Instruction &instruction) {
  auto &store = cast<StoreInst>(instruction);
  BufferAddress address = getAddress(splitter, store.getPointerOperand());
  splitter.emitter().emitStore(splitter.builder(), address, store);
  splitter.replace(store, nullptr);
}

/// The emitter returns the old value, as atomicrmw does.
static void splitAtomic(Splitter &splitter, Instruction &instruction) {
  auto &atomic = cast<AtomicRMWInst>(instruction);
  BufferAddress address = getAddress(splitter, atomic.getPointerOperand());
  splitter.replace(atomic, splitter.emitter().emitAtomic(splitter.builder(), address, atomic));
}

/// The emitter returns {old value, success}, as cmpxchg does.
static void splitCompareExchange(Splitter &splitter, Instruction &instruction) {
  auto &exchange = cast<AtomicCmpXchgInst>(instruction);
  BufferAddress address = getAddress(splitter, exchange.getPointerOperand());
  splitter.replace(exchange,
                   splitter.emitter().emitCompareExchange(splitter.builder(), address, exchange));
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
