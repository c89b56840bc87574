// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns a SPIR-V module and its specialization into a Program. Only what the entry point reaches is
// looked at; what the machine lacks is refused with the name of the instruction.
#pragma once

#include "compiler/api/Pipeline.h"
#include "oracles/machine/spirv/Program.h"
#include "oracles/machine/spirv/Structure.h"
#include "oracles/machine/spirv/math/FloatModes.h"
#include "llvm/ADT/DenseMap.h"
#include <memory>
#include <optional>
#include <string>

namespace assay::reference {

class Decoder;
using Operands = llvm::ArrayRef<uint32_t>;
/// Fills the operands of \p inst, whose dst, source and rules are set already. \p operands are
/// those of the operation itself: without the set and number of OpExtInst or the opcode of
/// SpecConstantOp.
using Prepare = llvm::Error (*)(Decoder &decoder, Operands operands, Inst &inst);

/// Everything known about one opcode (or one instruction of an extended set).
struct OpRow {
  uint32_t opcode;
  Prepare prepare;
  Handler run;
};

/// A place in the memory of an invocation that is known before it runs.
struct OwnPlace {
  bool isInFrame = false; ///< Else it counts from the start of the memory.
  uint32_t slot = 0;
};

/// Makes one Program.
class Decoder {
public:
  /// Unsupported names the first instruction that the machine lacks.
  static llvm::Expected<std::unique_ptr<Program>> decode(const ShaderDescription &shader,
                                                         Precision precision = Precision::Vulkan);

  // What prepare functions use.
  const spirv::Module &module() const { return m_program.module; }
  Program &program() { return m_program; }
  /// The operand reference of a value.
  llvm::Expected<uint32_t> ref(spirv::Id id);
  /// References of \p ids in order, into inst.op from \p first on.
  llvm::Error refs(Operands ids, Inst &inst, unsigned first = 0);
  /// Type of a value (0 for an unknown id).
  spirv::Id typeOf(spirv::Id id) const { return m_typeOf.lookup(id); }
  /// Scalars that a value of \p type has.
  llvm::Expected<uint32_t> scalarCount(spirv::Id type);
  /// The scalar type of a scalar, vector or matrix type.
  const spirv::Type &scalarType(spirv::Id type) const;
  /// The memory type that pointer \p pointer points to.
  llvm::Expected<uint32_t> pointeeOf(spirv::Id pointer);
  void setPointee(spirv::Id pointer, uint32_t memoryType) { m_pointee[pointer] = memoryType; }
  /// What \p pointer always points to, if it is a variable of the invocation or a part of one.
  std::optional<OwnPlace> findOwnPlace(spirv::Id pointer) const {
    auto found = m_ownPlaces.find(pointer);
    return found == m_ownPlaces.end() ? std::nullopt : std::optional(found->second);
  }
  void setOwnPlace(spirv::Id pointer, OwnPlace place) { m_ownPlaces[pointer] = place; }
  llvm::Expected<uint32_t> memoryType(spirv::Id type, bool isExplicit,
                                      const spirv::MemberLayout &layout = {});
  /// The value of an integer constant; InvalidInput for anything else.
  llvm::Expected<uint64_t> constantValue(spirv::Id id);
  /// Variables of class Workgroup are blocks with explicit layout.
  bool hasExplicitWorkgroup() const { return m_hasExplicitWorkgroup; }
  bool isConstant(spirv::Id id) const { return m_constants.contains(id); }
  uint32_t newSlots(uint32_t count);
  /// The rules for \p source on floats of \p width.
  FloatRules rulesForWidth(unsigned width, const spirv::Instruction &source) const;
  /// No mode says how conversions to \p width round.
  bool roundsAsItLikes(unsigned width) const { return m_modes.roundsAsItLikes(width); }
  /// An edge from the current block to block \p label.
  llvm::Expected<uint32_t> edgeTo(spirv::Id label);
  llvm::Expected<uint32_t> functionIndex(spirv::Id function);
  /// Notes a call of the function under work.
  void noteCall(uint32_t function) { m_callees[m_current].push_back(function); }
  /// First parameter slot of \p function onward: parameters lie in order at the frame's start.
  llvm::Expected<std::vector<uint32_t>> parameterSlots(spirv::Id function);

private:
  Decoder(const ShaderDescription &shader, Precision precision, Program &program)
      : m_shader(shader), m_program(program), m_modes(precision) {}

  llvm::Error run();
  llvm::Error readEntry(const spirv::EntryPoint &entry);
  llvm::Error readModes(const spirv::EntryPoint &entry);
  llvm::Error setLocalSize(const uint32_t *values, bool byId);
  llvm::Error readGlobals();
  llvm::Error readGlobal(const spirv::Instruction &inst);
  llvm::Error readConstant(const spirv::Instruction &inst);
  llvm::Error readComposite(const spirv::Instruction &inst);
  llvm::Error readSpecOperation(const spirv::Instruction &inst);
  llvm::Error readVariable(const spirv::Instruction &inst);
  llvm::Error readResource(const spirv::Instruction &inst, const spirv::Type &pointer);
  llvm::Error readInput(const spirv::Instruction &inst, uint32_t slots);
  llvm::Error readInterface(const spirv::Instruction &inst, const spirv::Type &pointer);
  llvm::Error addOwnVariable(const spirv::Instruction &inst, const spirv::Type &pointer);
  llvm::Error addWorkgroupBlock(const spirv::Instruction &inst, const spirv::Type &pointer);
  void addConstant(const spirv::Instruction &inst, llvm::ArrayRef<Scalar> values);
  void specialize(const spirv::Instruction &inst, Scalar &value) const;

  llvm::Error decodeFunction(uint32_t index);
  llvm::Error allocate(const spirv::Function &function);
  llvm::Error decodeBlock(const spirv::Block &block, FunctionCode &code);
  llvm::Error decodeInstruction(const spirv::Instruction &source, Inst &inst);
  void noteValueOperands(Operands operands, Inst &inst);
  llvm::Error collectPhis(const spirv::Block &target, spirv::Id from, Edge &edge);
  void resolveEdges(size_t firstEdge, llvm::ArrayRef<uint32_t> blockStart,
                    const FunctionCode &code);
  void sizeStacks();
  llvm::Expected<spirv::MemberLayout> matrixLayout(spirv::Id matrixOrVector);
  unsigned floatWidthOf(const spirv::Instruction &source) const;
  uint32_t glslNumberOf(const spirv::Instruction &source) const;

  const ShaderDescription &m_shader;
  Program &m_program;
  FloatModes m_modes;
  bool m_hasExplicitWorkgroup = false;
  uint32_t m_current = 0; ///< Function under work.
  spirv::Id m_currentBlock = 0;
  const spirv::Function *m_function = nullptr;
  FunctionStructure m_structure;                   ///< Of m_function.
  llvm::DenseMap<spirv::Id, uint32_t> m_constants; ///< Index into Program::constants.
  llvm::DenseMap<spirv::Id, uint32_t> m_locals;    ///< Frame slot.
  llvm::DenseMap<spirv::Id, uint32_t> m_blockIndex;
  llvm::DenseMap<spirv::Id, spirv::Id> m_typeOf;
  llvm::DenseMap<spirv::Id, uint32_t> m_pointee;
  llvm::DenseMap<spirv::Id, OwnPlace> m_ownPlaces;
  llvm::DenseMap<spirv::Id, uint32_t> m_functionIndex;
  llvm::DenseMap<spirv::Id, std::string> m_lacking; ///< Globals that may not be used, and why.
  std::vector<const spirv::Function *> m_functions; ///< In the order of Program::functions.
  std::vector<std::vector<uint32_t>> m_callees;
  uint32_t m_frameSlots = 0;
};

/// Rows of a family of opcodes; each family is a file Ops*.cpp.
llvm::ArrayRef<OpRow> arithmeticOps();
llvm::ArrayRef<OpRow> integerDotOps();
llvm::ArrayRef<OpRow> floatOps();
llvm::ArrayRef<OpRow> matrixOps();
llvm::ArrayRef<OpRow> bitOps();
llvm::ArrayRef<OpRow> conversionOps();
llvm::ArrayRef<OpRow> relationalOps();
llvm::ArrayRef<OpRow> compositeOps();
llvm::ArrayRef<OpRow> memoryOps();
llvm::ArrayRef<OpRow> pointerOps();
llvm::ArrayRef<OpRow> hintOps();
llvm::ArrayRef<OpRow> imageOps();
llvm::ArrayRef<OpRow> sampleOps();
llvm::ArrayRef<OpRow> sparseOps();
llvm::ArrayRef<OpRow> atomicOps();
llvm::ArrayRef<OpRow> controlFlowOps();
llvm::ArrayRef<OpRow> subgroupOps();
llvm::ArrayRef<OpRow> subgroupArithmeticOps();
llvm::ArrayRef<OpRow> fragmentOps();
llvm::ArrayRef<OpRow> glslFragmentOps();
llvm::ArrayRef<OpRow> glslScalarOps();
llvm::ArrayRef<OpRow> glslVectorOps();
llvm::ArrayRef<OpRow> glslPackOps();

/// What is known of instructions of \p opcode before they are prepared. Of those of an extended
/// set, findExtendedOp says it.
InstKind kindOf(spv::Op opcode);
/// The row of an opcode of the core, or null.
const OpRow *findOp(spv::Op opcode);

/// Instructions of an extended set, by their numbers.
struct ExtendedSet {
  llvm::StringLiteral name;
  llvm::ArrayRef<OpRow> rows;
  InstKind kind; ///< Of all of them.
};
/// AMD's sets.
llvm::ArrayRef<ExtendedSet> amdSets();

struct ExtendedOp {
  const OpRow *row = nullptr; ///< Null where the machine does not have the instruction.
  InstKind kind = InstKind::Other;
};
/// Nothing for a set that the machine does not have.
std::optional<ExtendedOp> findExtendedOp(llvm::StringRef set, uint32_t number);

/// Operands are all ids, at most four; n is the result's scalars, width and sourceWidth the bits of
/// the result's and the first operand's scalars.
llvm::Error prepareIds(Decoder &decoder, Operands operands, Inst &inst);
/// As prepareIds, with n the scalars of the first operand.
llvm::Error prepareWhole(Decoder &decoder, Operands operands, Inst &inst);

} // namespace assay::reference
