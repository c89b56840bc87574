// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/program/Program.h"

#include "compiler/spirv/ToolsContext.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cstring>

using namespace llvm;

namespace assay::fuzz {

std::string Instruction::string(size_t index) const {
  std::string text;
  for (; index < operands.size(); ++index)
    for (unsigned byte = 0; byte < 4; ++byte) {
      char c = static_cast<char>(operands[index].word >> (8 * byte));
      if (!c)
        return text;
      text += c;
    }
  return text;
}

/// UTF-8 in little-endian words with a terminating zero (SPIR-V, "Literal").
SmallVector<Operand, 4> makeString(StringRef text) {
  SmallVector<Operand, 4> operands(text.size() / 4 + 1);
  for (auto [index, c] : enumerate(text))
    operands[index / 4].word |= uint32_t(static_cast<uint8_t>(c)) << (8 * (index % 4));
  return operands;
}

bool isTerminator(spv::Op opcode) {
  static constexpr spv::Op terminators[] = {
      spv::Op::OpBranch,           spv::Op::OpBranchConditional,
      spv::Op::OpSwitch,           spv::Op::OpReturn,
      spv::Op::OpReturnValue,      spv::Op::OpKill,
      spv::Op::OpUnreachable,      spv::Op::OpTerminateInvocation,
      spv::Op::OpTerminateRayKHR,  spv::Op::OpIgnoreIntersectionKHR,
      spv::Op::OpEmitMeshTasksEXT,
  };
  return is_contained(terminators, opcode);
}

const Instruction *Block::merge() const {
  if (body.size() < 2 || !isMerge(body[body.size() - 2].opcode))
    return nullptr;
  return &body[body.size() - 2];
}

SmallVector<Id, 2> Block::successors() const {
  SmallVector<Id, 2> labels;
  const Instruction &last = terminator();
  // The condition or selector is the one id that is no label.
  bool hasSelector = last.opcode != spv::Op::OpBranch;
  if (last.opcode != spv::Op::OpBranch && last.opcode != spv::Op::OpBranchConditional &&
      last.opcode != spv::Op::OpSwitch)
    return labels;
  for (const Operand &operand : drop_begin(last.operands, hasSelector))
    if (operand.isId && !is_contained(labels, operand.word))
      labels.push_back(operand.word);
  return labels;
}

size_t Block::firstOrdinary() const {
  auto isFirst = [](const Instruction &each) {
    return each.opcode == spv::Op::OpPhi || each.opcode == spv::Op::OpVariable;
  };
  return static_cast<size_t>(find_if_not(body, isFirst) - body.begin());
}

const Block *Function::find(Id label) const {
  auto found = find_if(blocks, [&](const Block &block) { return block.label == label; });
  return found == blocks.end() ? nullptr : &*found;
}

Block *Function::find(Id label) {
  return const_cast<Block *>(std::as_const(*this).find(label));
}

const Function *Program::findFunction(Id id) const {
  auto found = find_if(functions, [&](const Function &each) { return each.result() == id; });
  return found == functions.end() ? nullptr : &*found;
}

Function *Program::findFunction(Id id) {
  return const_cast<Function *>(std::as_const(*this).findFunction(id));
}

/// Compares the encodings, which have everything that a program has.
bool Program::operator==(const Program &other) const {
  return encode(*this) == encode(other);
}

namespace {
/// In which section an instruction before the first function stands; the order is the module's.
struct SectionRow {
  spv::Op opcode;
  std::vector<Instruction> Program::*section;
};
} // namespace

static constexpr SectionRow sectionRows[] = {
    {spv::Op::OpCapability, &Program::capabilities},
    {spv::Op::OpExtension, &Program::extensions},
    {spv::Op::OpExtInstImport, &Program::imports},
    {spv::Op::OpMemoryModel, &Program::memoryModel},
    {spv::Op::OpEntryPoint, &Program::entryPoints},
    {spv::Op::OpExecutionMode, &Program::executionModes},
    {spv::Op::OpExecutionModeId, &Program::executionModes},
    {spv::Op::OpString, &Program::names},
    {spv::Op::OpSource, &Program::names},
    {spv::Op::OpSourceExtension, &Program::names},
    {spv::Op::OpSourceContinued, &Program::names},
    {spv::Op::OpName, &Program::names},
    {spv::Op::OpMemberName, &Program::names},
    {spv::Op::OpModuleProcessed, &Program::names},
    {spv::Op::OpDecorate, &Program::decorations},
    {spv::Op::OpMemberDecorate, &Program::decorations},
    {spv::Op::OpDecorateId, &Program::decorations},
    {spv::Op::OpDecorateString, &Program::decorations},
    {spv::Op::OpMemberDecorateString, &Program::decorations},
    {spv::Op::OpDecorationGroup, &Program::decorations},
    {spv::Op::OpGroupDecorate, &Program::decorations},
    {spv::Op::OpGroupMemberDecorate, &Program::decorations},
};

/// True for operands that SPIRV-Tools classifies as ids, those of scopes and semantics included.
static bool isId(spv_operand_type_t type) {
  return type == SPV_OPERAND_TYPE_ID || type == SPV_OPERAND_TYPE_TYPE_ID ||
         type == SPV_OPERAND_TYPE_RESULT_ID || type == SPV_OPERAND_TYPE_MEMORY_SEMANTICS_ID ||
         type == SPV_OPERAND_TYPE_SCOPE_ID;
}

namespace {
/// Fills a Program from what SPIRV-Tools' parser hands over.
class Decoder {
public:
  explicit Decoder(Program &program) : m_program(program) {}
  /// Copies version and bound; the bound is cut to what SPIR-V permits.
  spv_result_t readHeader(uint32_t version, uint32_t bound);
  /// Adds one instruction. An id at or above the bound, and a misplaced instruction, is an error.
  spv_result_t read(const spv_parsed_instruction_t &parsed);
  Error takeError() { return std::move(m_error); }
  /// Reports a function that has no end. Call it after the last instruction.
  Error finish();

private:
  /// Appends to the section or function. OpLine, OpNoLine and OpNop are dropped.
  void place(Instruction instruction);
  /// Appends to the current function; an instruction where none may be is an error.
  void placeInFunction(Instruction instruction);
  void fail(const Twine &message) {
    m_error = joinErrors(std::move(m_error), invalidInput(message));
  }

  Program &m_program;
  Error m_error = Error::success();
  bool m_inFunction = false; ///< From OpFunction to OpFunctionEnd.
  bool m_inBlock = false;    ///< From OpLabel to the terminator.
};
} // namespace

spv_result_t Decoder::readHeader(uint32_t version, uint32_t bound) {
  constexpr uint32_t MaxIdBound = 0x3fffff; // SPIR-V, "Universal Limits".
  m_program.version = version;
  m_program.bound = std::min(bound, MaxIdBound + 1);
  return SPV_SUCCESS;
}

spv_result_t Decoder::read(const spv_parsed_instruction_t &parsed) {
  Instruction instruction;
  instruction.opcode = static_cast<spv::Op>(parsed.opcode);
  instruction.type = parsed.type_id;
  instruction.result = parsed.result_id;
  for (uint16_t i = 0; i < parsed.num_operands; ++i) {
    const spv_parsed_operand_t &operand = parsed.operands[i];
    if (isId(operand.type) && parsed.words[operand.offset] >= m_program.bound)
      fail("id " + Twine(parsed.words[operand.offset]) + " is not below the bound");
    if (operand.type == SPV_OPERAND_TYPE_TYPE_ID || operand.type == SPV_OPERAND_TYPE_RESULT_ID)
      continue;
    for (uint16_t word = 0; word < operand.num_words; ++word)
      instruction.operands.push_back({parsed.words[operand.offset + word], isId(operand.type)});
  }
  place(std::move(instruction));
  return m_error ? SPV_ERROR_INVALID_BINARY : SPV_SUCCESS;
}

void Decoder::place(Instruction instruction) {
  if (instruction.opcode == spv::Op::OpLine || instruction.opcode == spv::Op::OpNoLine ||
      instruction.opcode == spv::Op::OpNop)
    return;
  if (m_inFunction || instruction.opcode == spv::Op::OpFunction)
    return placeInFunction(std::move(instruction));
  for (const SectionRow &row : sectionRows)
    if (row.opcode == instruction.opcode) {
      (m_program.*row.section).push_back(std::move(instruction));
      return;
    }
  m_program.globals.push_back(std::move(instruction));
}

void Decoder::placeInFunction(Instruction instruction) {
  switch (instruction.opcode) {
  case spv::Op::OpFunction:
    if (m_inFunction)
      return fail("a function inside a function");
    m_inFunction = true;
    m_program.functions.push_back({std::move(instruction), {}, {}});
    return;
  case spv::Op::OpFunctionEnd:
    if (m_inBlock)
      return fail("a block without a terminator");
    m_inFunction = false;
    return;
  case spv::Op::OpFunctionParameter:
    m_program.functions.back().parameters.push_back(std::move(instruction));
    return;
  case spv::Op::OpLabel:
    if (m_inBlock)
      return fail("a block without a terminator");
    m_inBlock = true;
    m_program.functions.back().blocks.push_back({instruction.result, {}});
    return;
  default:
    break;
  }
  if (!m_inBlock)
    return fail("an instruction outside of blocks");
  m_inBlock = !isTerminator(instruction.opcode);
  m_program.functions.back().blocks.back().body.push_back(std::move(instruction));
}

Error Decoder::finish() {
  if (m_inFunction)
    return invalidInput("the last function has no end");
  return Error::success();
}

/// Callbacks of spvBinaryParse(); the user data is the Decoder.
static spv_result_t onHeader(void *decoder, spv_endianness_t, uint32_t, uint32_t version, uint32_t,
                             uint32_t bound, uint32_t) {
  return static_cast<Decoder *>(decoder)->readHeader(version, bound);
}

static spv_result_t onInstruction(void *decoder, const spv_parsed_instruction_t *instruction) {
  return static_cast<Decoder *>(decoder)->read(*instruction);
}

Expected<Program> decode(ArrayRef<uint32_t> source) {
  spirv::ParsableWords words(source);
  Program program;
  Decoder decoder(program);
  spirv::ToolsContext context;
  spv_diagnostic diagnostic = nullptr;
  spv_result_t result = spvBinaryParse(context.get(), &decoder, words.data(), words.size(),
                                       onHeader, onInstruction, &diagnostic);
  spirv::ToolsMessage message(diagnostic);
  if (Error error = decoder.takeError())
    return std::move(error);
  if (result != SPV_SUCCESS)
    return message.toError("spirv-tools");
  if (Error error = decoder.finish())
    return std::move(error);
  return program;
}

/// Calls visit for each instruction, in the order of the module; for const and mutable programs.
template <typename ProgramT, typename VisitT>
static void visitInstructions(ProgramT &program, VisitT visit) {
  // A section may be named by several opcodes; rows of one stand together.
  std::vector<Instruction> Program::*last = nullptr;
  for (const SectionRow &row : sectionRows) {
    if (row.section == last)
      continue;
    last = row.section;
    for (auto &instruction : program.*row.section)
      visit(instruction);
  }
  for (auto &instruction : program.globals)
    visit(instruction);
  for (auto &function : program.functions) {
    visit(function.definition);
    for (auto &parameter : function.parameters)
      visit(parameter);
    for (auto &block : function.blocks)
      for (auto &instruction : block.body)
        visit(instruction);
  }
}

void forEachInstruction(const Program &program, function_ref<void(const Instruction &)> visit) {
  visitInstructions(program, visit);
}

void forEachInstruction(Program &program, function_ref<void(Instruction &)> visit) {
  visitInstructions(program, visit);
}

/// The result of OpFunction and each label are visited, too; a place that holds no id is not.
void forEachId(Program &program, function_ref<void(Id &)> visit) {
  forEachInstruction(program, [&](Instruction &instruction) {
    if (instruction.type)
      visit(instruction.type);
    if (instruction.result)
      visit(instruction.result);
    for (Operand &operand : instruction.operands)
      if (operand.isId)
        visit(operand.word);
  });
  for (Function &function : program.functions)
    for (Block &block : function.blocks)
      visit(block.label);
}

namespace {
/// Writes a module's words. Each id goes through rename(), in the order of the disassembly: an
/// instruction's result first.
template <typename Rename> class Encoder {
public:
  explicit Encoder(Rename rename) : m_rename(rename) {}

  std::vector<uint32_t> encode(const Program &program) {
    m_words = {spv::MagicNumber, program.version, 0, program.bound, 0};
    std::vector<Instruction> Program::*last = nullptr;
    for (const SectionRow &row : sectionRows)
      if (row.section != last) {
        last = row.section;
        addAll(program.*row.section);
      }
    addAll(program.globals);
    for (const Function &function : program.functions) {
      add(function.definition);
      addAll(function.parameters);
      for (const Block &block : function.blocks) {
        add({spv::Op::OpLabel, 0, block.label, {}});
        addAll(block.body);
      }
      add({spv::Op::OpFunctionEnd, 0, 0, {}});
    }
    return std::move(m_words);
  }

private:
  /// Encodes a section.
  void addAll(const std::vector<Instruction> &instructions) {
    for (const Instruction &instruction : instructions)
      add(instruction);
  }

  /// Encodes one instruction: first word, type, result, operands.
  void add(const Instruction &instruction) {
    size_t count =
        1 + (instruction.type != 0) + (instruction.result != 0) + instruction.operands.size();
    m_words.push_back(static_cast<uint32_t>(count << 16) |
                      static_cast<uint32_t>(instruction.opcode));
    Id result = instruction.result ? m_rename(instruction.result) : 0;
    if (instruction.type)
      m_words.push_back(m_rename(instruction.type));
    if (result)
      m_words.push_back(result);
    for (const Operand &operand : instruction.operands)
      m_words.push_back(operand.isId ? m_rename(operand.word) : operand.word);
  }

  Rename m_rename;
  std::vector<uint32_t> m_words;
};
} // namespace

std::vector<uint32_t> encode(const Program &program) {
  return Encoder([](Id id) { return id; }).encode(program);
}

/// Ids without a use or definition in the program get no number.
std::vector<uint32_t> encodeAsAssembled(const Program &program) {
  std::vector<Id> names(program.bound);
  Id bound = 1;
  auto rename = [&](Id id) {
    if (names[id] == 0)
      names[id] = bound++;
    return names[id];
  };
  std::vector<uint32_t> words = Encoder(rename).encode(program);
  // The registry's number of the assembler (SPIRV-Headers, spir-v.xml); its version is 0.
  constexpr uint32_t assembler = 7;
  words[2] = assembler << 16;
  words[3] = bound;
  return words;
}

} // namespace assay::fuzz
