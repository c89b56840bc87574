// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/reduce/Edit.h"

#include "fuzz/reduce/Reduction.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

bool isData(const Program &program, Id type) {
  auto found =
      find_if(program.globals, [&](const Instruction &each) { return each.result == type; });
  if (found == program.globals.end())
    return false;
  switch (found->opcode) {
  case spv::Op::OpTypeBool:
  case spv::Op::OpTypeInt:
  case spv::Op::OpTypeFloat:
    return true;
  case spv::Op::OpTypeVector:
  case spv::Op::OpTypeMatrix:
  case spv::Op::OpTypeArray:
    return isData(program, found->word(0));
  case spv::Op::OpTypeStruct:
    return all_of(found->operands,
                  [&](const Operand &member) { return isData(program, member.word); });
  default:
    return false;
  }
}

Id zeroOf(Pool &pool, Id type) {
  switch (pool.definition(type).opcode) {
  case spv::Op::OpTypeBool:
    return pool.constantBool(false);
  case spv::Op::OpTypeInt:
  case spv::Op::OpTypeFloat:
    return pool.constant(type, 0);
  default:
    return pool.constantNull(type);
  }
}

std::optional<uint64_t> oneOf(const Instruction &type) {
  if (type.opcode == spv::Op::OpTypeInt)
    return 1;
  if (type.opcode != spv::Op::OpTypeFloat)
    return std::nullopt;
  switch (type.word(0)) {
  case 16:
    return 0x3c00;
  case 32:
    return 0x3f800000;
  default:
    return 0x3ff0000000000000;
  }
}

bool isAnnotation(spv::Op opcode) {
  static constexpr spv::Op opcodes[] = {
      spv::Op::OpName,           spv::Op::OpMemberName,           spv::Op::OpDecorate,
      spv::Op::OpMemberDecorate, spv::Op::OpDecorateId,           spv::Op::OpDecorateString,
      spv::Op::OpGroupDecorate,  spv::Op::OpMemberDecorateString, spv::Op::OpGroupMemberDecorate};
  return is_contained(opcodes, opcode);
}

void dropAnnotations(Program &program, function_ref<bool(Id)> isGone) {
  for (std::vector<Instruction> *section : {&program.names, &program.decorations})
    erase_if(*section, [&](const Instruction &each) {
      return isAnnotation(each.opcode) && isGone(each.word(0));
    });
}

/// Everything but calls, atomics and what defines functions; loads too, volatile
/// ones included.
bool isRemovableIfUnused(spv::Op opcode) {
  static constexpr spv::Op others[] = {spv::Op::OpFunctionCall, spv::Op::OpExtInstImport,
                                       spv::Op::OpFunction, spv::Op::OpFunctionParameter,
                                       spv::Op::OpDecorationGroup};
  bool isAtomic = (opcode >= spv::Op::OpAtomicLoad && opcode <= spv::Op::OpAtomicXor) ||
                  opcode == spv::Op::OpAtomicFlagTestAndSet || opcode == spv::Op::OpAtomicFAddEXT ||
                  opcode == spv::Op::OpAtomicFMinEXT || opcode == spv::Op::OpAtomicFMaxEXT;
  return !isAtomic && !is_contained(others, opcode);
}

/// Result types are never replaced.
void replaceUses(Program &program, Id from, Id to) {
  forEachInstruction(program, [&](Instruction &instruction) {
    if (isAnnotation(instruction.opcode))
      return;
    for (Operand &operand : instruction.operands)
      if (operand.isId && operand.word == from)
        operand.word = to;
  });
}

Block *findBlock(Program &program, Id label) {
  for (Function &function : program.functions)
    if (Block *block = function.find(label))
      return block;
  return nullptr;
}

void endWithBranch(Block &block, Id target) {
  if (block.merge())
    block.body.erase(block.body.end() - 2);
  block.terminator() = {spv::Op::OpBranch, 0, 0, {id(target)}};
}

/// The size that reduction minimizes.
size_t countInstructions(const Program &program) {
  size_t count = 0;
  for (const Function &function : program.functions)
    for (const Block &block : function.blocks)
      count += block.body.size();
  return count;
}

} // namespace assay::fuzz
