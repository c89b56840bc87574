// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types as the interpreter sees them: a row of scalars with their places in memory.
#pragma once

#include "oracles/ir/Interpreter.h"
#include "llvm/IR/DataLayout.h"
#include <memory>

namespace assay::ir {

/// One scalar of a type.
struct Element {
  llvm::Type *type = nullptr; ///< Integer, floating point or pointer.
  uint32_t bits = 0;          ///< In a register.
  uint64_t firstBit = 0;      ///< In memory, from the start of the whole value; little endian.
};

/// A type taken apart.
struct Shape {
  std::vector<Element> elements;
  uint64_t storeBytes = 0; ///< What a load or store touches.
  bool isVector = false;   ///< Elements are of one type, one after the other.
};

/// Shapes by type; those of one data layout.
class Shapes {
public:
  /// The most scalars a value may have.
  static constexpr uint64_t MaxElements = 1 << 16;

  explicit Shapes(const llvm::DataLayout &layout) : m_layout(layout) {}

  /// The shape of \p type, or null if it has none (void, scalable, opaque) or is too large. Stays
  /// where it is.
  const Shape *get(llvm::Type *type);
  const llvm::DataLayout &layout() const { return m_layout; }

private:
  /// Appends the scalars of \p type at \p firstBit. False for types without a shape and above
  /// MaxElements.
  bool append(llvm::Type *type, uint64_t firstBit, Shape &shape);
  /// The same for the members of a struct.
  bool appendStruct(llvm::StructType *type, uint64_t firstBit, Shape &shape);

  const llvm::DataLayout &m_layout;
  llvm::DenseMap<llvm::Type *, std::unique_ptr<Shape>> m_shapes;
};

/// Makes \p scalar poison of \p bits.
void setPoison(Scalar &scalar, unsigned bits);

/// The poison bytes of \p scalar as a mask; all ones where they are not known one by one.
uint32_t poisonMask(const Scalar &scalar);

/// Puts the poison of \p bytes (a mask) into \p scalar, whose bits are set.
void setPoisonBytes(Scalar &scalar, uint32_t bytes);

/// Reads the elements of \p shape from \p bytes; \p poison (a flag a byte, bit 0) tells what of
/// them is not there.
void decode(const Shape &shape, const uint8_t *bytes, const uint8_t *poison, Scalar *values);

/// Writes them: storeBytes bytes and flags (0 or 1). Padding becomes poison.
void encode(const Shape &shape, const Scalar *values, uint8_t *bytes, uint8_t *poison);

} // namespace assay::ir
