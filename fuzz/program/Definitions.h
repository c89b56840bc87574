// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who defines an id of a Program, and where. A snapshot: any change of the program ends its truth.
#pragma once

#include "fuzz/program/Program.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace assay::fuzz {

/// Where an instruction of a function body stands, by indices.
struct Place {
  size_t function = 0;
  size_t block = 0;
  size_t index = 0;
};

class Definitions {
public:
  explicit Definitions(const Program &program);

  /// The instruction whose result \p id is, or null (labels have none).
  const Instruction *find(Id id) const;
  /// Result type of \p id, or 0.
  Id typeOf(Id id) const;
  /// The type instruction of the value \p id, or null.
  const Instruction *typeInstruction(Id id) const { return find(typeOf(id)); }
  /// Where it stands, for a result of an instruction in a block; null for globals, parameters,
  /// labels and functions.
  const Place *place(Id id) const;
  /// How many operands (and types) name \p id; names and decorations do not count.
  unsigned uses(Id id) const;

private:
  llvm::DenseMap<Id, const Instruction *> m_instructions;
  llvm::DenseMap<Id, Place> m_places;
  llvm::DenseMap<Id, unsigned> m_uses;
};

/// The first number of \p decoration of \p target, or of its member number \p member: the offset,
/// the binding. 0 where the decoration has none, as NonWritable; nothing where it is not there.
std::optional<uint32_t> findDecoration(const Program &program, Id target,
                                       spv::Decoration decoration,
                                       std::optional<uint32_t> member = std::nullopt);

/// The variable or constant with \p builtIn, or 0.
Id findBuiltIn(const Program &program, spv::BuiltIn builtIn);

} // namespace assay::fuzz
