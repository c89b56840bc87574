// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A SPIR-V module as typed data, decoded by SPIRV-Tools. Front-end and reference interpreter both
// read it, and share nothing else: no meaning of any instruction is in here.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <map>
#include <optional>
#include <spirv/unified1/spirv.hpp11>
#include <string>
#include <vector>

namespace assay::spirv {

using Id = uint32_t;

/// One instruction. \p operands are the words after result type and result id, as in the binary.
struct Instruction {
  spv::Op opcode = spv::Op::OpNop;
  Id typeId = 0;   ///< Result type, or 0.
  Id resultId = 0; ///< Result, or 0.
  llvm::SmallVector<uint32_t, 4> operands;
  uint32_t wordOffset = 0; ///< Of the first word, from the start of the module.
  uint32_t line = 0;       ///< From OpLine, or 0.

  uint32_t operand(size_t index) const { return operands[index]; }
  size_t size() const { return operands.size(); }
  /// The literal string that starts at operand \p index.
  std::string string(size_t index) const;
};

/// A decoration of an id or of a member. \p operands are literals, or ids for OpDecorateId.
struct Decoration {
  spv::Decoration kind;
  llvm::SmallVector<uint32_t, 2> operands;
};

/// Opaque: a type without structure, such as that of acceleration structures.
enum class TypeKind {
  Void,
  Bool,
  Int,
  Float,
  Vector,
  Matrix,
  Array,
  RuntimeArray,
  Struct,
  Pointer,
  Function,
  Image,
  Sampler,
  SampledImage,
  Opaque
};

/// Operands of OpTypeImage as they stand there.
struct ImageType {
  Id sampledType = 0;
  spv::Dim dim = spv::Dim::Dim2D;
  uint32_t depth = 0; ///< 0 no, 1 yes, 2 unknown.
  bool arrayed = false;
  bool multisampled = false;
  uint32_t sampled = 0; ///< 0 known at run time only, 1 with a sampler, 2 storage.
  spv::ImageFormat format = spv::ImageFormat::Unknown;
};

/// A type. Which fields mean something depends on \p kind.
struct Type {
  TypeKind kind = TypeKind::Void;
  Id id = 0;
  uint32_t width = 0;    ///< Int, Float: bits.
  bool isSigned = false; ///< Int.
  Id element = 0;        ///< Vector: component; Matrix: column; arrays: element; Pointer: pointee;
                         ///< SampledImage: its image.
  uint32_t count = 0;    ///< Vector: components; Matrix: columns.
  Id lengthId = 0; ///< Array: constant (perhaps a specialization constant) that is its length.
  spv::StorageClass storageClass = spv::StorageClass::Function; ///< Pointer.
  std::vector<Id> members;  ///< Struct: member types; Function: parameter types.
  Id returnType = 0;        ///< Function.
  uint32_t arrayStride = 0; ///< Arrays, Pointer: ArrayStride decoration, or 0.
  ImageType image;          ///< Image.
};

/// Explicit layout of one member of a structure; zero/false where undecorated.
struct MemberLayout {
  std::optional<uint32_t> offset;
  uint32_t matrixStride = 0;
  bool rowMajor = false;

  bool operator==(const MemberLayout &) const = default;
};

/// OpSelectionMerge or OpLoopMerge of a block.
struct Merge {
  bool isLoop = false;
  Id mergeBlock = 0;
  Id continueTarget = 0; ///< Loops only.
};

struct Block {
  Id label = 0;
  std::vector<Instruction>
      instructions; ///< Phis first, terminator last; no label, no merge, no lines.
  std::optional<Merge> merge;

  const Instruction &terminator() const { return instructions.back(); }
};

/// A function with its blocks in the order of the module.
struct Function {
  Id id = 0;
  Id typeId = 0; ///< OpTypeFunction.
  Id returnType = 0;
  std::vector<Instruction> parameters; ///< OpFunctionParameter.
  std::vector<Block> blocks;           ///< As in the module; the first is the entry block.
};

/// OpEntryPoint. \p interface has the ids of global variables.
struct EntryPoint {
  spv::ExecutionModel model;
  Id function = 0;
  std::string name;
  std::vector<Id> interface;
};

/// OpExecutionMode or OpExecutionModeId.
struct ExecutionMode {
  Id entryPoint = 0; ///< The function's id.
  spv::ExecutionMode mode;
  llvm::SmallVector<uint32_t, 3> operands; ///< Literals, or ids when \p byId.
  bool byId = false;                       ///< OpExecutionModeId.
};

/// The whole module. Owns everything it hands out.
class Module {
public:
  uint32_t version = 0; ///< 0x00010600 is 1.6.
  Id idBound = 0;
  std::vector<spv::Capability> capabilities;
  std::vector<std::string> extensions;
  std::map<Id, std::string> extInstImports;
  spv::AddressingModel addressingModel = spv::AddressingModel::Logical;
  spv::MemoryModel memoryModel = spv::MemoryModel::GLSL450;
  std::vector<EntryPoint> entryPoints;
  std::vector<ExecutionMode> executionModes;
  /// Types, constants, module-scope variables and undefs, in the order of the module.
  std::vector<Instruction> globals;
  std::vector<Function> functions;

  const Type &type(Id id) const; ///< \p id must be a type; decode() has checked every reference.
  const Type *findType(Id id) const;
  /// The module-scope instruction that defines \p id, or null.
  const Instruction *findGlobal(Id id) const;
  const Function *findFunction(Id id) const;
  const EntryPoint *findEntryPoint(llvm::StringRef name, spv::ExecutionModel model) const;
  /// OpName of \p id, or an empty string.
  llvm::StringRef name(Id id) const;

  llvm::ArrayRef<Decoration> decorations(Id id) const;
  llvm::ArrayRef<Decoration> memberDecorations(Id structure, uint32_t member) const;
  bool hasDecoration(Id id, spv::Decoration kind) const;
  /// The first operand of decoration \p kind of \p id.
  std::optional<uint32_t> decorationValue(Id id, spv::Decoration kind) const;
  MemberLayout memberLayout(Id structure, uint32_t member) const;

  /// Moves the variables in globals to its end: those of \p order in that order, then the others.
  /// A variable that initializes another one precedes it.
  void orderVariables(llvm::ArrayRef<Id> order);

private:
  friend class ModuleReader;
  llvm::DenseMap<Id, Type> m_types;
  llvm::DenseMap<Id, size_t> m_globalIndex;
  llvm::DenseMap<Id, std::string> m_names;
  llvm::DenseMap<Id, std::vector<Decoration>> m_decorations;
  std::map<std::pair<Id, uint32_t>, std::vector<Decoration>> m_memberDecorations;
};

/// Decodes \p words (host endian). InvalidInput for anything SPIRV-Tools can't parse or that lacks
/// structure (code outside blocks, a block without a terminator); Unsupported for an opcode that
/// the installed SPIRV-Tools does not know. Does not validate: see validate().
llvm::Expected<Module> decode(llvm::ArrayRef<uint32_t> words);

/// Runs spirv-val for Vulkan 1.3. InvalidInput with its first message.
llvm::Error validate(llvm::ArrayRef<uint32_t> words);

/// Assembly text for Vulkan 1.3 to words. InvalidInput with line and reason; Unsupported for a name
/// that the installed SPIRV-Tools does not know.
llvm::Expected<std::vector<uint32_t>> assemble(llvm::StringRef text);

/// Words to assembly text. InvalidInput when they can't be parsed.
llvm::Expected<std::string> disassemble(llvm::ArrayRef<uint32_t> words);

/// Bytes of a .spv file (either endianness) to host-endian words. InvalidInput when the size or the
/// magic number is wrong.
llvm::Expected<std::vector<uint32_t>> wordsFromBytes(llvm::ArrayRef<uint8_t> bytes);

/// "OpIAdd"; "Op<N>" for an opcode nobody knows.
std::string opcodeName(spv::Op opcode);

/// "SubgroupSize", "UniformConstant"; the number where SPIRV-Tools does not know the name.
std::string builtInName(spv::BuiltIn builtIn);
std::string storageClassName(spv::StorageClass storageClass);
std::string executionModeName(spv::ExecutionMode mode);

/// Version of the SPIRV-Tools linked in, as it prints itself.
std::string spirvToolsVersion();

} // namespace assay::spirv
