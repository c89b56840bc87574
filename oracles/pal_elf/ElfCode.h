// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine code of an ELF as rules look at it: one function a hardware stage, decoded once, with
// its control flow.
#pragma once

#include "oracles/machine/gcn_isa/Cfg.h"
#include "oracles/pal_elf/ElfView.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace assay {

struct ElfModel;

/// What an export instruction says.
struct ExportFacts {
  uint32_t inst = 0;  ///< Index in FunctionCode::insts.
  std::string target; ///< "mrt0", "mrtz", "null", "pos0", "prim", "param3", "dual_src_blend0".
  uint8_t mask = 0;
  bool done = false;
  bool valid = false;      ///< vm.
  bool compressed = false; ///< compr.
};

/// The code of one entry point.
struct FunctionCode {
  std::string stage; ///< ".cs"; empty for one of '.shader_functions'.
  const ElfSymbol *symbol = nullptr;
  unsigned waveSize = 64;
  bool waveSizeSaid = false;    ///< By the metadata; else it is PAL's default, or the code's.
  std::vector<gcn::Inst> insts; ///< pc: from the start of the function.
  std::optional<gcn::ControlFlowGraph> graph;
  std::vector<ExportFacts> exports; ///< Those that control reaches, in the order of the code.

  /// Another chip, by whose tables all of it is code, when by those of the ELF's it is not.
  std::string otherChip;

  /// True when control leaves it for code that is elsewhere, for good or by a call: that may do
  /// what is missed here.
  bool leaves() const;
  /// True for an instruction that control reaches.
  bool isReached(uint32_t index) const { return graph->blockOf(index) != gcn::NoBlock; }
};

struct ElfCode {
  /// Of the hardware stages, then of '.shader_functions'.
  std::vector<std::unique_ptr<FunctionCode>> functions;
  std::string tables;    ///< The chip whose tables were used.
  std::string undecoded; ///< The chip, when there are no tables for it; functions is then empty.

  /// The function of hardware stage \p stage, or null.
  const FunctionCode *find(llvm::StringRef stage) const;
};

/// The code of stage \p stage, or null.
const FunctionCode *findCode(const ElfModel &model, llvm::StringRef stage);

/// Decodes the entry points of \p model's ELF, and what they may call. Empty when it has none, or
/// no chip.
ElfCode readCode(const ElfModel &model);

/// "'_amdgpu_cs_main'+0x40: s_endpgm".
std::string codeLocation(const FunctionCode &function, uint32_t inst);

} // namespace assay
