// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each operation of the ALU tables is meant to do, said a second time: scalar definitions from
// the manuals in exact arithmetic, which share no code with the tables. This module is the judge of
// gcn_alu; no machine runs it.
#pragma once

#include "oracles/machine/gcn_alu/Alu.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <string>

namespace assay::gcn::definitions {

/// Numbers without rounding or overflow, for what 64-bit operations need.
using Exact = __int128;

/// The operands of an operation, as a definition sees them: kinds from left to right, and what
/// is next to them. Written as text, "DST [scc|carry] = SRC SRC SRC [scc|carry] ...":
///   "u32 carry = u32 u32 carry clamp"   v_add_co_ci_u32
///   "- scc = i32 i32"                   s_cmp_lt_i32
///   "i32 = imm16 old:i32"               s_mulk_i32
/// Kinds are those of OperandKind in lower case, imm16 the immediate of SOPK. Words after them:
/// scc, carry (read or written), clamp (the definition's number is saturated to the destination's
/// range when the clamp bit is set), and the names of flags: trans mix high preserves packed exec.
struct Shape {
  OperandKind dst = OperandKind::None;
  llvm::SmallVector<OperandKind, 3> sources;
  uint16_t flags = 0; ///< AluFlags.
  bool clamps = false;
};

/// Aborts on text that is no shape: definitions are part of the program.
Shape parseShape(llvm::StringRef text);

unsigned widthOf(OperandKind kind);
bool isSigned(OperandKind kind);
bool isFloat(OperandKind kind);
/// Two's complement: the low \p width bits of \p bits as a number.
Exact numberOf(uint64_t bits, unsigned width, bool isSigned);
/// The \p width low bits of \p value.
uint64_t lowBits(Exact value, unsigned width);
/// The number nearest to \p value of \p width bits.
Exact saturated(Exact value, unsigned width, bool isSigned);

/// One question put to a definition.
struct Question {
  const Shape &shape;
  const AluInput &input;
  const AluMode &mode;
  int64_t parameter; ///< Definition::parameter.

  /// Source \p index as the number that its kind says; floats, packs and bits are unsigned numbers.
  Exact operator[](unsigned index) const;
  /// Its bits.
  uint64_t bits(unsigned index) const { return input.src[index]; }
  bool carry() const { return input.carry; }
};

/// The exact result, of which the destination takes the low bits (or, with clamp, the nearest
/// number), and the carry-out, SCC, or bit of a compare's mask.
struct Answer {
  Exact value = 0;
  bool carry = false;

  Answer() = default;
  Answer(Exact value, bool carry = false) : value(value), carry(carry) {}
};

using Meaning = Answer (*)(const Question &question);

/// How results are compared.
enum class Equality : uint8_t {
  Bits,
  AnyNan, ///< Bits, but a NaN (of each half, in packed results) is as good as another.
};

/// The meaning of one or more mnemonics.
struct Definition {
  std::string names; ///< Separated by '|', each with "@MIN-MAX", "@ONLY-ONLY" or "@MIN" after it
                     ///< where not all of GFX9 to GFX12 have it.
  std::string shape;
  Meaning meaning;
  int64_t parameter = 0; ///< For definitions that differ in a number.
  Equality equality = Equality::Bits;
};

using DefinitionSink = llvm::function_ref<void(const Definition &definition)>;

inline void defineAll(DefinitionSink sink, llvm::ArrayRef<Definition> definitions) {
  for (const Definition &definition : definitions)
    sink(definition);
}

// One function a file of definitions.
void defineScalarIntegers(DefinitionSink sink);
void defineVectorIntegers(DefinitionSink sink);
void defineVectorShorts(DefinitionSink sink);
void defineVectorBytes(DefinitionSink sink);
void defineIntegerCompares(DefinitionSink sink);
void definePackedIntegers(DefinitionSink sink);
void defineIntegerDots(DefinitionSink sink);
void defineFloatArithmetic(DefinitionSink sink);
void defineFloatSelections(DefinitionSink sink);
void defineFloatCompares(DefinitionSink sink);
void defineFloatUnary(DefinitionSink sink);
void defineFloatConversions(DefinitionSink sink);
void defineFloatHelpers(DefinitionSink sink);

/// A definition with its shape read.
struct ReadyDefinition {
  Definition definition;
  Shape shape;
};

/// The definition of \p name on generation \p gfxMajor, or null.
const ReadyDefinition *findDefinition(llvm::StringRef name, unsigned gfxMajor);
/// Every name that has a definition on \p gfxMajor.
std::vector<std::string> definedNames(unsigned gfxMajor);

/// What the row must give for \p input.
AluOutput define(const ReadyDefinition &ready, const AluInput &input, const AluMode &mode);

} // namespace assay::gcn::definitions
