// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A SPIR-V module that can be changed: what the generator writes, transformations rewrite and
// reductions cut. No meaning of any instruction is in here.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <spirv/unified1/spirv.hpp11>
#include <string>
#include <vector>

namespace assay::fuzz {

using Id = uint32_t;

/// One word after result type and result; a literal may have several.
struct Operand {
  uint32_t word = 0;
  bool isId = false;

  bool operator==(const Operand &) const = default;
};
inline Operand id(Id id) {
  return {id, true};
}
inline Operand literal(uint32_t word) {
  return {word, false};
}

struct Instruction {
  spv::Op opcode = spv::Op::OpNop;
  Id type = 0;   ///< Result type, or 0.
  Id result = 0; ///< Or 0.
  llvm::SmallVector<Operand, 4> operands;

  uint32_t word(size_t index) const { return operands[index].word; }
  /// The literal string that begins at operand \p index.
  std::string string(size_t index) const;

  bool operator==(const Instruction &) const = default;
};

/// The words of a literal string, as operands.
llvm::SmallVector<Operand, 4> makeString(llvm::StringRef text);

bool isTerminator(spv::Op opcode);
inline bool isMerge(spv::Op opcode) {
  return opcode == spv::Op::OpSelectionMerge || opcode == spv::Op::OpLoopMerge;
}
/// True for the specialization constants and OpSpecConstantOp.
inline bool isSpecialization(spv::Op opcode) {
  return opcode >= spv::Op::OpSpecConstantTrue && opcode <= spv::Op::OpSpecConstantOp;
}

struct Block {
  Id label = 0;
  std::vector<Instruction> body; ///< Phis first, then the rest, the merge if any, the terminator.

  const Instruction &terminator() const { return body.back(); }
  Instruction &terminator() { return body.back(); }
  /// The merge instruction, or null.
  const Instruction *merge() const;
  /// Labels that the terminator may go to, each once, in its order.
  llvm::SmallVector<Id, 2> successors() const;
  /// Index into body of the first instruction that is no phi and no variable.
  size_t firstOrdinary() const;
};

struct Function {
  Instruction definition; ///< OpFunction.
  std::vector<Instruction> parameters;
  std::vector<Block> blocks; ///< In the order of the module; the first is the entry.

  Id result() const { return definition.result; }
  const Block *find(Id label) const;
  Block *find(Id label);
};

/// A module in its sections (SPIR-V, "Logical Layout of a Module"). Plain data; equal programs
/// encode to equal words. Line information does not survive.
struct Program {
  uint32_t version = 0x00010600;
  Id bound = 1; ///< Above every id.
  std::vector<Instruction> capabilities;
  std::vector<Instruction> extensions;
  std::vector<Instruction> imports;
  std::vector<Instruction> memoryModel; ///< One.
  std::vector<Instruction> entryPoints;
  std::vector<Instruction> executionModes;
  std::vector<Instruction> names; ///< Strings, sources, names, module-processed.
  std::vector<Instruction> decorations;
  std::vector<Instruction> globals; ///< Types, constants, module-scope variables, undefs.
  std::vector<Function> functions;

  Id fresh() { return bound++; }
  const Function *findFunction(Id id) const;
  Function *findFunction(Id id);

  bool operator==(const Program &) const;
};

/// InvalidInput for what SPIRV-Tools can't parse, or where the sections or blocks are not in order;
/// Unsupported for an opcode that it does not know. Does not validate.
llvm::Expected<Program> decode(llvm::ArrayRef<uint32_t> words);

/// The module's words, host endian; the header names Assay as the generator.
std::vector<uint32_t> encode(const Program &program);

/// The words that SPIRV-Tools' assembler makes of the program's disassembly: ids are numbered in
/// the order in which that text names them, and the header names the assembler.
std::vector<uint32_t> encodeAsAssembled(const Program &program);

/// Calls \p visit for each instruction, section by section, functions with their labels left out.
void forEachInstruction(const Program &program,
                        llvm::function_ref<void(const Instruction &)> visit);
void forEachInstruction(Program &program, llvm::function_ref<void(Instruction &)> visit);

/// Calls \p visit for every place that holds an id: types, results, operands, labels.
void forEachId(Program &program, llvm::function_ref<void(Id &)> visit);

} // namespace assay::fuzz
