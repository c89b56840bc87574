// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir3/passes/Emit.h"

#include "compiler/ir3/ir/Printer.h"
#include "compiler/ir3/isa/AssemblyText.h"
#include "support/Error.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace assay::ir3 {

/// The encoder's form of an operand with a register.
static Operand operandOf(const Register &source) {
  using File = Operand::File;
  Operand operand;
  operand.half = source.isHalf();
  operand.neg = source.is(registerflag::Negate);
  operand.abs = source.is(registerflag::Absolute);
  operand.repeats = source.is(registerflag::Repeats);
  operand.value = source.value;
  operand.number = source.number;
  if (source.isNone())
    operand.file = File::None;
  else if (source.isImmediate())
    operand.file = File::Immediate;
  else if (source.isRelative())
    operand.file = source.isConst() ? File::RelativeConst : File::RelativeGpr;
  else
    operand.file = source.isConst() ? File::Const : File::Gpr;
  return operand;
}

MachineInstruction machineInstruction(const Instruction &inst) {
  MachineInstruction result;
  result.opcode = inst.opcode;
  result.fields = inst.fields;
  result.dst = operandOf(inst.dst());
  // The mask of a wave fills as many registers as it has dwords.
  if (inst.opcode == Opcode::Movmsk)
    result.fields.repeat = inst.dst().size - 1;
  // Outputs are no operands of the hardware's end.
  if (inst.opcode != Opcode::End)
    for (const Register &source : inst.sources())
      result.sources.push_back(operandOf(source));
  return result;
}

/// Each block begins with a comment line with its number.
std::string emitAssembly(const Program &program) {
  std::string text;
  raw_string_ostream os(text);
  for (const std::unique_ptr<Block> &block : program.blocks) {
    os << "; block " << block->number << '\n';
    for (const Instruction *inst : block->instructions)
      os << printAssembly(machineInstruction(*inst), program.compiler()) << '\n';
  }
  return text;
}

Expected<std::vector<uint64_t>> emitWords(const Program &program) {
  std::vector<uint64_t> words;
  for (const Instruction *inst : program.instructions()) {
    Expected<uint64_t> word = encode(machineInstruction(*inst), program.compiler());
    if (!word)
      return addContext(word.takeError(), print(*inst, program));
    words.push_back(*word);
  }
  return words;
}

} // namespace assay::ir3
