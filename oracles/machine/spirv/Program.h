// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A compute pipeline in the form that the reference machine runs: every id a slot, every branch an
// edge, every access a list of offsets. Made by Decoder.h, run by Execution.h.
#pragma once

#include "compiler/api/ShaderStage.h"
#include "compiler/spirv/Module.h"
#include "oracles/machine/spirv/Value.h"
#include "oracles/machine/spirv/image/Image.h"
#include "oracles/machine/spirv/math/Interval.h"
#include "oracles/machine/spirv/memory/MemoryType.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace assay::reference {

struct Invocation;
struct Inst;

/// What the interpreter's loop does after an instruction.
enum class Status : uint8_t {
  Next,
  Jump,    ///< The handler has set Invocation::pc.
  Barrier, ///< Wait for the workgroup; then continue with the next instruction.
  Tangle,  ///< Wait for the subgroup; the operation is done for all who get here together.
  Yield,   ///< Let others go first; then continue with the next instruction.
  Done,    ///< The entry point returned.
  Stop     ///< The run is over; Execution::ending() says why.
};
/// Executes one instruction of one invocation.
using Handler = Status (*)(Invocation &invocation, const Inst &inst);
struct Tangle;
/// What a subgroup operation does for the invocations that execute it together.
using TangleHandler = Status (*)(Tangle &tangle, const Inst &inst);

/// Where an operand lies: a slot of the frame, or with this bit set one of Program::constants.
constexpr uint32_t ConstantBit = 0x80000000u;

/// What an instruction does with values, for passes that track values through a run
/// (draw/PathRecorder.h).
enum class InstKind : uint8_t {
  Other, ///< Anything else: values are not tracked through it.
  /// Results depend only on the operands, which are in op in order: see Inst::values.
  Value,
  Copy,
  Undef,
  Construct,
  Shuffle,
  Insert,
  Variable,
  Chain,
  Descriptor, ///< A load of a descriptor.
  Load,       ///< Through a pointer, as Store.
  Store,
  LoadFrame, ///< From a constant slot of the frame. The next three have constant slots, too.
  LoadPrivate,
  StoreFrame,
  StorePrivate,
  Branch,
  ConditionalBranch,
  Switch,
  Call,
  Return,
  ReturnValue,
  Kill
};

/// One decoded instruction. What op, n and extra mean is between its prepare function and handler.
struct Inst {
  Handler run = nullptr;
  uint32_t dst = 0; ///< First slot of the result.
  uint32_t n = 1;   ///< Scalars of the result, or components worked on.
  uint32_t op[4] = {};
  uint32_t extra = 0; ///< Index into one of Program's side tables.
  uint8_t width = 32; ///< Bits of the result's (or compared operands') scalars.
  uint8_t sourceWidth = 32;
  bool isNonUniform = false; ///< A pointer among the operands is decorated so.
  uint8_t access = 0;        ///< AccessFlags of what it does to memory.
  InstKind kind = InstKind::Other;
  FloatRules rules;
  uint32_t values = 0; ///< Of InstKind::Value: index into Program::valueShapes.
  const spirv::Instruction *source = nullptr;
};

static_assert(sizeof(Inst) <= 64, "an instruction fits into a line of the cache");

/// Operands and results of an instruction of InstKind::Value.
struct ValueShape {
  uint8_t results = 0;   ///< Scalars from Inst::dst on.
  uint8_t reads[4] = {}; ///< Scalars of each operand; 0 after the last.
};

/// One index of an access chain: adds sign-extended index * stride.
struct ChainStep {
  uint32_t index = 0; ///< Operand reference.
  uint8_t width = 32;
  bool selectsDescriptor = false; ///< Moves to another object instead of another offset.
  bool mayBeNegative = false; ///< The element of OpPtrAccessChain: the pointer may point inside.
  uint64_t stride = 0;
  uint64_t count = 0; ///< Bound of the index; 0 for a runtime array.
};
/// An access chain: the constant part of its offset, and steps for the other indices.
struct Chain {
  uint64_t offset = 0; ///< Of all constant parts together.
  uint32_t firstStep = 0;
  uint32_t stepCount = 0;
  bool outOfBounds = false; ///< A constant index is.
};

/// Copies n scalars; \p src is an operand reference, \p dst a slot of the frame.
struct PhiCopy {
  uint32_t dst, src, n;
};
/// What a branch does to the loop that its target heads.
enum class LoopStep : uint8_t { None, Enter, Iterate };
/// A branch from one block to another, with the phis of the target.
struct Edge {
  uint32_t target = 0;      ///< Index into FunctionCode::code.
  const Inst *to = nullptr; ///< The same, of this function.
  uint32_t firstCopy = 0;
  uint32_t copyCount = 0;
  bool copiesInOrder = false; ///< No copy reads what one before it writes.
  uint16_t loopsLeft = 0;     ///< Loops that the branch leaves, innermost first.
  LoopStep step = LoopStep::None;
  bool movesLoops() const { return loopsLeft || step != LoopStep::None; }
};
/// A literal and its index into Program::edges.
struct SwitchCase {
  uint64_t value;
  uint32_t edge;
};
/// Cases are consecutive in Program::cases; the default is an index into Program::edges.
struct Switch {
  uint32_t firstCase, caseCount, defaultEdge;
};

/// One instruction that a subgroup executes together.
struct TangleSite {
  TangleHandler run = nullptr;
  uint32_t operation = 0;   ///< spv::GroupOperation.
  uint32_t clusterSize = 0; ///< 0: the whole subgroup.
  bool isFloat = false;     ///< Of the values.
  uint32_t imageOp = 0;     ///< Index into Program::imageOps, of sampling by derivatives.
};

/// A call; arguments are copied to the start of the callee's frame.
struct CallSite {
  uint32_t function = 0; ///< Index into Program::functions.
  std::vector<PhiCopy> arguments;
  /// By argument: scalars that it points to; 0: not a pointer; ~0: not known.
  std::vector<uint32_t> pointees;
};

/// The instructions of a function in structured order. Slots are scalars.
struct FunctionCode {
  std::vector<Inst> code;
  uint32_t frameSlots = 0;
  uint32_t stackSlots = 0; ///< Of this frame and the deepest callees below it.
  bool recursive = false;  ///< Lies on a cycle of the call graph.
};

/// Built-in inputs of compute shaders.
enum class BuiltInput : uint8_t {
  NumWorkgroups,
  WorkgroupId,
  LocalInvocationId,
  GlobalInvocationId,
  LocalInvocationIndex,
  DeviceIndex,
  SubgroupSize,
  NumSubgroups,
  SubgroupId,
  SubgroupLocalInvocationId,
  SubgroupEqMask,
  SubgroupGeMask,
  SubgroupGtMask,
  SubgroupLeMask,
  SubgroupLtMask
};
/// One scalar of an Input or Output variable of a graphics stage.
struct InterfaceScalar {
  uint32_t slot = 0; ///< In the invocation's own memory.
  /// With a built-in, \p component is the scalar's number in it.
  std::optional<spv::BuiltIn> builtIn = std::nullopt;
  uint32_t location = 0, component = 0;
  uint32_t index = 0; ///< Of a fragment output: 1 for the second source of blending.
  spirv::TypeKind kind = spirv::TypeKind::Float;
  uint8_t width = 32;
  bool isSigned = false;
  bool isFlat = false, isLinear = false, isCentroid = false, isSample = false;
};
/// A variable that startInvocation() fills.
struct InputVariable {
  BuiltInput kind;
  uint32_t slots = 1;
  uint32_t slot; ///< In the invocation's own memory.
};

/// A descriptor (array element) that the module declares: object FirstDescriptor + index.
struct DescriptorSlot {
  uint32_t set = 0, binding = 0, arrayElement = 0;
  bool pushConstant = false;
  bool isAliased = false; ///< The variable is decorated Aliased.
  spirv::Id type = 0;     ///< Of the block, image, sampler or sampled image.
};

/// Initial contents of a variable.
struct VariableInit {
  uint32_t slot, src, n;
};

/// Objects that a pointer can point into.
enum ObjectIndex : uint32_t {
  OwnMemory = 0,
  WorkgroupMemory = 1,
  FirstDescriptor = 2,
  WorkgroupBlock =
      ~0u - 2,             ///< Workgroup memory with explicit layout: all blocks, one over another.
  DeviceAddress = ~0u - 1, ///< The offset is an address.
  NullObject = ~0u
};

/// Indices of side tables are in Inst::extra and in Inst::op. A program is not changed by its runs,
/// so that threads may share it.
struct Program {
  spirv::Module module;
  ShaderStage stage = ShaderStage::Compute;
  std::vector<InterfaceScalar> shaderInputs, shaderOutputs; ///< Of graphics stages.
  /// Some instruction may write to memory that others see.
  bool hasEffects = false;
  bool hasEarlyTests = false; ///< EarlyFragmentTests.
  uint32_t localSize[3] = {1, 1, 1};
  std::vector<Scalar> constants; ///< By operand reference without ConstantBit.
  std::vector<FunctionCode> functions;
  uint32_t entry = 0;        ///< Index into functions.
  uint32_t privateSlots = 0; ///< Private and Input variables, at the start of the own memory.
  std::vector<VariableInit> privateInits;
  uint32_t workgroupSlots = 0;
  std::vector<VariableInit> workgroupInits;
  uint64_t workgroupBlockBytes = 0;
  bool zeroesWorkgroupBlock = false;
  std::vector<InputVariable> inputs;
  std::vector<DescriptorSlot> descriptors;
  MemoryTypes memoryTypes;

  std::vector<ValueShape> valueShapes;
  std::vector<Chain> chains;
  std::vector<ChainStep> steps;
  std::vector<Edge> edges;
  std::vector<PhiCopy> copies;
  std::vector<Switch> switches;
  std::vector<SwitchCase> cases;
  std::vector<CallSite> calls;
  std::vector<ImageOp> imageOps;
  std::vector<TangleSite> tangleSites;
  /// Some instruction asks who else gets to it: loops are counted (Edge::movesLoops).
  bool tracksLoops = false;
  std::vector<uint32_t> lists; ///< Operand references and shuffle indices.
  /// Bytes per granule of race detection in buffers: the narrowest access of the module.
  uint32_t granule = 4;

  uint32_t getInvocationsPerGroup() const { return localSize[0] * localSize[1] * localSize[2]; }
};

} // namespace assay::reference
