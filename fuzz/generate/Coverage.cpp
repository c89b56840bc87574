// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/generate/Coverage.h"

#include "compiler/spirv/Capabilities.h"
#include "compiler/spirv/Module.h"

using namespace llvm;

namespace assay::fuzz {

static std::string nameOf(const Instruction &instruction, const std::set<Id> &texels,
                          const std::set<Id> &glsl) {
  if (instruction.opcode == spv::Op::OpExtInst && glsl.contains(instruction.word(0)))
    return "glsl " + std::to_string(instruction.word(1));
  bool onTexel = !instruction.operands.empty() && instruction.operands[0].isId &&
                 texels.contains(instruction.word(0));
  return "op " + spirv::opcodeName(instruction.opcode) + (onTexel ? " (texel)" : "");
}

static void addInstructions(const Program &program, std::set<std::string> &features) {
  std::set<Id> texels, glsl;
  forEachInstruction(program, [&](const Instruction &instruction) {
    if (instruction.opcode == spv::Op::OpImageTexelPointer)
      texels.insert(instruction.result);
    if (instruction.opcode == spv::Op::OpExtInstImport && instruction.string(0) == "GLSL.std.450")
      glsl.insert(instruction.result);
    features.insert(nameOf(instruction, texels, glsl));
  });
}

static std::set<std::string> rowsOf(const spirv::Module &module) {
  std::set<std::string> features;
  for (const spirv::CapabilityRow *row : spirv::usedRows(module))
    features.insert("row " + row->name.str());
  return features;
}

std::set<std::string> featuresOf(const GeneratedCase &generated) {
  std::set<std::string> features = rowsOf(cantFail(spirv::decode(encode(generated.program))));
  addInstructions(generated.program, features);
  return features;
}

Expected<std::set<std::string>> featuresOf(ArrayRef<uint32_t> words) {
  Expected<spirv::Module> module = spirv::decode(words);
  if (!module)
    return module.takeError();
  Expected<Program> program = decode(words);
  if (!program)
    return program.takeError();
  std::set<std::string> features = rowsOf(*module);
  addInstructions(*program, features);
  return features;
}

} // namespace assay::fuzz
