// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes of our own, of IR and of machine code, in the code generator of LLVM: how workarounds get
// there.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace llvm {
class FunctionPass;
class MachineInstr;
class MCInstrDesc;
class TargetInstrInfo;
} // namespace llvm

namespace assay::amdgpu {

/// From now on, every code generator of this process has the pass that \p make makes after LLVM's
/// pass \p name, by its name on the command line. That LLVM has none of that name is a fatal error.
void insertPassAfter(llvm::StringRef name, llvm::FunctionPass *(*make)());

/// The name of the opcode of \p instruction, which LLVM owns. Targets keep the numbers of their
/// opcodes and registers to themselves; the names are public.
llvm::StringRef nameOf(const llvm::MachineInstr &instruction);

/// The opcode called \p name, by a search through all of them. That LLVM has none is a fatal error.
const llvm::MCInstrDesc &findOpcode(const llvm::TargetInstrInfo &info, llvm::StringRef name);

} // namespace assay::amdgpu
