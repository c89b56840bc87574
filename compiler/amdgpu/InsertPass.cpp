// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/InsertPass.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/PassRegistry.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Target/RegisterTargetPassConfigCallback.h"
#include <list>
#include <mutex>

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

/// Searches all opcodes by name, since their numbers are private to LLVM's target. Fatal for
/// unknown names.
static unsigned searchOpcode(const TargetInstrInfo &info, StringRef name) {
  for (unsigned opcode = 0; opcode < info.getNumOpcodes(); ++opcode)
    if (info.getName(opcode) == name)
      return opcode;
  report_fatal_error(Twine("LLVM 22 has no opcode ") + name);
}

/// The numbers are those of the target, not of a GPU, so that one search is enough for the process.
const MCInstrDesc &amdgpu::findOpcode(const TargetInstrInfo &info, StringRef name) {
  static std::mutex mutex;
  static StringMap<unsigned> known; // Guarded by the mutex.
  std::scoped_lock lock(mutex);
  auto [place, isNew] = known.try_emplace(name, 0);
  if (isNew)
    place->second = searchOpcode(info, name);
  return info.get(place->second);
}
