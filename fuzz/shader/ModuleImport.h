// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Takes single instructions out of one module and puts them into another, with all they need.
#pragma once

#include "fuzz/transform/Context.h"
#include "support/Random.h"
#include <map>
#include <set>

namespace assay::fuzz {

/// Imports from \p from, which may be a copy of the program of \p into; both must outlive it.
class ModuleImport {
public:
  ModuleImport(Context &into, const Program &from, Random &random);

  /// Copies \p instruction to before \p place: types, constants and variables become those of the
  /// host, made where it has none; a value of a function becomes one of the same type that is
  /// available there, or OpUndef. Returns the new result (0 for none), or nothing where the
  /// instruction can't be moved: control flow, variables, what calls a function.
  std::optional<Id> put(const Instruction &instruction, Place place);

private:
  std::optional<Id> mapGlobal(Id id); ///< The host's id for a donor's global.
  std::optional<Id> mapOperand(Id id, Place place);
  Id addGlobal(Instruction global, Id old);
  /// Returns the host's import of the same instruction set, added if missing.
  Id import(const Instruction &instruction);
  /// Adds the donor's capabilities and extensions to the host.
  void addCapabilities();

  Context &m_into;       ///< The host.
  const Program &m_from; ///< The donor.
  Random &m_random;
  Definitions m_definitions; ///< Of the donor.
  std::map<Id, const Instruction *> m_globals, m_imports;
  std::map<Id, Id> m_known; ///< Globals of the donor that the host has by now.
  /// Those that were begun: a type that points to itself can't be had.
  std::set<Id> m_open;
};

} // namespace assay::fuzz
