// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/generate/Coverage.h"

#include "compiler/spirv/Capabilities.h"
#include "compiler/spirv/Module.h"
#include <compare>
#include <optional>

using namespace llvm;

namespace assay::fuzz {

namespace {
/// What features distinguish of an instruction.
struct InstructionKind {
  spv::Op opcode;
  bool onTexel = false;
  std::optional<uint32_t> glsl = std::nullopt; ///< Of GLSL.std.450.

  auto operator<=>(const InstructionKind &) const = default;
};
} // namespace

/// \p texels are results of OpImageTexelPointer so far, \p glsl the imports of GLSL.std.450.
static InstructionKind kindOf(const Instruction &instruction, const std::set<Id> &texels,
                              const std::set<Id> &glsl) {
  InstructionKind kind{instruction.opcode};
  if (instruction.opcode == spv::Op::OpExtInst && glsl.contains(instruction.word(0)))
    kind.glsl = instruction.word(1);
  kind.onTexel = !instruction.operands.empty() && instruction.operands[0].isId &&
                 texels.contains(instruction.word(0));
  return kind;
}

/// Returns the feature's name: "op OpName", "op OpName (texel)" or "glsl NUMBER".
static std::string nameOf(const InstructionKind &kind) {
  if (kind.glsl)
    return "glsl " + std::to_string(*kind.glsl);
  return "op " + spirv::opcodeName(kind.opcode) + (kind.onTexel ? " (texel)" : "");
}

/// Adds a feature for each kind of instruction in the program.
static void addInstructions(const Program &program, std::set<std::string> &features) {
  std::set<Id> texels, glsl;
  std::set<InstructionKind> kinds;
  forEachInstruction(program, [&](const Instruction &instruction) {
    if (instruction.opcode == spv::Op::OpImageTexelPointer)
      texels.insert(instruction.result);
    if (instruction.opcode == spv::Op::OpExtInstImport && instruction.string(0) == "GLSL.std.450")
      glsl.insert(instruction.result);
    kinds.insert(kindOf(instruction, texels, glsl));
  });
  for (const InstructionKind &kind : kinds)
    features.insert(nameOf(kind));
}

/// Returns "row NAME" for the capability rows that the module uses.
static std::set<std::string> rowsOf(const spirv::Module &module) {
  std::set<std::string> features;
  for (const spirv::CapabilityRow *row : spirv::usedRows(module))
    features.insert("row " + row->name.str());
  return features;
}

/// What rows are found by, of a program's own.
static spirv::Module headOf(const Program &program) {
  spirv::Module head;
  for (const Instruction &each : program.capabilities)
    head.capabilities.push_back(spv::Capability(each.word(0)));
  for (const Instruction &each : program.imports)
    head.extInstImports[each.result] = each.string(0);
  for (const Instruction &each : program.executionModes)
    head.executionModes.push_back({each.word(0), spv::ExecutionMode(each.word(1)), {}, false});
  return head;
}

/// Counts kinds, not occurrences: each feature is in the set once.
std::set<std::string> featuresOf(const GeneratedCase &generated) {
  std::set<std::string> features = rowsOf(headOf(generated.program));
  addInstructions(generated.program, features);
  return features;
}

/// Returns names of instructions and of rows of the capability table. InvalidInput where the module
/// cannot be decoded.
Expected<std::set<std::string>> featuresOf(ArrayRef<uint32_t> words) {
  Expected<Program> program = decode(words);
  if (!program)
    return program.takeError();
  std::set<std::string> features = rowsOf(headOf(*program));
  addInstructions(*program, features);
  return features;
}

} // namespace assay::fuzz
