// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Last step of lower-buffer-fat-pointers: every instruction that makes or uses a fat pointer is
// written again with its parts. One file a family of instructions (Splitter*.cpp), each a table of
// handlers; this is what they share.
#pragma once

#include "compiler/lgc/fat_pointers/AccessEmitter.h"
#include "compiler/lgc/fat_pointers/Roots.h"
#include "compiler/lgc/fat_pointers/TypeMap.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace assay {

/// A fat pointer, or (all vectors of one length) a vector of them.
struct FatParts {
  llvm::Value *resource = nullptr; ///< ptr addrspace(8).
  llvm::Value *index = nullptr;    ///< i32; null without a stride.
  llvm::Value *offset = nullptr;   ///< i32, bytes.
};

/// Splits one function whose memory holds no fat pointers (PointersInMemory.h) and whose accesses
/// through them are load, store, atomicrmw and cmpxchg (ExpandAccesses.h). Values that hold fat
/// pointers have a counterpart: fat pointers their parts, aggregates a value of the remapped type.
class Splitter {
public:
  /// \p function's blocks can all be reached.
  Splitter(llvm::Function &function, TypeMap &types, const Roots &roots,
           const AccessEmitter &emitter);

  /// \p old, which no instruction may use afterwards, is the argument \p argument now.
  void defineArgument(llvm::Argument &old, llvm::Argument &argument);

  /// Replaces all instructions that have to do with fat pointers.
  void run();

  // For the handlers.

  /// Is at the instruction that is being split.
  llvm::IRBuilder<> &builder() { return m_builder; }
  TypeMap &types() { return m_types; }
  const Roots &roots() const { return m_roots; }
  const AccessEmitter &emitter() const { return m_emitter; }
  const llvm::DataLayout &layout() const { return m_layout; }

  /// Of a fat pointer that is a constant or has been split.
  FatParts getParts(llvm::Value *pointer);
  /// The counterpart of any value, of its remapped type; the value itself if it holds none.
  llvm::Value *getWhole(llvm::Value *value);
  /// The resource that \p root of Roots represents.
  llvm::Value *getResource(llvm::Value *root);

  /// \p old, a fat pointer, is made of \p parts now.
  void define(llvm::Instruction &old, FatParts parts);
  /// \p old, which holds fat pointers, is \p value of the remapped type now.
  void defineWhole(llvm::Instruction &old, llvm::Value *value);
  /// \p old holds none: \p value takes its place; null if it had no result.
  void replace(llvm::Instruction &old, llvm::Value *value);
  /// Phis for \p phi; their operands come when all is split. With \p hasRoot the resource is no
  /// phi, but that of the root.
  void deferPhi(llvm::PHINode &phi, FatParts parts, bool hasRoot);
  void deferPhi(llvm::PHINode &phi, llvm::PHINode *whole);

  /// \p make for each part of fat pointers of \p type: called with a function that takes the part
  /// out of parts. The index only where there is one.
  using Selector = llvm::Value *FatParts::*;
  template <typename MakeT> FatParts forEachPart(llvm::Type *type, MakeT make) {
    FatParts result;
    result.resource = make(&FatParts::resource);
    if (isStrided(type))
      result.index = make(&FatParts::index);
    result.offset = make(&FatParts::offset);
    return result;
  }

private:
  /// A phi that waits for the parts of its operands.
  struct DeferredPhi {
    llvm::PHINode *old;
    FatParts parts;                 ///< Of a fat pointer; what is no phi is left out.
    llvm::PHINode *whole = nullptr; ///< Of an aggregate.
  };

  bool isConcerned(const llvm::Instruction &instruction);
  FatParts getConstantParts(llvm::Constant &pointer);
  llvm::Constant *getConstantWhole(llvm::Constant &value);
  FatParts extractParts(llvm::Value *whole, llvm::Type *type);
  void nameParts(FatParts &parts, llvm::StringRef name);
  void finishPhis();
  void simplifyPhis();
  void finishDebugRecords();
  void eraseOld();
  void eraseUnneeded();

  llvm::Function &m_function;
  TypeMap &m_types;
  const Roots &m_roots;
  const AccessEmitter &m_emitter;
  const llvm::DataLayout &m_layout;
  llvm::IRBuilder<> m_builder;
  llvm::DenseMap<llvm::Value *, FatParts> m_parts;
  llvm::DenseMap<llvm::Value *, llvm::Value *> m_wholes;
  llvm::SmallVector<DeferredPhi, 8> m_phis;
  /// To be erased at the end.
  llvm::SmallVector<llvm::Instruction *, 32> m_old;
  llvm::SmallVector<llvm::WeakTrackingVH, 32> m_made; ///< Goes again if nobody needs it.
  llvm::DenseSet<llvm::Instruction *> m_given;        ///< Of before.
};

/// The handler of an opcode or intrinsic, be it one of the architecture of \p emitter; null where
/// fat pointers have no meaning in it.
SplitHandler findSplitHandler(const llvm::Instruction &instruction, const AccessEmitter &emitter);

/// A row of a family's table.
struct OpcodeHandler {
  unsigned opcode;
  SplitHandler handler;
};
struct IntrinsicHandler {
  llvm::Intrinsic::ID intrinsic;
  SplitHandler handler;
};

/// The families' tables.
llvm::ArrayRef<OpcodeHandler> getMemoryHandlers();
llvm::ArrayRef<OpcodeHandler> getAddressHandlers();
llvm::ArrayRef<OpcodeHandler> getCastHandlers();
llvm::ArrayRef<OpcodeHandler> getJoinHandlers();
llvm::ArrayRef<OpcodeHandler> getElementHandlers();
llvm::ArrayRef<OpcodeHandler> getCallHandlers();
llvm::ArrayRef<IntrinsicHandler> getIntrinsicHandlers();

} // namespace assay
