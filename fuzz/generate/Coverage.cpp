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

std::set<std::string> featuresOf(const GeneratedCase &generated) {
  std::set<std::string> features;
  spirv::Module module = cantFail(spirv::decode(encode(generated.program)));
  for (const spirv::CapabilityRow *row : spirv::usedRows(module))
    features.insert("row " + row->name.str());
  std::set<Id> texels, glsl;
  forEachInstruction(generated.program, [&](const Instruction &instruction) {
    if (instruction.opcode == spv::Op::OpImageTexelPointer)
      texels.insert(instruction.result);
    if (instruction.opcode == spv::Op::OpExtInstImport && instruction.string(0) == "GLSL.std.450")
      glsl.insert(instruction.result);
    features.insert(nameOf(instruction, texels, glsl));
  });
  return features;
}

} // namespace assay::fuzz
