// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The slots of texts: each prints its part of an instruction and reads it again.
#pragma once

#include "oracles/machine/ir3_isa/Inst.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace assay::adreno {

/// Letters still to be read, with helpers. All skip white space first.
class Cursor {
public:
  explicit Cursor(llvm::StringRef text) : m_text(text) {}
  llvm::StringRef rest() const { return m_text; }
  bool atEnd() {
    skipSpace();
    return m_text.empty();
  }
  void skipSpace() { m_text = m_text.ltrim(" \t"); }
  /// Takes \p letters where they come next.
  bool take(llvm::StringRef letters);
  /// The same without skipping white space first.
  bool takeHere(llvm::StringRef letters);
  /// A decimal or hexadecimal number.
  std::optional<uint64_t> takeNumber();
  std::optional<int64_t> takeSigned();
  /// A component: x, y, z or w.
  std::optional<unsigned> takeComponent();
  /// A name of letters, digits, '_' and '.'.
  llvm::StringRef takeName();

private:
  llvm::StringRef m_text;
};

/// An instruction being read. Widths of registers are collected and become fields at the end.
struct ParseState {
  Cursor cursor;
  Inst inst;
  /// What the flags before the name were: applied by slot "flags".
  struct Flags {
    bool sync = false, shortSync = false, join = false, lastAddress = false, endQuads = false,
         saturate = false;
    unsigned repeat = 0, nops = 0;
  } flags;
  std::optional<bool> halfResult;
  std::optional<bool> halfSources;
  std::optional<bool>
      halfTable; ///< Of a float of the table: says the width only where nothing else does.
  // Textures: parts of the descriptor mode.
  bool indirect = false, uniform = false, nonuniform = false, bindless = false;
  /// The instruction that a label is at, relative to this one; null: labels are refused.
  llvm::function_ref<std::optional<int64_t>(llvm::StringRef)> label = nullptr;
};

struct SlotKind {
  llvm::StringLiteral name;
  void (*print)(llvm::raw_ostream &os, const Inst &inst, const TextPiece &piece);
  /// False when the text does not fit.
  bool (*parse)(ParseState &state, const TextPiece &piece);
  /// False when the bits mean nothing; null: all bits do.
  bool (*valid)(const Inst &inst, const TextPiece &piece) = nullptr;
};

llvm::ArrayRef<SlotKind> basicSlots();
llvm::ArrayRef<SlotKind> registerSlots();
llvm::ArrayRef<SlotKind> sourceSlots();
llvm::ArrayRef<SlotKind> textureSlots();
const SlotKind *findSlotKind(llvm::StringRef name);

/// Reads flags before the name of an instruction, in any order.
ParseState::Flags parseFlags(Cursor &cursor);
/// Turns what was collected about widths into fields; false when the instruction cannot have them.
bool finishWidths(ParseState &state);

/// \name Helpers of slots.
/// @{
void printRegister(llvm::raw_ostream &os, unsigned number); ///< "r1.x", "a0.x", "p0.x".
void printPlainRegister(llvm::raw_ostream &os, unsigned number, char letter);
/// "r1.x", "a0.x", "a1.x" or "p0.x" without 'h'.
std::optional<unsigned> parseRegister(Cursor &cursor);
/// A number for which a table has a name; a number without one is written as it is.
void printName(llvm::raw_ostream &os, llvm::ArrayRef<llvm::StringLiteral> names, unsigned value);
std::optional<unsigned> parseName(Cursor &cursor, llvm::ArrayRef<llvm::StringLiteral> names);
/// @}

} // namespace assay::adreno
