// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What code generators get wrong of one instruction, as a table: each row says how to change an
// instruction into its neighbours, which are as long as it is.
#pragma once

#include "oracles/machine/gcn_isa/Inst.h"
#include "oracles/machine/gcn_isa/Isa.h"
#include <vector>

namespace assay {

/// One instruction in place of another of the same size.
struct CodeChange {
  /// Of the table. Those that say most stand first: what another opcode does, another operand often
  /// does by chance.
  unsigned row = 0;
  llvm::StringRef kind;  ///< "comparison", "register"; several rows may share one.
  bool isOpcode = false; ///< Another opcode; else another operand.
  gcn::Inst inst;        ///< As it is then, decoded.
};

/// All changes of \p inst that the table has and the encoding can hold, in the order of its rows.
/// Each decodes to something else than \p inst.
std::vector<CodeChange> listChanges(const gcn::Inst &inst, gcn::Chip chip, unsigned waveSize);

} // namespace assay
