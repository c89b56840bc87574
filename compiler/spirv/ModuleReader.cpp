// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fills a Module from the instructions that SPIRV-Tools' parser hands over one by one.
#include "compiler/spirv/Module.h"
#include "compiler/spirv/ToolsContext.h"
#include "support/Error.h"
#include "support/Fault.h"

#include <spirv-tools/libspirv.h>

using namespace llvm;

namespace assay::spirv {

/// Builds a Module instruction by instruction. The first error sticks and stops the parser.
class ModuleReader {
public:
  explicit ModuleReader(Module &module) : m_module(module) {}

  spv_result_t readHeader(uint32_t version, uint32_t idBound);
  spv_result_t read(const spv_parsed_instruction_t &parsed);
  Error takeError() { return std::move(m_error); }
  Error finish();

private:
  /// Reads what precedes types and is no decoration; false for any other instruction.
  bool readModuleLevel(const Instruction &instruction);
  /// Reads a decoration. Groups are expanded at once; false for any other instruction.
  bool readDecoration(const Instruction &instruction);
  /// Adds a type; false for an instruction that defines none.
  bool readType(const Instruction &instruction);
  /// Adds a function, parameter, block or instruction; fails where it is out of place.
  void readFunctionLevel(Instruction instruction);
  /// Adds an instruction to the current block; merges are kept apart.
  void readBlockInstruction(Instruction instruction);
  /// Appends the decoration whose kind is operand \p first.
  void addDecoration(std::vector<Decoration> &list, const Instruction &instruction, size_t first);
  bool checkIds(const spv_parsed_instruction_t &parsed);
  /// Notes InvalidInput with opcode and word; the parser stops after the instruction.
  void fail(const Instruction &instruction, const Twine &message);
  /// Checks all types, and the types of all results.
  Error checkTypes() const;
  Error checkType(const Type &type) const;
  Error refuseType(const Twine &use, Id id) const;
  /// InvalidInput where \p function does not fit its OpTypeFunction.
  Error checkFunctionTypes(const Function &function) const;

  Module &m_module;
  Error m_error = Error::success();
  uint32_t m_wordOffset = 5; ///< Of the next instruction; the header has five words.
  uint32_t m_line = 0;
  bool m_inFunction = false;
  bool m_inBlock = false;
};

/// Returns whether \p opcode ends a block. Of ray tracing and mesh shaders, which nothing else
/// supports, too: a module with them is valid.
static bool isTerminator(spv::Op opcode) {
  switch (opcode) {
  case spv::Op::OpBranch:
  case spv::Op::OpBranchConditional:
  case spv::Op::OpSwitch:
  case spv::Op::OpReturn:
  case spv::Op::OpReturnValue:
  case spv::Op::OpKill:
  case spv::Op::OpUnreachable:
  case spv::Op::OpTerminateInvocation:
  case spv::Op::OpTerminateRayKHR:
  case spv::Op::OpIgnoreIntersectionKHR:
  case spv::Op::OpEmitMeshTasksEXT:
    return true;
  default:
    return false;
  }
}

/// The bound is cut to the universal limit plus one, so that checkIds refuses larger ids.
spv_result_t ModuleReader::readHeader(uint32_t version, uint32_t idBound) {
  constexpr uint32_t MaxIdBound = 0x3fffff; // SPIR-V, "Universal Limits".
  m_module.version = version;
  m_module.idBound = std::min(idBound, MaxIdBound + 1);
  return SPV_SUCCESS;
}

void ModuleReader::fail(const Instruction &instruction, const Twine &message) {
  m_error =
      joinErrors(std::move(m_error), invalidInput(opcodeName(instruction.opcode) + " at word " +
                                                  Twine(instruction.wordOffset) + ": " + message));
}

/// Returns whether an operand of \p type is an id.
static bool isId(spv_operand_type_t type) {
  return type == SPV_OPERAND_TYPE_ID || type == SPV_OPERAND_TYPE_TYPE_ID ||
         type == SPV_OPERAND_TYPE_RESULT_ID || type == SPV_OPERAND_TYPE_MEMORY_SEMANTICS_ID ||
         type == SPV_OPERAND_TYPE_SCOPE_ID;
}

/// Ids are keys of our maps, which keep the highest numbers for themselves.
bool ModuleReader::checkIds(const spv_parsed_instruction_t &parsed) {
  for (uint16_t i = 0; i < parsed.num_operands; ++i) {
    const spv_parsed_operand_t &operand = parsed.operands[i];
    uint32_t id = parsed.words[operand.offset];
    if (!isId(operand.type) || id < m_module.idBound)
      continue;
    m_error = joinErrors(std::move(m_error),
                         invalidInput(opcodeName(static_cast<spv::Op>(parsed.opcode)) +
                                      " at word " + Twine(m_wordOffset) + ": id " + Twine(id) +
                                      " is not below the bound " + Twine(m_module.idBound)));
    return false;
  }
  return true;
}

/// Operands are kept as words; which of them are ids is known from the opcode only.
spv_result_t ModuleReader::read(const spv_parsed_instruction_t &parsed) {
  if (!checkIds(parsed))
    return SPV_ERROR_INVALID_BINARY;
  Instruction instruction;
  instruction.opcode = static_cast<spv::Op>(parsed.opcode);
  instruction.typeId = parsed.type_id;
  instruction.resultId = parsed.result_id;
  instruction.wordOffset = m_wordOffset;
  m_wordOffset += parsed.num_words;
  unsigned skipped = 1 + (parsed.type_id != 0) + (parsed.result_id != 0);
  instruction.operands.append(parsed.words + skipped, parsed.words + parsed.num_words);

  if (instruction.opcode == spv::Op::OpLine || instruction.opcode == spv::Op::OpNoLine) {
    m_line = instruction.opcode == spv::Op::OpLine ? instruction.operand(1) : 0;
    return SPV_SUCCESS;
  }
  instruction.line = m_line;
  if (m_inFunction || instruction.opcode == spv::Op::OpFunction)
    readFunctionLevel(std::move(instruction));
  else if (!readModuleLevel(instruction) && !readDecoration(instruction)) {
    readType(instruction);
    if (instruction.resultId) {
      m_module.m_globalIndex[instruction.resultId] = m_module.globals.size();
      m_module.globals.push_back(std::move(instruction));
    }
  }
  return m_error ? SPV_ERROR_INVALID_BINARY : SPV_SUCCESS;
}

/// The interface of an entry point follows its name, which ends in at least one zero byte.
bool ModuleReader::readModuleLevel(const Instruction &instruction) {
  switch (instruction.opcode) {
  case spv::Op::OpCapability:
    m_module.capabilities.push_back(static_cast<spv::Capability>(instruction.operand(0)));
    return true;
  case spv::Op::OpExtension:
    m_module.extensions.push_back(instruction.string(0));
    return true;
  case spv::Op::OpExtInstImport:
    m_module.extInstImports[instruction.resultId] = instruction.string(0);
    return true;
  case spv::Op::OpMemoryModel:
    m_module.addressingModel = static_cast<spv::AddressingModel>(instruction.operand(0));
    m_module.memoryModel = static_cast<spv::MemoryModel>(instruction.operand(1));
    return true;
  case spv::Op::OpEntryPoint: {
    EntryPoint entry{static_cast<spv::ExecutionModel>(instruction.operand(0)),
                     instruction.operand(1),
                     instruction.string(2),
                     {}};
    for (size_t i = 3 + entry.name.size() / 4; i < instruction.size(); ++i)
      entry.interface.push_back(instruction.operand(i));
    m_module.entryPoints.push_back(std::move(entry));
    return true;
  }
  case spv::Op::OpExecutionMode:
  case spv::Op::OpExecutionModeId: {
    ExecutionMode mode{instruction.operand(0),
                       static_cast<spv::ExecutionMode>(instruction.operand(1)),
                       {},
                       instruction.opcode == spv::Op::OpExecutionModeId};
    mode.operands.append(instruction.operands.begin() + 2, instruction.operands.end());
    m_module.executionModes.push_back(std::move(mode));
    return true;
  }
  case spv::Op::OpName:
    m_module.m_names[instruction.operand(0)] = instruction.string(1);
    return true;
  default:
    return false;
  }
}

void ModuleReader::addDecoration(std::vector<Decoration> &list, const Instruction &instruction,
                                 size_t first) {
  Decoration decoration{static_cast<spv::Decoration>(instruction.operand(first)), {}};
  decoration.operands.append(instruction.operands.begin() + first + 1, instruction.operands.end());
  list.push_back(std::move(decoration));
}

/// A group passes on the decorations that it has by then.
bool ModuleReader::readDecoration(const Instruction &instruction) {
  auto &decorations = m_module.m_decorations;
  switch (instruction.opcode) {
  case spv::Op::OpDecorate:
  case spv::Op::OpDecorateId:
  case spv::Op::OpDecorateString:
    addDecoration(decorations[instruction.operand(0)], instruction, 1);
    return true;
  case spv::Op::OpMemberDecorate:
  case spv::Op::OpMemberDecorateString:
    addDecoration(m_module.m_memberDecorations[{instruction.operand(0), instruction.operand(1)}],
                  instruction, 2);
    return true;
  case spv::Op::OpGroupDecorate: {
    std::vector<Decoration> group = decorations[instruction.operand(0)];
    for (size_t i = 1; i < instruction.size(); ++i) {
      std::vector<Decoration> &list = decorations[instruction.operand(i)];
      list.insert(list.end(), group.begin(), group.end());
    }
    return true;
  }
  case spv::Op::OpGroupMemberDecorate: {
    std::vector<Decoration> group = decorations[instruction.operand(0)];
    for (size_t i = 1; i + 1 < instruction.size(); i += 2) {
      auto &list =
          m_module.m_memberDecorations[{instruction.operand(i), instruction.operand(i + 1)}];
      list.insert(list.end(), group.begin(), group.end());
    }
    return true;
  }
  default:
    return false;
  }
}

/// Returns the kind of type that \p opcode declares; nothing for other opcodes.
static std::optional<TypeKind> typeKindOf(spv::Op opcode) {
  switch (opcode) {
  case spv::Op::OpTypeVoid:
    return TypeKind::Void;
  case spv::Op::OpTypeBool:
    return TypeKind::Bool;
  case spv::Op::OpTypeInt:
    return TypeKind::Int;
  case spv::Op::OpTypeFloat:
    return TypeKind::Float;
  case spv::Op::OpTypeVector:
    return TypeKind::Vector;
  case spv::Op::OpTypeMatrix:
    return TypeKind::Matrix;
  case spv::Op::OpTypeArray:
    return TypeKind::Array;
  case spv::Op::OpTypeRuntimeArray:
    return TypeKind::RuntimeArray;
  case spv::Op::OpTypeStruct:
    return TypeKind::Struct;
  case spv::Op::OpTypePointer:
    return TypeKind::Pointer;
  case spv::Op::OpTypeFunction:
    return TypeKind::Function;
  case spv::Op::OpTypeImage:
    return TypeKind::Image;
  case spv::Op::OpTypeSampler:
    return TypeKind::Sampler;
  case spv::Op::OpTypeSampledImage:
    return TypeKind::SampledImage;
  case spv::Op::OpTypeOpaque:
  case spv::Op::OpTypeAccelerationStructureKHR:
  case spv::Op::OpTypeRayQueryKHR:
    return TypeKind::Opaque;
  default:
    return std::nullopt;
  }
}

/// Returns the operands of an OpTypeImage; the access qualifier is not read.
static ImageType readImage(const Instruction &instruction) {
  ImageType image;
  image.sampledType = instruction.operand(0);
  image.dim = static_cast<spv::Dim>(instruction.operand(1));
  image.depth = instruction.operand(2);
  image.arrayed = instruction.operand(3) != 0;
  image.multisampled = instruction.operand(4) != 0;
  image.sampled = instruction.operand(5);
  image.format = static_cast<spv::ImageFormat>(instruction.operand(6));
  return image;
}

/// ArrayStride is known here already, as decorations precede types.
bool ModuleReader::readType(const Instruction &instruction) {
  std::optional<TypeKind> kind = typeKindOf(instruction.opcode);
  if (!kind)
    return false;
  Type type;
  type.kind = *kind;
  type.id = instruction.resultId;
  switch (*kind) {
  case TypeKind::Int:
    type.isSigned = instruction.operand(1) != 0;
    type.width = instruction.operand(0);
    break;
  case TypeKind::Float:
    type.width = instruction.operand(0);
    break;
  case TypeKind::Vector:
  case TypeKind::Matrix:
    type.element = instruction.operand(0);
    type.count = instruction.operand(1);
    break;
  case TypeKind::Array:
    type.element = instruction.operand(0);
    type.lengthId = instruction.operand(1);
    break;
  case TypeKind::RuntimeArray:
  case TypeKind::SampledImage:
    type.element = instruction.operand(0);
    break;
  case TypeKind::Pointer:
    type.storageClass = static_cast<spv::StorageClass>(instruction.operand(0));
    type.element = instruction.operand(1);
    break;
  case TypeKind::Struct:
    type.members.assign(instruction.operands.begin(), instruction.operands.end());
    break;
  case TypeKind::Image:
    type.image = readImage(instruction);
    break;
  case TypeKind::Function:
    type.returnType = instruction.operand(0);
    type.members.assign(instruction.operands.begin() + 1, instruction.operands.end());
    break;
  default:
    break;
  }
  type.arrayStride = m_module.decorationValue(type.id, spv::Decoration::ArrayStride).value_or(0);
  m_module.m_types[type.id] = std::move(type);
  return true;
}

void ModuleReader::readFunctionLevel(Instruction instruction) {
  switch (instruction.opcode) {
  case spv::Op::OpFunction: {
    if (m_inFunction)
      return fail(instruction, "a function inside a function");
    m_inFunction = true;
    Function function;
    function.id = instruction.resultId;
    function.returnType = instruction.typeId;
    function.typeId = instruction.operand(1);
    m_module.functions.push_back(std::move(function));
    return;
  }
  case spv::Op::OpFunctionEnd:
    if (m_inBlock)
      fail(instruction, "the last block has no terminator");
    m_inFunction = false;
    return;
  case spv::Op::OpFunctionParameter:
    m_module.functions.back().parameters.push_back(std::move(instruction));
    return;
  case spv::Op::OpLabel: {
    if (m_inBlock)
      return fail(instruction, "the block before it has no terminator");
    m_inBlock = true;
    Block block;
    block.label = instruction.resultId;
    m_module.functions.back().blocks.push_back(std::move(block));
    return;
  }
  default:
    if (!m_inBlock)
      return fail(instruction, "stands outside a block");
    readBlockInstruction(std::move(instruction));
  }
}

/// A terminator ends the block, and the range of the last OpLine.
void ModuleReader::readBlockInstruction(Instruction instruction) {
  Block &block = m_module.functions.back().blocks.back();
  if (instruction.opcode == spv::Op::OpSelectionMerge) {
    block.merge = Merge{false, instruction.operand(0), 0};
    return;
  }
  if (instruction.opcode == spv::Op::OpLoopMerge) {
    block.merge = Merge{true, instruction.operand(0), instruction.operand(1)};
    return;
  }
  if (isTerminator(instruction.opcode)) {
    m_inBlock = false;
    m_line = 0;
  }
  block.instructions.push_back(std::move(instruction));
}

/// Unsupported where \p id is a type that Module does not know, InvalidInput where it is none.
/// \p use ends before the id.
Error ModuleReader::refuseType(const Twine &use, Id id) const {
  if (const Instruction *definition = m_module.findGlobal(id))
    if (std::string name = opcodeName(definition->opcode); StringRef(name).starts_with("OpType"))
      return unsupported(name + " (%" + Twine(id) + ")");
  return invalidInput(use + Twine(id) + ", which is no type");
}

// What Module promises of types: all that are named exist, matrices are made of vectors and vectors
// of scalars, and only pointers make a type recursive. So type() can be used without looking.
Error ModuleReader::checkType(const Type &type) const {
  std::vector<Id> used = type.members;
  if (type.element)
    used.push_back(type.element);
  if (type.returnType)
    used.push_back(type.returnType);
  for (Id id : used) {
    if (!m_module.findType(id))
      return refuseType("type %" + Twine(type.id) + " uses %", id);
    if (type.kind != TypeKind::Pointer &&
        m_module.m_globalIndex.lookup(id) >= m_module.m_globalIndex.lookup(type.id)) {
      if (m_module.type(id).kind == TypeKind::Pointer)
        continue; // OpTypeForwardPointer.
      return invalidInput("type %" + Twine(type.id) + " uses %" + Twine(id) +
                          ", which is defined after it");
    }
  }
  if (type.kind == TypeKind::Vector) {
    TypeKind component = m_module.type(type.element).kind;
    if (component != TypeKind::Int && component != TypeKind::Float && component != TypeKind::Bool)
      return invalidInput("vector type %" + Twine(type.id) + " is not made of scalars");
  }
  if (type.kind == TypeKind::Matrix && m_module.type(type.element).kind != TypeKind::Vector)
    return invalidInput("matrix type %" + Twine(type.id) + " is not made of vectors");
  return Error::success();
}

/// Types are checked first, as the checks of results and functions rely on them.
Error ModuleReader::checkTypes() const {
  for (const Instruction &instruction : m_module.globals)
    if (const Type *type = m_module.findType(instruction.resultId))
      if (Error error = checkType(*type))
        return error;
  for (const Instruction &instruction : m_module.globals)
    if (instruction.typeId && !m_module.findType(instruction.typeId))
      return refuseType("%" + Twine(instruction.resultId) + " has type %", instruction.typeId);
  for (const Function &function : m_module.functions)
    if (Error error = checkFunctionTypes(function))
      return error;
  return Error::success();
}

Error ModuleReader::checkFunctionTypes(const Function &function) const {
  const Type *type = m_module.findType(function.typeId);
  if (!type || type->kind != TypeKind::Function || !m_module.findType(function.returnType))
    return invalidInput("function %" + Twine(function.id) + " has no function type");
  if (type->members.size() != function.parameters.size())
    return invalidInput("function %" + Twine(function.id) + " has " +
                        Twine(function.parameters.size()) + " parameters, its type has " +
                        Twine(type->members.size()));
  for (const Block &block : function.blocks)
    for (const Instruction &instruction : block.instructions)
      if (instruction.typeId && !m_module.findType(instruction.typeId))
        return refuseType("%" + Twine(instruction.resultId) + " has type %", instruction.typeId);
  return Error::success();
}

/// To be called after the last instruction: checks that functions are closed and types hold.
Error ModuleReader::finish() {
  if (m_inFunction)
    return invalidInput("the module ends inside a function");
  return checkTypes();
}

static spv_result_t onHeader(void *user, spv_endianness_t, uint32_t, uint32_t version, uint32_t,
                             uint32_t idBound, uint32_t) {
  return static_cast<ModuleReader *>(user)->readHeader(version, idBound);
}

static spv_result_t onInstruction(void *user, const spv_parsed_instruction_t *parsed) {
  return static_cast<ModuleReader *>(user)->read(*parsed);
}

/// Errors of the reader go before those of SPIRV-Tools, which stops where the reader fails.
Expected<Module> decode(ArrayRef<uint32_t> source) {
  ParsableWords words(source);
  Module module;
  ModuleReader reader(module);
  ToolsContext context;
  spv_diagnostic diagnostic = nullptr;
  spv_result_t result = spvBinaryParse(context.get(), &reader, words.data(), words.size(), onHeader,
                                       onInstruction, &diagnostic);
  ToolsMessage message(diagnostic);
  if (Error error = reader.takeError()) {
    return std::move(error);
  }
  if (result != SPV_SUCCESS)
    return message.toError("SPIR-V module");
  if (Error error = reader.finish())
    return std::move(error);
  if (faultPlanted(Fault::DecoderRefuses))
    return invalidInput("the module goes on");
  return module;
}

} // namespace assay::spirv
