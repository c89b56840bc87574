// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What becomes of types that hold fat pointers: as values, and in memory.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Attributes.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DerivedTypes.h"

namespace assay {

/// Address spaces of the fat pointers and of their resources (LLVM's AMDGPUUsage, "Address
/// Spaces").
enum FatPointerSpace : unsigned {
  FatSpace = 7,        ///< {resource, i32 offset}: 160 bits.
  ResourceSpace = 8,   ///< 128 bits.
  StridedFatSpace = 9, ///< {resource, i32 index, i32 offset}: 192 bits.
};

/// A fat pointer, or a vector of them.
bool isFatPointer(const llvm::Type *type);

/// Of a fat pointer, or a vector of them: whether it has an index.
bool isStrided(const llvm::Type *type);

/// How many bits the number has that \p type (a fat pointer or a vector of them) is: 160 or 192.
unsigned getFatPointerBits(const llvm::Type *type);

/// \p scalar, or the vector of it that has as many elements as \p shape.
llvm::Type *getTypeLike(const llvm::Type *shape, llvm::Type *scalar);

/// Remembers what it made, so that a named struct has one counterpart in a module.
class TypeMap {
public:
  explicit TypeMap(const llvm::DataLayout &layout) : m_layout(layout) {}

  /// Whether a value of \p type has a fat pointer somewhere in it (of a function type: takes or
  /// returns one).
  bool holdsFatPointer(llvm::Type *type);

  /// \p type with {ptr addrspace(8), i32} for ptr addrspace(7), {ptr addrspace(8), i32, i32} for
  /// ptr addrspace(9), and structs of vectors for vectors of them. Itself where it holds none.
  llvm::Type *remap(llvm::Type *type);
  llvm::FunctionType *remap(llvm::FunctionType *type);

  /// A type of the same size in memory as \p type whose non-pointer leaves are where they stood,
  /// and which has integers for fat pointers. Where it differs from \p type its alignment is 1:
  /// whatever is of it says its alignment itself.
  llvm::Type *getMemoryType(llvm::Type *type);

  /// The leaf of getMemoryType() for \p pointer: i160 or i192, or a vector of them.
  llvm::Type *getIntegerType(llvm::Type *pointer);

  /// \p attributes of a function or call of type \p before, for its remapped type: what only
  /// pointers can have goes, types get their memory form, effects on argument memory become
  /// effects on any memory.
  llvm::AttributeList remap(llvm::AttributeList attributes, llvm::FunctionType *before);

private:
  llvm::Type *remapStruct(llvm::StructType *type);
  llvm::AttributeList remapTypesOfAttributes(llvm::AttributeList attributes, unsigned index,
                                             llvm::LLVMContext &context);

  const llvm::DataLayout &m_layout;
  llvm::DenseMap<llvm::Type *, bool> m_holds;
  llvm::DenseMap<llvm::Type *, llvm::Type *> m_values;
  llvm::DenseMap<llvm::Type *, llvm::Type *> m_memory;
};

} // namespace assay
