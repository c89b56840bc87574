// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/spirv/CanonicalHash.h"

#include "compiler/spirv/ToolsContext.h"
#include "support/Error.h"
#include "support/Fault.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <set>
#include <spirv/unified1/spirv.hpp11>

using namespace llvm;
using namespace assay;
using namespace assay::spirv;

using Id = uint32_t;

namespace {
/// A word after result type and result.
struct Word {
  uint32_t word = 0;
  bool isId = false;
};

/// An instruction as SPIRV-Tools parses it.
struct Parsed {
  spv::Op opcode = spv::Op::OpNop;
  Id type = 0;
  Id result = 0;
  SmallVector<Word, 4> words;
};

/// The module's instructions by what they are for.
struct Sections {
  uint32_t version = 0;
  std::set<uint32_t> capabilities;
  std::vector<Parsed> entryPoints, modes;
  std::vector<Parsed> memoryModel; ///< At most one.
  std::vector<Parsed> globals;     ///< Types, constants, variables, imports of instruction sets.
  std::vector<std::vector<Parsed>> functions;
  DenseMap<Id, std::vector<Parsed>> decorations; ///< By what they decorate; OpMember... too.
  DenseMap<Id, size_t> globalIndex, functionIndex;
  std::set<Id> nonSemanticSets;
  bool isInFunction = false;

  /// Adds the next instruction of the module; those that no code depends on are dropped.
  void add(Parsed instruction);

private:
  /// Sorts an instruction at module scope into its section.
  void addToModule(Parsed instruction);
};
} // namespace

/// Instructions that no code depends on.
static bool isDebug(spv::Op opcode) {
  switch (opcode) {
  case spv::Op::OpNop:
  case spv::Op::OpLine:
  case spv::Op::OpNoLine:
  case spv::Op::OpName:
  case spv::Op::OpMemberName:
  case spv::Op::OpString:
  case spv::Op::OpSource:
  case spv::Op::OpSourceContinued:
  case spv::Op::OpSourceExtension:
  case spv::Op::OpModuleProcessed:
  case spv::Op::OpDecorateString: // UserSemantic and UserTypeGOOGLE only.
  case spv::Op::OpMemberDecorateString:
    return true;
  default:
    return false;
  }
}

/// Returns whether \p opcode decorates an id, a member or a group.
static bool isDecoration(spv::Op opcode) {
  switch (opcode) {
  case spv::Op::OpDecorate:
  case spv::Op::OpDecorateId:
  case spv::Op::OpMemberDecorate:
  case spv::Op::OpGroupDecorate:
  case spv::Op::OpGroupMemberDecorate:
    return true;
  default:
    return false;
  }
}

/// Decorations that neither the front-end nor the layout reads: they allow what the compiler does
/// not do (RelaxedPrecision, Restrict), or say what it does not ask for. A pass that begins to read
/// one must take it out of here; the oracle of hash chains drops decorations to find out.
static bool isIgnored(uint32_t decoration) {
  switch (static_cast<spv::Decoration>(decoration)) {
  case spv::Decoration::RelaxedPrecision:
  case spv::Decoration::Restrict:
  case spv::Decoration::NonWritable:
  case spv::Decoration::NonReadable:
  case spv::Decoration::NonUniform:
    return true;
  default:
    return false;
  }
}

/// Decorations of the place of an input or output.
static bool isPlace(uint32_t decoration) {
  return decoration == static_cast<uint32_t>(spv::Decoration::Location) ||
         decoration == static_cast<uint32_t>(spv::Decoration::Component);
}

/// Returns whether the decoration says how an input is interpolated.
static bool isInterpolation(uint32_t decoration) {
  switch (static_cast<spv::Decoration>(decoration)) {
  case spv::Decoration::Flat:
  case spv::Decoration::NoPerspective:
  case spv::Decoration::Centroid:
  case spv::Decoration::Sample:
    return true;
  default:
    return false;
  }
}

/// Returns the literal string in \p words, up to its final zero.
static std::string readText(ArrayRef<Word> words) {
  std::string text;
  for (const Word &word : words)
    for (int shift = 0; shift < 32; shift += 8) {
      char character = static_cast<char>(word.word >> shift);
      if (!character)
        return text;
      text += character;
    }
  return text;
}

/// Extensions are dropped. An instruction that applies a decoration group is listed at each of its
/// targets.
void Sections::addToModule(Parsed instruction) {
  switch (instruction.opcode) {
  case spv::Op::OpCapability:
    capabilities.insert(instruction.words[0].word);
    return;
  case spv::Op::OpExtension:
    return;
  case spv::Op::OpMemoryModel:
    memoryModel.push_back(std::move(instruction));
    return;
  case spv::Op::OpEntryPoint:
    entryPoints.push_back(std::move(instruction));
    return;
  case spv::Op::OpExecutionMode:
  case spv::Op::OpExecutionModeId:
    modes.push_back(std::move(instruction));
    return;
  case spv::Op::OpExtInstImport:
    if (StringRef(readText(instruction.words)).starts_with("NonSemantic."))
      nonSemanticSets.insert(instruction.result);
    break;
  default:
    break;
  }
  if (isDecoration(instruction.opcode)) {
    unsigned kind = instruction.opcode == spv::Op::OpMemberDecorate ? 2 : 1;
    bool isPlain = kind == 2 || instruction.opcode == spv::Op::OpDecorate;
    if (isPlain && instruction.words.size() > kind && isIgnored(instruction.words[kind].word))
      return;
    Id target = instruction.words[0].word;
    if (instruction.opcode == spv::Op::OpGroupDecorate ||
        instruction.opcode == spv::Op::OpGroupMemberDecorate) {
      // From the target to the group, whose decorations have the group's id.
      for (const Word &each : drop_begin(instruction.words))
        if (each.isId)
          decorations[each.word].push_back(instruction);
      return;
    }
    decorations[target].push_back(std::move(instruction));
  } else if (instruction.result) {
    globalIndex[instruction.result] = globals.size();
    globals.push_back(std::move(instruction));
  }
}

/// Non-semantic instructions in functions are dropped.
void Sections::add(Parsed instruction) {
  if (isDebug(instruction.opcode))
    return;
  if (instruction.opcode == spv::Op::OpFunction) {
    isInFunction = true;
    functionIndex[instruction.result] = functions.size();
    functions.emplace_back();
  }
  if (!isInFunction)
    return addToModule(std::move(instruction));
  bool isNonSemantic =
      instruction.opcode == spv::Op::OpExtInst && nonSemanticSets.count(instruction.words[0].word);
  isInFunction = instruction.opcode != spv::Op::OpFunctionEnd;
  if (!isNonSemantic)
    functions.back().push_back(std::move(instruction));
}

/// Whether \p variable is a structure all of whose members are built-ins.
static bool isBlockOfBuiltIns(const Sections &sections, const Parsed &variable) {
  auto find = [&](Id id) -> const Parsed * {
    auto place = sections.globalIndex.find(id);
    return place == sections.globalIndex.end() ? nullptr : &sections.globals[place->second];
  };
  const Parsed *pointer = find(variable.type);
  const Parsed *type =
      pointer && pointer->words.size() > 1 ? find(pointer->words[1].word) : nullptr;
  if (!type || type->opcode != spv::Op::OpTypeStruct)
    return false;
  std::set<uint32_t> members;
  if (auto place = sections.decorations.find(type->result); place != sections.decorations.end())
    for (const Parsed &each : place->second)
      if (each.opcode == spv::Op::OpMemberDecorate &&
          each.words[2].word == static_cast<uint32_t>(spv::Decoration::BuiltIn))
        members.insert(each.words[1].word);
  return members.size() == type->words.size();
}

namespace {
/// A variable of scalars that a stage exchanges with another one.
struct LinkedVariable {
  uint32_t location = 0, component = 0, count = 1;
};

/// Writes what an entry point reaches, each id by the number of its first use.
class Writer {
public:
  Writer(const Sections &sections, const ShaderDescription &shader)
      : m_sections(sections), m_shader(shader) {}

  Expected<ShaderMeaning> run(bool isLinked);

private:
  void writeDefinition(const Parsed &instruction);
  void writeId(Id id);
  void writeDecorations(Id id);
  void writeFunction(ArrayRef<Parsed> body);
  void writeOperands(const Parsed &instruction);
  void writePending();
  void readInterface(const Parsed &entry);
  void writeInterface();
  void findFreePlaces();
  std::optional<LinkedVariable> describeLinked(const Parsed &variable) const;
  const Parsed *findGlobal(Id id) const;
  std::optional<uint32_t> findDecoration(Id id, spv::Decoration kind) const;
  void writeOrder();
  std::vector<Id> listVariables() const;
  const Parsed *findEntryPoint() const;
  std::optional<uint64_t> findSpecialization(Id constant) const;
  bool isWorkgroupSize(const Parsed &global) const;

  const Sections &m_sections;
  const ShaderDescription &m_shader;
  CanonicalBytes m_bytes;
  DenseMap<Id, uint64_t> m_numbers;
  SmallVector<Id, 16> m_pending; ///< Numbered, definition not written yet.
  std::set<Id> m_interface;      ///< Inputs and outputs of the entry point.
  std::set<Id> m_freePlaces;     ///< Variables whose places linking chooses.
};
} // namespace

/// Definitions are written after the use, so that neither depth nor cycles of types matter.
void Writer::writeId(Id id) {
  auto [place, isNew] = m_numbers.insert({id, m_numbers.size()});
  m_bytes.add(place->second);
  if (isNew)
    m_pending.push_back(id);
}

/// Writes the count of operands, then ids by number and literals by value.
void Writer::writeOperands(const Parsed &instruction) {
  m_bytes.add(uint64_t(instruction.words.size()));
  for (const Word &word : instruction.words)
    if (word.isId)
      writeId(word.word);
    else if (!faultPlanted(Fault::HashSkipsLiterals))
      m_bytes.add(uint64_t(word.word));
}

/// Returns the bits that the pipeline gives the constant; nothing where it keeps its default.
std::optional<uint64_t> Writer::findSpecialization(Id constant) const {
  auto place = m_sections.decorations.find(constant);
  if (place == m_sections.decorations.end())
    return std::nullopt;
  for (const Parsed &each : place->second)
    if (each.opcode == spv::Op::OpDecorate &&
        each.words[1].word == static_cast<uint32_t>(spv::Decoration::SpecId))
      for (const SpecializationValue &value : m_shader.specialization)
        if (!faultPlanted(Fault::HashSkipsSpecialization) && value.id == each.words[2].word)
          return value.bits;
  return std::nullopt;
}

/// Returns the definition of \p id at module scope, or null.
const Parsed *Writer::findGlobal(Id id) const {
  auto place = m_sections.globalIndex.find(id);
  return place == m_sections.globalIndex.end() ? nullptr : &m_sections.globals[place->second];
}

/// Returns the first operand of decoration \p kind of \p id; groups are not followed.
std::optional<uint32_t> Writer::findDecoration(Id id, spv::Decoration kind) const {
  auto place = m_sections.decorations.find(id);
  if (place != m_sections.decorations.end())
    for (const Parsed &each : place->second)
      if (each.opcode == spv::Op::OpDecorate && each.words.size() > 2 &&
          each.words[1].word == static_cast<uint32_t>(kind))
        return each.words[2].word;
  return std::nullopt;
}

/// Nothing if it is not a scalar or vector of at most 32 bits with a Location.
std::optional<LinkedVariable> Writer::describeLinked(const Parsed &variable) const {
  constexpr uint32_t mostLocations = 256; // Linking has built-ins at 1000 and more.
  std::optional<uint32_t> location = findDecoration(variable.result, spv::Decoration::Location);
  const Parsed *pointer = findGlobal(variable.type);
  const Parsed *type =
      pointer && pointer->words.size() > 1 ? findGlobal(pointer->words[1].word) : nullptr;
  if (!location || *location >= mostLocations || !type)
    return std::nullopt;
  LinkedVariable result;
  result.location = *location;
  result.component = findDecoration(variable.result, spv::Decoration::Component).value_or(0);
  if (type->opcode == spv::Op::OpTypeVector) {
    result.count = type->words[1].word;
    type = findGlobal(type->words[0].word);
  }
  bool isNumber =
      type && (type->opcode == spv::Op::OpTypeInt || type->opcode == spv::Op::OpTypeFloat);
  if (!isNumber || type->words[0].word > 32 || result.component + result.count > 4)
    return std::nullopt;
  return result;
}

/// Fills m_interface with the inputs and outputs that \p entry lists.
void Writer::readInterface(const Parsed &entry) {
  for (const Word &word : entry.words) {
    const Parsed *global = word.isId ? findGlobal(word.word) : nullptr;
    if (!global || global->opcode != spv::Op::OpVariable)
      continue;
    auto storage = static_cast<spv::StorageClass>(global->words[0].word);
    if (storage == spv::StorageClass::Input || storage == spv::StorageClass::Output)
      m_interface.insert(word.word);
  }
}

/// Linking moves vertex outputs and fragment inputs, so that their places do not count; what
/// linking reads of the other stage it tracks by the order of reads and writes. That holds where
/// each place is of one variable. Built-ins have none.
void Writer::findFreePlaces() {
  bool isVertex = m_shader.stage == ShaderStage::Vertex;
  if (!isVertex && m_shader.stage != ShaderStage::Fragment)
    return;
  auto exchanged = isVertex ? spv::StorageClass::Output : spv::StorageClass::Input;
  std::set<std::pair<uint32_t, uint32_t>> taken;
  std::set<Id> found;
  for (const Parsed &global : m_sections.globals) {
    if (!m_interface.count(global.result) ||
        global.words[0].word != static_cast<uint32_t>(exchanged) ||
        findDecoration(global.result, spv::Decoration::BuiltIn))
      continue;
    std::optional<LinkedVariable> variable = describeLinked(global);
    if (!variable && isBlockOfBuiltIns(m_sections, global))
      continue;
    if (!variable)
      return;
    for (uint32_t i = 0; i < variable->count; ++i)
      if (!taken.insert({variable->location, variable->component + i}).second)
        return;
    found.insert(global.result);
  }
  m_freePlaces = std::move(found);
}

/// Decorations in the order of their bytes. Of SpecId nothing but the value matters.
void Writer::writeDecorations(Id id) {
  auto place = m_sections.decorations.find(id);
  if (place == m_sections.decorations.end())
    return m_bytes.add(0), void();
  std::vector<std::pair<std::string, size_t>> sorted; // Key, index.
  for (const auto &[index, each] : enumerate(place->second)) {
    if (each.opcode == spv::Op::OpDecorate &&
        (each.words[1].word == static_cast<uint32_t>(spv::Decoration::SpecId) ||
         (m_freePlaces.count(id) && isPlace(each.words[1].word)) ||
         (isInterpolation(each.words[1].word) && faultPlanted(Fault::HashSkipsInterpolation))))
      continue;
    CanonicalBytes key;
    key.add(uint64_t(each.opcode));
    for (const Word &word : drop_begin(each.words))
      key.add(word.isId ? ~uint64_t(0) : uint64_t(word.word));
    sorted.emplace_back(key.take(), index);
  }
  llvm::sort(sorted);
  m_bytes.add(uint64_t(sorted.size()));
  for (const auto &[key, index] : sorted) {
    const Parsed *each = &place->second[index];
    m_bytes.add(key);
    bool isGroup =
        each->opcode == spv::Op::OpGroupDecorate || each->opcode == spv::Op::OpGroupMemberDecorate;
    if (isGroup)
      writeId(each->words[0].word);
    if (each->opcode == spv::Op::OpGroupMemberDecorate)
      for (const auto &[target, member] : zip(drop_begin(each->words), drop_begin(each->words, 2)))
        if (target.isId && target.word == id)
          m_bytes.add(uint64_t(member.word));
    for (const Word &word : drop_begin(each->words))
      if (word.isId && !isGroup)
        writeId(word.word);
  }
}

/// Writes opcode, type, operands and decorations. A constant that is specialized has its value
/// instead of its operands.
void Writer::writeDefinition(const Parsed &instruction) {
  m_bytes.add(uint64_t(instruction.opcode));
  if (instruction.type)
    writeId(instruction.type);
  if (std::optional<uint64_t> value = findSpecialization(instruction.result)) {
    m_bytes.add("specialized").add(*value);
    writeDecorations(instruction.result);
    return;
  }
  writeOperands(instruction);
  writeDecorations(instruction.result);
}

/// In the order of the function: the order of blocks and of instructions can decide about the code.
void Writer::writeFunction(ArrayRef<Parsed> body) {
  m_bytes.add(uint64_t(body.size()));
  for (const Parsed &each : body) {
    m_bytes.add(uint64_t(each.opcode));
    if (each.type)
      writeId(each.type);
    if (each.result) {
      writeId(each.result);
      writeDecorations(each.result);
    }
    writeOperands(each);
  }
}

/// Writes definitions until none is pending; those may add further ones.
void Writer::writePending() {
  while (!m_pending.empty()) {
    SmallVector<Id, 16> now;
    std::swap(now, m_pending);
    for (Id id : now) {
      auto function = m_sections.functionIndex.find(id);
      auto global = m_sections.globalIndex.find(id);
      bool isCallee = m_numbers.lookup(id) != 0; // The entry point's function is the first id.
      if (isCallee && function != m_sections.functionIndex.end() &&
          faultPlanted(Fault::HashSkipsCallees))
        continue;
      if (function != m_sections.functionIndex.end())
        writeFunction(m_sections.functions[function->second]);
      else if (global != m_sections.globalIndex.end())
        writeDefinition(m_sections.globals[global->second]);
    }
  }
}

/// Inputs and outputs that no function uses: graphics stages copy all of the interface, and what
/// decorates an input can ask for an invocation a sample.
void Writer::writeInterface() {
  if (m_shader.stage == ShaderStage::Compute || faultPlanted(Fault::HashSkipsInterface))
    return;
  for (const Parsed &global : m_sections.globals)
    if (m_interface.count(global.result) && !m_numbers.count(global.result))
      writeId(global.result);
  writePending();
}

/// Functions become part of the entry point in their order.
void Writer::writeOrder() {
  for (const std::vector<Parsed> &function : m_sections.functions)
    if (auto number = m_numbers.find(function.front().result); number != m_numbers.end())
      m_bytes.add(number->second);
}

/// Returns the variables that were written, in the order of their numbers.
std::vector<Id> Writer::listVariables() const {
  std::vector<std::pair<uint64_t, Id>> found;
  for (const Parsed &global : m_sections.globals)
    if (auto number = m_numbers.find(global.result);
        global.opcode == spv::Op::OpVariable && number != m_numbers.end())
      found.emplace_back(number->second, global.result);
  llvm::sort(found);
  std::vector<Id> ids;
  for (const auto &[number, id] : found)
    ids.push_back(id);
  return ids;
}

/// Returns the entry point of the shader's stage and name, or null.
const Parsed *Writer::findEntryPoint() const {
  for (const Parsed &each : m_sections.entryPoints)
    if (each.words.size() > 2 &&
        each.words[0].word == getStageInfo(m_shader.stage).executionModel &&
        readText(ArrayRef(each.words).drop_front(2)) == m_shader.entryPoint)
      return &each;
  return nullptr;
}

/// A constant that says how large the workgroup is though no instruction uses it.
bool Writer::isWorkgroupSize(const Parsed &global) const {
  auto place = m_sections.decorations.find(global.result);
  return place != m_sections.decorations.end() && any_of(place->second, [](const Parsed &each) {
           return each.opcode == spv::Op::OpDecorate && each.words.size() > 2 &&
                  each.words[1].word == static_cast<uint32_t>(spv::Decoration::BuiltIn) &&
                  each.words[2].word == static_cast<uint32_t>(spv::BuiltIn::WorkgroupSize);
         });
}

/// Writes what the entry point reaches. Its function gets number 0. InvalidInput where there is no
/// such entry point.
Expected<ShaderMeaning> Writer::run(bool isLinked) {
  const Parsed *entry = findEntryPoint();
  if (!entry)
    return invalidInput("no " + getStageName(m_shader.stage) + " entry point is called '" +
                        m_shader.entryPoint + "'");
  readInterface(*entry);
  if (isLinked)
    findFreePlaces();
  m_bytes.add(uint64_t(m_freePlaces.size()));
  m_bytes.add(uint64_t(m_sections.version)).add(uint64_t(m_sections.capabilities.size()));
  for (uint32_t capability : m_sections.capabilities)
    m_bytes.add(uint64_t(capability));
  for (const Parsed &each : m_sections.memoryModel)
    writeOperands(each);
  m_bytes.add(uint64_t(m_shader.stage)).add(uint64_t(m_shader.requiredSubgroupSize));
  Id function = entry->words[1].word;
  m_bytes.add(uint64_t(entry->words[0].word));
  writeId(function);
  for (const Parsed &mode : m_sections.modes)
    if (mode.words[0].word == function && !faultPlanted(Fault::HashSkipsModes)) {
      m_bytes.add(uint64_t(mode.opcode));
      writeOperands(mode);
    }
  for (const Parsed &global : m_sections.globals)
    if (isWorkgroupSize(global))
      writeId(global.result);
  if (faultPlanted(Fault::HashOfUnused))
    m_bytes.add(uint64_t(m_sections.globals.size()));
  writePending();
  writeInterface();
  writeOrder();
  return ShaderMeaning{m_bytes.hash(), listVariables()};
}

/// Notes the version; the id bound does not count.
static spv_result_t onHeader(void *user, spv_endianness_t, uint32_t, uint32_t version, uint32_t,
                             uint32_t, uint32_t) {
  static_cast<Sections *>(user)->version = version;
  return SPV_SUCCESS;
}

/// Passes an instruction on to Sections, with result type and result apart from the operands.
static spv_result_t onInstruction(void *user, const spv_parsed_instruction_t *parsed) {
  Parsed instruction;
  instruction.opcode = static_cast<spv::Op>(parsed->opcode);
  instruction.type = parsed->type_id;
  instruction.result = parsed->result_id;
  for (const spv_parsed_operand_t &operand : ArrayRef(parsed->operands, parsed->num_operands)) {
    if (operand.type == SPV_OPERAND_TYPE_RESULT_ID || operand.type == SPV_OPERAND_TYPE_TYPE_ID)
      continue;
    bool isId = operand.type == SPV_OPERAND_TYPE_ID ||
                operand.type == SPV_OPERAND_TYPE_MEMORY_SEMANTICS_ID ||
                operand.type == SPV_OPERAND_TYPE_SCOPE_ID;
    for (uint16_t i = 0; i < operand.num_words; ++i)
      instruction.words.push_back({parsed->words[operand.offset + i], isId});
  }
  static_cast<Sections *>(user)->add(std::move(instruction));
  return SPV_SUCCESS;
}

/// Parses once by SPIRV-Tools, without building a Module: the hash must not depend on what that
/// keeps.
Expected<ShaderMeaning> assay::spirv::readMeaning(const ShaderDescription &shader, bool isLinked) {
  Sections sections;
  ToolsContext context;
  spv_diagnostic diagnostic = nullptr;
  ParsableWords words(shader.spirv);
  spv_result_t result = spvBinaryParse(context.get(), &sections, words.data(), words.size(),
                                       onHeader, onInstruction, &diagnostic);
  ToolsMessage message(diagnostic);
  if (result != SPV_SUCCESS)
    return message.toError("SPIR-V module");
  return Writer(sections, shader).run(isLinked);
}

Expected<Hash128> assay::spirv::hashMeaning(const ShaderDescription &shader) {
  Expected<ShaderMeaning> meaning = readMeaning(shader);
  if (!meaning)
    return meaning.takeError();
  return meaning->hash;
}
