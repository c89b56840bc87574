// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/InsertPass.h"

#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/PassRegistry.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Target/RegisterTargetPassConfigCallback.h"
#include <list>

using namespace llvm;
using namespace assay;

/// The callback is called for each code generator; LLVM's pass registry must know \p name by then.
void amdgpu::insertPassAfter(StringRef name, FunctionPass *(*make)()) {
  static std::list<RegisterTargetPassConfigCallback> callbacks; // They live as long as the process.
  callbacks.emplace_back(
      [name = name.str(), make](TargetMachine &, PassManagerBase &, TargetPassConfig *config) {
        const PassInfo *pass = PassRegistry::getPassRegistry()->getPassInfo(StringRef(name));
        if (!pass)
          report_fatal_error(Twine("LLVM 22 has no pass ") + name);
        config->insertPass(pass->getTypeInfo(), make());
      });
}

StringRef amdgpu::nameOf(const MachineInstr &instruction) {
  return instruction.getMF()->getSubtarget().getInstrInfo()->getName(instruction.getOpcode());
}

/// Searches by name, since the numbers of opcodes are private to LLVM's target. Fatal for unknown
/// names.
const MCInstrDesc &amdgpu::findOpcode(const TargetInstrInfo &info, StringRef name) {
  for (unsigned opcode = 0; opcode < info.getNumOpcodes(); ++opcode)
    if (info.getName(opcode) == name)
      return info.get(opcode);
  report_fatal_error(Twine("LLVM 22 has no opcode ") + name);
}
