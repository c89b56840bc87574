// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of modules that need to know the case around them.
#include "fuzz/program/Definitions.h"
#include "fuzz/reduce/Edit.h"
#include "harness/reduce/CaseReductions.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using fuzz::Chance;
using fuzz::Definitions;

// Loads of numbers that become what buffers hold in the beginning: at = the load, index = which of
// firstNumbers(), value = the pipeline's number.

/// The first number of \p bytes bytes that is not 0 in each of the first buffers that have one,
/// each once. What a bug needs is among them when everything else in buffers is 0 already.
static SmallVector<uint64_t, 2> firstNumbers(const Case &input, size_t bytes) {
  constexpr size_t MostNumbers = 2;
  SmallVector<uint64_t, 2> numbers;
  for (const Buffer &buffer : input.buffers)
    for (size_t at = 0; at + bytes <= buffer.bytes.size() && numbers.size() < MostNumbers;
         at += bytes) {
      uint64_t number = 0;
      for (size_t i = bytes; i-- > 0;)
        number = number << 8 | buffer.bytes[at + i];
      if (number == 0)
        continue;
      if (!is_contained(numbers, number))
        numbers.push_back(number);
      break;
    }
  return numbers;
}

/// Of the type of what \p instruction loads, where that is a number after a descriptor; else 0.
static size_t bytesOfLoad(const fuzz::Instruction &instruction, const Definitions &definitions) {
  if (instruction.opcode != spv::Op::OpLoad || definitions.uses(instruction.result) == 0)
    return 0;
  const fuzz::Instruction &type = *definitions.find(instruction.type);
  if (!fuzz::oneOf(type))
    return 0;
  static constexpr spv::StorageClass storages[] = {
      spv::StorageClass::StorageBuffer, spv::StorageClass::Uniform, spv::StorageClass::PushConstant,
      spv::StorageClass::PhysicalStorageBuffer};
  const fuzz::Instruction &pointer = *definitions.typeInstruction(instruction.word(0));
  bool isInput = is_contained(storages, static_cast<spv::StorageClass>(pointer.word(0)));
  return isInput ? type.word(0) / 8 : 0;
}

/// A chance for each load of a number and each number that it could become.
static std::vector<Chance> findLoads(const Subject &subject) {
  std::vector<Chance> chances;
  for (auto [pipeline, program] : enumerate(subject.programs)) {
    Definitions definitions(program);
    for (const fuzz::Function &function : program.functions)
      for (const fuzz::Block &block : function.blocks)
        for (const fuzz::Instruction &instruction : block.body) {
          size_t bytes = bytesOfLoad(instruction, definitions);
          size_t count = bytes ? firstNumbers(subject.input, bytes).size() : 0;
          for (uint32_t i = 0; i < count; ++i)
            chances.push_back({instruction.result, i, static_cast<uint32_t>(pipeline)});
        }
  }
  return chances;
}

/// Replaces the uses of each load; the load itself is removed by other reductions.
static void setLoads(Subject &subject, ArrayRef<Chance> chances) {
  for (const Chance &chance : chances) {
    fuzz::Program &program = subject.programs[chance.value];
    Definitions definitions(program);
    fuzz::Instruction load = *definitions.find(chance.at);
    size_t bytes = bytesOfLoad(load, definitions);
    if (!bytes)
      continue; // An earlier chance has set it.
    fuzz::Pool pool(program);
    uint64_t number = firstNumbers(subject.input, bytes)[chance.index];
    fuzz::replaceUses(program, chance.at, pool.constant(load.type, number));
  }
}

ArrayRef<CaseReduction> assay::mixedReductions() {
  static constexpr CaseReduction rows[] = {
      {"contents-for-loads", findLoads, setLoads},
  };
  return rows;
}
