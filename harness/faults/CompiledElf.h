// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inside plantInElf: a compiled ELF taken apart, and the changes that there are.
#pragma once

#include "oracles/machine/gcn_isa/Inst.h"
#include "oracles/machine/gcn_isa/Isa.h"
#include "oracles/pal_elf/ElfView.h"
#include "oracles/pal_elf/Machines.h"
#include "support/Fault.h"
#include <optional>
#include <vector>

namespace assay {

/// An ELF with one function, its entry point. Holds references into the bytes it was read from.
struct CompiledElf {
  ElfView view;
  const ElfSymbol *entry = nullptr; ///< In view.
  const ElfSection *text = nullptr; ///< In view; holds the entry point.
  const ElfMachine *machine = nullptr;
  gcn::Chip chip = gcn::Chip::Gfx900;
  unsigned waveSize = 64;
  std::vector<gcn::Inst> insts; ///< pc: from the start of the entry point.

  /// Where the entry point begins in the file.
  uint64_t codeOffset() const { return text->offset + entry->value; }
};

using ElfBytes = std::vector<uint8_t>;

/// A fault and what it makes of an ELF; nothing where it has no place in it.
struct ElfEdit {
  Fault fault;
  std::optional<ElfBytes> (*make)(const CompiledElf &elf);
};

/// Wrong values in the PAL metadata.
llvm::ArrayRef<ElfEdit> metadataEdits();
/// Wrong fields of the ELF itself.
llvm::ArrayRef<ElfEdit> containerEdits();
/// Wrong instructions and waits.
llvm::ArrayRef<ElfEdit> codeEdits();

} // namespace assay
