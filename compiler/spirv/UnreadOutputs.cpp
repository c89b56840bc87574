// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/spirv/UnreadOutputs.h"

#include "compiler/spirv/ToolsContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <map>
#include <set>
#include <spirv/unified1/spirv.hpp11>

using namespace llvm;
using namespace assay;
using namespace assay::spirv;

using Id = uint32_t;

namespace {
/// An instruction: its words, and which of them are ids that it uses.
struct Parsed {
  spv::Op opcode = spv::Op::OpNop;
  Id result = 0;
  SmallVector<uint32_t, 8> words;
  SmallVector<unsigned, 4> uses; ///< Indices into words; neither type nor result.

  bool usesAt(unsigned index, Id id) const {
    return words.size() > index && words[index] == id && is_contained(uses, index);
  }
};

/// A scalar or vector of the interface.
struct Variable {
  Id id = 0;
  std::optional<uint32_t> location;
  bool isBuiltIn = false;
  bool isSimple = false; ///< A scalar or vector of at most 32 bits, in one location.
};

/// The instructions of a shader, from which outputs can be removed.
class Stage {
public:
  explicit Stage(const ShaderDescription &shader);

  /// Parsed, with one entry point.
  bool isGood() const { return m_isGood && m_entryPoints == 1; }
  /// The variables of \p storage that the entry point lists, by id.
  std::vector<Variable> list(spv::StorageClass storage) const;
  /// What stores to \p variable go through: itself, and the results of access chains. Nothing where
  /// there is another use than a store.
  std::optional<std::set<Id>> findStoredPointers(Id variable) const;
  /// The module's words without \p variables, the stores through \p pointers, and what names them.
  std::vector<uint32_t> writeWithout(const std::set<Id> &variables,
                                     const std::set<Id> &pointers) const;

private:
  static spv_result_t onHeader(void *user, spv_endianness_t, uint32_t magic, uint32_t version,
                               uint32_t generator, uint32_t bound, uint32_t schema);
  static spv_result_t onInstruction(void *user, const spv_parsed_instruction_t *parsed);
  /// The definition of \p id, or null.
  const Parsed *find(Id id) const;
  /// Whether it points to a scalar or vector of numbers of at most 32 bits.
  bool isSimple(Id pointerType) const;

  std::vector<uint32_t> m_header;
  std::vector<Parsed> m_instructions;
  std::map<Id, size_t> m_definitions;
  unsigned m_entryPoints = 0;
  bool m_isGood = false;
};
} // namespace

/// Returns whether an operand of \p type is an id that the instruction uses.
static bool isUse(spv_operand_type_t type) {
  return type == SPV_OPERAND_TYPE_ID || type == SPV_OPERAND_TYPE_MEMORY_SEMANTICS_ID ||
         type == SPV_OPERAND_TYPE_SCOPE_ID;
}

/// Keeps all five words, so that the module can be written again.
spv_result_t Stage::onHeader(void *user, spv_endianness_t, uint32_t magic, uint32_t version,
                             uint32_t generator, uint32_t bound, uint32_t schema) {
  static_cast<Stage *>(user)->m_header = {magic, version, generator, bound, schema};
  return SPV_SUCCESS;
}

/// Keeps all words, so that the module can be written again.
spv_result_t Stage::onInstruction(void *user, const spv_parsed_instruction_t *parsed) {
  auto &stage = *static_cast<Stage *>(user);
  Parsed instruction;
  instruction.opcode = static_cast<spv::Op>(parsed->opcode);
  instruction.result = parsed->result_id;
  instruction.words.assign(parsed->words, parsed->words + parsed->num_words);
  for (const spv_parsed_operand_t &operand : ArrayRef(parsed->operands, parsed->num_operands))
    if (isUse(operand.type))
      instruction.uses.push_back(operand.offset);
  if (instruction.result)
    stage.m_definitions[instruction.result] = stage.m_instructions.size();
  stage.m_entryPoints += instruction.opcode == spv::Op::OpEntryPoint;
  stage.m_instructions.push_back(std::move(instruction));
  return SPV_SUCCESS;
}

Stage::Stage(const ShaderDescription &shader) {
  ToolsContext context;
  spv_diagnostic diagnostic = nullptr;
  ParsableWords words(shader.spirv);
  spv_result_t result = spvBinaryParse(context.get(), this, words.data(), words.size(), onHeader,
                                       onInstruction, &diagnostic);
  ToolsMessage message(diagnostic);
  m_isGood = result == SPV_SUCCESS;
}

const Parsed *Stage::find(Id id) const {
  auto place = m_definitions.find(id);
  return place == m_definitions.end() ? nullptr : &m_instructions[place->second];
}

/// Words are counted from the first one, which has the opcode; word 1 of a type is its result.
bool Stage::isSimple(Id pointerType) const {
  const Parsed *pointer = find(pointerType);
  if (!pointer || pointer->opcode != spv::Op::OpTypePointer)
    return false;
  const Parsed *type = find(pointer->words[3]);
  if (type && type->opcode == spv::Op::OpTypeVector)
    type = find(type->words[2]);
  bool isNumber =
      type && (type->opcode == spv::Op::OpTypeInt || type->opcode == spv::Op::OpTypeFloat);
  return isNumber && type->words[2] <= 32;
}

/// Decorations by groups are not seen.
std::vector<Variable> Stage::list(spv::StorageClass storage) const {
  std::map<Id, Variable> variables;
  for (const Parsed &each : m_instructions)
    if (each.opcode == spv::Op::OpEntryPoint)
      for (unsigned use : drop_begin(each.uses)) { // The first is the function.
        const Parsed *variable = find(each.words[use]);
        if (variable && variable->opcode == spv::Op::OpVariable &&
            variable->words[3] == static_cast<uint32_t>(storage))
          variables[variable->result] = {variable->result, {}, false, isSimple(variable->words[1])};
      }
  for (const Parsed &each : m_instructions) {
    auto place = each.words.size() > 2 ? variables.find(each.words[1]) : variables.end();
    if (each.opcode != spv::Op::OpDecorate || place == variables.end())
      continue;
    place->second.isBuiltIn |= each.words[2] == static_cast<uint32_t>(spv::Decoration::BuiltIn);
    if (each.words[2] == static_cast<uint32_t>(spv::Decoration::Location))
      place->second.location = each.words[3];
  }
  std::vector<Variable> result;
  for (const auto &[id, variable] : variables)
    result.push_back(variable);
  return result;
}

/// Instructions that only describe what they name.
static bool isDescription(spv::Op opcode) {
  return opcode == spv::Op::OpName || opcode == spv::Op::OpDecorate ||
         opcode == spv::Op::OpEntryPoint;
}

/// Names, decorations and entry points do not count as uses.
std::optional<std::set<Id>> Stage::findStoredPointers(Id variable) const {
  std::set<Id> pointers = {variable};
  for (const Parsed &each : m_instructions) { // Definitions precede uses except those of phis.
    bool isChain =
        each.opcode == spv::Op::OpAccessChain || each.opcode == spv::Op::OpInBoundsAccessChain;
    for (unsigned use : each.uses) {
      if (!pointers.count(each.words[use]) || isDescription(each.opcode))
        continue;
      if (isChain && use == 3)
        pointers.insert(each.result);
      else if (each.opcode != spv::Op::OpStore || use != 1)
        return std::nullopt;
    }
  }
  return pointers;
}

/// Every instruction gets its word count again, as entry points lose operands.
std::vector<uint32_t> Stage::writeWithout(const std::set<Id> &variables,
                                          const std::set<Id> &pointers) const {
  std::vector<uint32_t> words = m_header;
  for (const Parsed &each : m_instructions) {
    bool isNamed = (each.opcode == spv::Op::OpName || each.opcode == spv::Op::OpDecorate) &&
                   variables.count(each.words[1]);
    bool isStore = each.opcode == spv::Op::OpStore && pointers.count(each.words[1]);
    if (isNamed || isStore || (each.result && pointers.count(each.result)))
      continue;
    size_t start = words.size();
    for (const auto &[index, word] : enumerate(each.words)) {
      bool isGone = each.opcode == spv::Op::OpEntryPoint &&
                    is_contained(each.uses, static_cast<unsigned>(index)) && variables.count(word);
      if (!isGone)
        words.push_back(word);
    }
    constexpr unsigned countShift = 16;
    words[start] = static_cast<uint32_t>(words.size() - start) << countShift |
                   static_cast<uint32_t>(each.opcode);
  }
  return words;
}

/// Outputs that are read back, passed to functions or copied stay.
void assay::spirv::dropUnreadOutputs(ShaderDescription &vertex, const ShaderDescription &fragment) {
  Stage writer(vertex), reader(fragment);
  if (!writer.isGood() || !reader.isGood())
    return;
  std::set<uint32_t> read;
  for (const Variable &input : reader.list(spv::StorageClass::Input)) {
    if (input.isBuiltIn)
      continue;
    if (!input.isSimple || !input.location)
      return;
    read.insert(*input.location);
  }
  std::set<Id> unread, pointers;
  for (const Variable &output : writer.list(spv::StorageClass::Output)) {
    if (output.isBuiltIn || !output.isSimple || !output.location || read.count(*output.location))
      continue;
    std::optional<std::set<Id>> stored = writer.findStoredPointers(output.id);
    if (!stored)
      continue;
    unread.insert(output.id);
    pointers.insert(stored->begin(), stored->end());
  }
  if (!unread.empty())
    vertex.spirv = writer.writeWithout(unread, pointers);
}
