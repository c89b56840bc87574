// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layout of instructions: SPIR-V specification, "Physical Layout of a SPIR-V Module and
// Instruction"; narrow literals: "Literal".
#include "harness/worker/Specialize.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <spirv/unified1/spirv.hpp11>

using namespace llvm;
using namespace assay;

namespace {
/// Goes over a module's instructions from its first to its last.
class Specializer {
public:
  explicit Specializer(const ShaderDescription &shader) : m_shader(shader) {}
  /// \p words: one instruction.
  void visit(MutableArrayRef<uint32_t> words);

private:
  /// Notes the value for the constant that an OpDecorate with SpecId names. Decorations precede
  /// constants in a module.
  void noteDecoration(ArrayRef<uint32_t> words);
  /// Replaces the literal of an OpSpecConstant. Signed numbers narrower than a word are
  /// sign-extended, as the specification requires; the high word is there for 64 bits only.
  void setNumber(MutableArrayRef<uint32_t> words, uint64_t bits) const;

  const ShaderDescription &m_shader;
  DenseMap<uint32_t, uint64_t> m_values;       ///< By the constant's id.
  DenseMap<uint32_t, unsigned> m_signedWidths; ///< Of signed types narrower than a word.
};
} // namespace

/// Remembers the value of a constant that the pipeline specializes. Decorations precede all
/// constants in a module.
void Specializer::noteDecoration(ArrayRef<uint32_t> words) {
  if (words.size() < 4 || words[2] != static_cast<uint32_t>(spv::Decoration::SpecId))
    return;
  auto found = find_if(m_shader.specialization,
                       [&](const SpecializationValue &each) { return each.id == words[3]; });
  if (found != m_shader.specialization.end())
    m_values[words[1]] = found->bits;
}

/// Writes a literal of 32 or 64 bits. Signed numbers of fewer than 32 bits are stored
/// sign-extended.
void Specializer::setNumber(MutableArrayRef<uint32_t> words, uint64_t bits) const {
  auto narrow = m_signedWidths.find(words[1]);
  words[3] = static_cast<uint32_t>(
      narrow == m_signedWidths.end() ? bits : uint64_t(SignExtend64(bits, narrow->second)));
  if (words.size() > 4)
    words[4] = static_cast<uint32_t>(bits >> 32);
}

/// Handles one instruction. Specialization constants keep their opcode, only their default changes;
/// booleans change between the opcodes of true and false.
void Specializer::visit(MutableArrayRef<uint32_t> words) {
  auto opcode = static_cast<spv::Op>(words[0] & 0xffff);
  if (opcode == spv::Op::OpDecorate)
    return noteDecoration(words);
  if (opcode == spv::Op::OpTypeInt && words.size() == 4 && words[2] < 32 && words[3])
    m_signedWidths[words[1]] = words[2];
  auto value = words.size() < 3 ? m_values.end() : m_values.find(words[2]);
  if (value == m_values.end())
    return;
  if (opcode == spv::Op::OpSpecConstant && words.size() > 3)
    setNumber(words, value->second);
  else if (opcode == spv::Op::OpSpecConstantTrue || opcode == spv::Op::OpSpecConstantFalse)
    words[0] =
        (words[0] & ~0xffffu) | static_cast<uint32_t>(value->second ? spv::Op::OpSpecConstantTrue
                                                                    : spv::Op::OpSpecConstantFalse);
}

/// Returns the module with the pipeline's values as defaults. A malformed instruction ends the
/// walk, and the rest of the module stays as it is.
std::vector<uint32_t> assay::specializeDefaults(const ShaderDescription &shader) {
  std::vector<uint32_t> module = shader.spirv;
  Specializer specializer(shader);
  constexpr size_t HeaderWords = 5;
  for (size_t at = HeaderWords; at < module.size();) {
    size_t count = module[at] >> 16;
    if (!count || count > module.size() - at)
      break;
    specializer.visit(MutableArrayRef(module).slice(at, count));
    at += count;
  }
  return module;
}
