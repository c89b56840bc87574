// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instructions of the hardware on behalf of IR: images and typed buffers mean what machine gcn says
// of the instructions for them.
#pragma once

#include "oracles/machine/gcn_isa/Inst.h"
#include "oracles/machine/ir/WaveRun.h"

namespace assay::irm {

/// What one lane gives and gets.
struct LaneRegisters {
  llvm::SmallVector<uint32_t, 8> data; ///< To be stored; then, what was loaded.
  llvm::SmallVector<uint32_t, 16> addresses;
  std::array<uint32_t, 8> resource = {}; ///< T#, or a V# in the first four.
  std::array<uint32_t, 4> sampler = {};
};

/// An instruction: its mnemonic and modifiers; operands are added.
struct HardwareCall {
  std::string mnemonic;
  gcn::Modifiers mods;
  unsigned resultDwords = 0;
  bool hasSampler = false;
};

/// Runs \p call for the lanes of the group, in whose order \p lanes are. False after stopping
/// \p machine: what gcn traps at is a trap.
bool runHardware(ir::Machine &machine, const HardwareCall &call,
                 llvm::MutableArrayRef<LaneRegisters> lanes);

/// The dwords of operand \p operand of \p lane, of its first \p most elements, appended to
/// \p words: 16 bits are extended - floats to f32 -, 64 bits are two. False, and the machine
/// stopped, for a poison one.
bool appendDwords(ir::Machine &machine, const ir::Inst &inst, const ir::Lane &lane,
                  unsigned operand, llvm::SmallVectorImpl<uint32_t> &words, unsigned most = ~0u);
/// The same for a descriptor of as many dwords as \p words has.
bool readDescriptor(ir::Machine &machine, const ir::Inst &inst, const ir::Lane &lane,
                    unsigned operand, llvm::MutableArrayRef<uint32_t> words);
/// Gives \p lane the result of \p inst: \p words dword after dword, narrowed to its elements.
void writeResult(const ir::Inst &inst, ir::Lane &lane, llvm::ArrayRef<uint32_t> words);
/// runHardware, and what it loaded as the results of \p inst, by \p write.
void runForResult(ir::Machine &machine, const ir::Inst &inst, const HardwareCall &call,
                  llvm::MutableArrayRef<LaneRegisters> lanes,
                  llvm::function_ref<void(const ir::Inst &, ir::Lane &, llvm::ArrayRef<uint32_t>)>
                      write = writeResult);

} // namespace assay::irm
