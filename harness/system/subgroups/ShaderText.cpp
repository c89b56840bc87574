// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/system/subgroups/ShaderText.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <map>
#include <set>

using namespace llvm;
using namespace assay::subgroups;

/// The names are in the order of the enumeration.
const char *assay::subgroups::shapeName(Shape shape) {
  static constexpr const char *names[] = {"straight", "if",          "if-else",     "loop",
                                          "continue", "break-block", "return-block"};
  return names[unsigned(shape)];
}

/// Whether an invocation with \p selector executes the operations in iteration \p turn. Selectors
/// of a shape that leaves the loop count as the last iteration if they are larger.
static bool takesPart(Shape shape, uint32_t selector, unsigned turn) {
  switch (shape) {
  case Shape::Straight:
  case Shape::IfElse:
    return true;
  case Shape::If:
    return selector & 1;
  case Shape::Loop:
    return (selector & 3) > turn;
  case Shape::Continue:
    return !(selector >> turn & 1);
  default:
    return std::min(selector & 3, maxTurns - 1) == turn;
  }
}

/// For IfElse only lanes of the same branch are active together.
uint64_t assay::subgroups::activeLanes(Shape shape, ArrayRef<uint32_t> selectors, unsigned turn,
                                       unsigned lane) {
  uint64_t mask = 0;
  for (unsigned i = 0; i < selectors.size(); ++i) {
    bool together = shape != Shape::IfElse || ((selectors[i] ^ selectors[lane]) & 1) == 0;
    if (together && takesPart(shape, selectors[i], turn))
      mask |= uint64_t(1) << i;
  }
  return mask >> lane & 1 ? mask : 0;
}

namespace {
/// Collects a module's text. Types and constants are made where they are first asked for.
class ShaderText {
public:
  ShaderText(Shape shape, ArrayRef<Operation> operations)
      : m_shape(shape), m_operations(operations) {}
  /// The whole module. To be called once.
  std::string make();

private:
  /// Id of the type; declares it and the capability that it needs.
  std::string type(Scalar scalar);
  /// The same for an unsigned integer of \p bits bits.
  std::string integerType(unsigned bits);
  /// Id of a constant of type uint.
  std::string constant(uint32_t value);
  /// Appends an instruction with a new result and returns its id.
  std::string emit(const Twine &rest) { // With a new result.
    std::string id = "%r" + std::to_string(m_next++);
    m_body += id + " = " + rest.str() + "\n";
    return id;
  }
  /// Appends an instruction without a result.
  void line(const Twine &text) { m_body += text.str() + "\n"; }
  /// Emits a pointer to a dword of a buffer.
  std::string element(StringRef buffer, const std::string &index);
  /// Emits a load of dword \p which of the operands that begin at \p base.
  std::string loadInput(const std::string &base, unsigned which);
  /// Emits the conversion of dwords to a value of \p scalar.
  std::string toType(Scalar scalar, const std::string &low, const std::string &high);
  /// Emits the reverse; one or two dwords, the low one first.
  std::vector<std::string> fromType(Scalar scalar, const std::string &value);
  /// Emits one operation; the ids of the dwords of its result.
  std::vector<std::string> apply(const Operation &operation, const std::string &base);
  /// Emits the loads of the operands and returns their ids as text.
  std::string operandsOf(const Operation &operation, const std::string &base);
  /// Emits a ballot operand of four words and returns its id.
  std::string makeMask(const std::string &base);
  /// Adds the capabilities of the operation, apart from those of its type.
  void useCapabilities(const Operation &operation);
  /// Emits all operations and the stores of their results, for iteration \p turn.
  void executeAll(const std::string &turn);
  /// Shape::If.
  void emitIf();
  /// Shape::IfElse.
  void emitIfElse();
  /// Shape::Loop.
  void emitLoop();
  /// Shape::Continue.
  void emitContinue();
  /// A loop from which each invocation leaves after one execution of the operations; \p returns: by
  /// OpReturn.
  void emitTail(bool returns);
  /// The body of the function, which each shape ends by OpReturn.
  void emitBody();

  Shape m_shape;
  ArrayRef<Operation> m_operations;
  unsigned m_next = 1; ///< Number of the next result.
  std::set<std::string> m_capabilities;
  std::map<std::string, std::string> m_types;  ///< Id to definition; ids sort well.
  std::map<uint32_t, std::string> m_constants; ///< Value to id.
  std::string m_body;                          ///< Instructions of the function.
};
} // namespace

std::string ShaderText::integerType(unsigned bits) {
  if (bits == 32)
    return "%uint";
  m_capabilities.insert("Int" + std::to_string(bits));
  std::string id = "%u" + std::to_string(bits);
  m_types[id] = "OpTypeInt " + std::to_string(bits) + " 0";
  return id;
}

std::string ShaderText::type(Scalar scalar) {
  if (scalar == Scalar::Bool)
    return "%bool";
  std::string bits = std::to_string(scalarBits(scalar));
  if (!isFloat(scalar))
    return integerType(scalarBits(scalar));
  if (bits != "32")
    m_capabilities.insert("Float" + bits);
  std::string id = "%f" + bits;
  m_types[id] = "OpTypeFloat " + bits;
  return id;
}

/// The id contains the value, so that equal constants are one.
std::string ShaderText::constant(uint32_t value) {
  std::string id = "%c" + std::to_string(value);
  m_constants[value] = id;
  return id;
}

std::string ShaderText::element(StringRef buffer, const std::string &index) {
  return emit("OpAccessChain %ptr_uint %" + buffer + " " + constant(0) + " " + index);
}

std::string ShaderText::loadInput(const std::string &base, unsigned which) {
  std::string index = emit("OpIAdd %uint " + base + " " + constant(which));
  return emit("OpLoad %uint " + element("inputs", index));
}

/// \p high is read for types of 64 bits only. A bool is true for any value except 0.
std::string ShaderText::toType(Scalar scalar, const std::string &low, const std::string &high) {
  if (scalar == Scalar::Bool)
    return emit("OpINotEqual %bool " + low + " " + constant(0));
  if (scalarBits(scalar) == 64) {
    std::string pair = emit("OpCompositeConstruct %v2uint " + low + " " + high);
    return emit("OpBitcast " + type(scalar) + " " + pair);
  }
  if (scalar == Scalar::Int32)
    return low;
  std::string narrow = low;
  if (scalarBits(scalar) < 32)
    narrow = emit("OpUConvert " + integerType(scalarBits(scalar)) + " " + low);
  return isFloat(scalar) ? emit("OpBitcast " + type(scalar) + " " + narrow) : narrow;
}

/// Types below 32 bits are zero-extended.
std::vector<std::string> ShaderText::fromType(Scalar scalar, const std::string &value) {
  if (scalar == Scalar::Bool)
    return {emit("OpSelect %uint " + value + " " + constant(1) + " " + constant(0))};
  if (scalarBits(scalar) == 64) {
    std::string pair = emit("OpBitcast %v2uint " + value);
    return {emit("OpCompositeExtract %uint " + pair + " 0"),
            emit("OpCompositeExtract %uint " + pair + " 1")};
  }
  if (scalar == Scalar::Int32)
    return {value};
  std::string bits = value;
  if (isFloat(scalar))
    bits = emit("OpBitcast " + integerType(scalarBits(scalar)) + " " + value);
  return {scalarBits(scalar) < 32 ? emit("OpUConvert %uint " + bits) : bits};
}

/// The two value words come first. The other two represent no lane and have bits set, which must be
/// ignored.
std::string ShaderText::makeMask(const std::string &base) {
  std::string low = loadInput(base, 0);
  std::string high = loadInput(base, 1);
  return emit("OpCompositeConstruct %v4uint " + low + " " + high + " " + constant(~0u) + " " +
              constant(0x12345678));
}

/// Whether the operand is a ballot, which has four words whatever the type.
static bool takesMask(Kind kind) {
  return kind >= Kind::InverseBallot && kind <= Kind::BallotFindMsb;
}

/// Whether LaneInput::parameter is an operand.
static bool hasParameter(Kind kind) {
  switch (kind) {
  case Kind::BallotBitExtract:
  case Kind::Broadcast:
  case Kind::Shuffle:
  case Kind::ShuffleXor:
  case Kind::ShuffleUp:
  case Kind::ShuffleDown:
  case Kind::Rotate:
  case Kind::QuadBroadcast:
    return true;
  default:
    return false;
  }
}

/// Returns the name of the group operation in SPIR-V assembly.
static const char *groupName(Group group) {
  static constexpr const char *names[] = {"Reduce", "InclusiveScan", "ExclusiveScan",
                                          "ClusteredReduce"};
  return names[unsigned(group)];
}

/// Returns all operands after the scope, each with a blank in front. The order is that of SPIR-V:
/// group operation, value or mask, parameter, direction or cluster size.
std::string ShaderText::operandsOf(const Operation &operation, const std::string &base) {
  std::string text;
  if (operation.kind == Kind::Arithmetic || operation.kind == Kind::BallotBitCount)
    text += std::string(" ") + groupName(operation.group);
  if (takesMask(operation.kind)) {
    text += " " + makeMask(base);
  } else if (operation.kind != Kind::Elect) {
    std::string low = loadInput(base, 0);
    std::string high = scalarBits(operation.scalar) == 64 ? loadInput(base, 1) : low;
    text += " " + toType(operation.scalar, low, high);
  }
  if (hasParameter(operation.kind))
    text += " " + loadInput(base, 2);
  if (operation.kind == Kind::QuadSwap)
    text += " " + constant(operation.direction);
  if (operation.cluster)
    text += " " + constant(operation.cluster);
  return text;
}

/// The scope is Subgroup; instructions of the older extensions have none.
std::vector<std::string> ShaderText::apply(const Operation &operation, const std::string &base) {
  useCapabilities(operation);
  StringRef name = operation.opcode;
  bool isWhole = name.starts_with("Op");
  std::string opcode = isWhole ? name.str() : "OpGroupNonUniform" + name.str();
  std::string operands = (isWhole ? "" : " " + constant(3)) + operandsOf(operation, base);
  switch (operation.kind) {
  case Kind::Elect:
  case Kind::All:
  case Kind::Any:
  case Kind::AllEqual:
  case Kind::InverseBallot:
  case Kind::BallotBitExtract:
    return fromType(Scalar::Bool, emit(opcode + " %bool" + operands));
  case Kind::Ballot: {
    std::string mask = emit(opcode + " %v4uint" + operands);
    std::vector<std::string> words;
    for (unsigned i = 0; i < 4; ++i)
      words.push_back(emit("OpCompositeExtract %uint " + mask + " " + Twine(i)));
    return words;
  }
  case Kind::BallotBitCount:
  case Kind::BallotFindLsb:
  case Kind::BallotFindMsb:
    return {emit(opcode + " %uint" + operands)};
  default:
    return fromType(operation.scalar, emit(opcode + " " + type(operation.scalar) + operands));
  }
}

void ShaderText::useCapabilities(const Operation &operation) {
  auto use = [&](const char *name) { m_capabilities.insert(name); };
  use("GroupNonUniform");
  if (StringRef(operation.opcode).starts_with("Op"))
    use(operation.kind <= Kind::AllEqual ? "SubgroupVoteKHR" : "SubgroupBallotKHR");
  if (operation.kind == Kind::Arithmetic)
    use(operation.group == Group::ClusteredReduce ? "GroupNonUniformClustered"
                                                  : "GroupNonUniformArithmetic");
  else if (operation.kind >= Kind::All && operation.kind <= Kind::AllEqual)
    use("GroupNonUniformVote");
  else if (operation.kind >= Kind::Ballot && operation.kind <= Kind::BroadcastFirst)
    use("GroupNonUniformBallot");
  else if (operation.kind == Kind::Shuffle || operation.kind == Kind::ShuffleXor)
    use("GroupNonUniformShuffle");
  else if (operation.kind == Kind::ShuffleUp || operation.kind == Kind::ShuffleDown)
    use("GroupNonUniformShuffleRelative");
  else if (operation.kind == Kind::Rotate)
    use("GroupNonUniformRotateKHR");
  else if (operation.kind != Kind::Elect)
    use("GroupNonUniformQuad");
}

/// Emits every operation and the stores of its results. A result's place depends on invocation,
/// operation and iteration: maxTurns slots of outputDwords dwords for each pair.
void ShaderText::executeAll(const std::string &turn) {
  auto count = static_cast<uint32_t>(m_operations.size());
  for (uint32_t i = 0; i < count; ++i) {
    std::string first = emit("OpIMul %uint %gid " + constant(count));
    std::string slot = emit("OpIAdd %uint " + first + " " + constant(i));
    std::string base = emit("OpIMul %uint " + slot + " " + constant(inputDwords));
    std::vector<std::string> words = apply(m_operations[i], base);
    std::string turns = emit("OpIMul %uint " + slot + " " + constant(maxTurns));
    std::string place = emit("OpIAdd %uint " + turns + " " + turn);
    std::string out = emit("OpIMul %uint " + place + " " + constant(outputDwords));
    for (uint32_t word = 0; word < words.size(); ++word) {
      std::string index = emit("OpIAdd %uint " + out + " " + constant(word));
      line("OpStore " + element("outputs", index) + " " + words[word]);
    }
  }
}

/// Invocations with an odd selector execute the operations.
void ShaderText::emitIf() {
  std::string odd = emit("OpBitwiseAnd %uint %selector " + constant(1));
  std::string isOdd = emit("OpINotEqual %bool " + odd + " " + constant(0));
  line("OpSelectionMerge %join None\nOpBranchConditional " + isOdd +
       " %then %join\n%then = OpLabel");
  executeAll(constant(0));
  line("OpBranch %join\n%join = OpLabel\nOpReturn");
}

/// Both branches have the same operations and store to the same places.
void ShaderText::emitIfElse() {
  std::string odd = emit("OpBitwiseAnd %uint %selector " + constant(1));
  std::string isOdd = emit("OpINotEqual %bool " + odd + " " + constant(0));
  line("OpSelectionMerge %join None\nOpBranchConditional " + isOdd +
       " %then %else\n%then = OpLabel");
  executeAll(constant(0));
  line("OpBranch %join\n%else = OpLabel");
  executeAll(constant(0));
  line("OpBranch %join\n%join = OpLabel\nOpReturn");
}

/// An invocation executes as many iterations as the low two bits of its selector say.
void ShaderText::emitLoop() {
  std::string limit = emit("OpBitwiseAnd %uint %selector " + constant(3));
  line("OpBranch %head\n%head = OpLabel\n%turn = OpPhi %uint " + constant(0) +
       " %entry %nextTurn %continue\nOpLoopMerge %done %continue None\nOpBranch %test\n"
       "%test = OpLabel");
  std::string goesOn = emit("OpULessThan %bool %turn " + limit);
  line("OpBranchConditional " + goesOn + " %body %done\n%body = OpLabel");
  executeAll("%turn");
  line("OpBranch %continue\n%continue = OpLabel\n%nextTurn = OpIAdd %uint %turn " + constant(1) +
       "\nOpBranch %head\n%done = OpLabel\nOpReturn");
}

/// An invocation skips iteration n if bit n of its selector is set.
void ShaderText::emitContinue() {
  line("OpBranch %head\n%head = OpLabel\n%turn = OpPhi %uint " + constant(0) +
       " %entry %nextTurn %continue\nOpLoopMerge %done %continue None\nOpBranch %test\n"
       "%test = OpLabel");
  std::string shifted = emit("OpShiftRightLogical %uint %selector %turn");
  std::string bit = emit("OpBitwiseAnd %uint " + shifted + " " + constant(1));
  std::string skips = emit("OpINotEqual %bool " + bit + " " + constant(0));
  line("OpSelectionMerge %stay None\nOpBranchConditional " + skips +
       " %skip %stay\n%skip = OpLabel\nOpBranch %continue\n%stay = OpLabel");
  executeAll("%turn");
  line("OpBranch %continue\n%continue = OpLabel\n%nextTurn = OpIAdd %uint %turn " + constant(1));
  std::string again = emit("OpULessThan %bool %nextTurn " + constant(maxTurns));
  line("OpBranchConditional " + again + " %head %done\n%done = OpLabel\nOpReturn");
}

void ShaderText::emitTail(bool returns) {
  std::string low = emit("OpBitwiseAnd %uint %selector " + constant(3));
  std::string isLess = emit("OpULessThan %bool " + low + " " + constant(maxTurns - 1));
  std::string limit = emit("OpSelect %uint " + isLess + " " + low + " " + constant(maxTurns - 1));
  line("OpBranch %head\n%head = OpLabel\n%turn = OpPhi %uint " + constant(0) +
       " %entry %nextTurn %continue\nOpLoopMerge %done %continue None\nOpBranch %test\n"
       "%test = OpLabel");
  std::string leaves = emit("OpIEqual %bool %turn " + limit);
  line("OpSelectionMerge %stay None\nOpBranchConditional " + leaves +
       " %leave %stay\n%leave = OpLabel");
  executeAll("%turn");
  line(returns ? "OpReturn" : "OpBranch %done");
  line("%stay = OpLabel\nOpBranch %continue\n%continue = OpLabel\n%nextTurn = OpIAdd %uint %turn " +
       constant(1) + "\nOpBranch %head\n%done = OpLabel\nOpReturn");
}

void ShaderText::emitBody() {
  line("%entry = OpLabel\n%gids = OpLoad %v3uint %id\n%gid = OpCompositeExtract %uint %gids 0");
  line("%selectorPlace = OpAccessChain %ptr_uint %selectors " + constant(0) + " %gid");
  line("%selector = OpLoad %uint %selectorPlace");
  switch (m_shape) {
  case Shape::Straight:
    executeAll(constant(0));
    return line("OpReturn");
  case Shape::If:
    return emitIf();
  case Shape::IfElse:
    return emitIfElse();
  case Shape::Loop:
    return emitLoop();
  case Shape::Continue:
    return emitContinue();
  case Shape::BreakBlock:
    return emitTail(false);
  case Shape::ReturnBlock:
    return emitTail(true);
  }
}

/// The body is emitted first, because it determines the capabilities, types and constants of the
/// preamble.
std::string ShaderText::make() {
  emitBody();
  std::string text = "OpCapability Shader\n";
  for (const std::string &capability : m_capabilities)
    text += "OpCapability " + capability + "\n";
  text += "OpExtension \"SPV_KHR_subgroup_rotate\"\nOpExtension \"SPV_KHR_shader_ballot\"\n"
          "OpExtension \"SPV_KHR_subgroup_vote\"\n"
          "OpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\" %id %selectors "
          "%inputs %outputs\nOpExecutionMode %main LocalSize " +
          std::to_string(invocationsPerGroup) +
          " 1 1\nOpDecorate %id BuiltIn GlobalInvocationId\nOpDecorate %array ArrayStride 4\n"
          "OpMemberDecorate %block 0 Offset 0\nOpDecorate %block Block\n";
  unsigned binding = 0;
  for (const char *name : {"selectors", "inputs", "outputs"})
    text += "OpDecorate %" + std::string(name) + " DescriptorSet 0\nOpDecorate %" + name +
            " Binding " + std::to_string(binding++) + "\n";
  text += "%void = OpTypeVoid\n%bool = OpTypeBool\n%uint = OpTypeInt 32 0\n"
          "%v2uint = OpTypeVector %uint 2\n%v3uint = OpTypeVector %uint 3\n"
          "%v4uint = OpTypeVector %uint 4\n%array = OpTypeRuntimeArray %uint\n"
          "%block = OpTypeStruct %array\n%ptr_block = OpTypePointer StorageBuffer %block\n"
          "%ptr_uint = OpTypePointer StorageBuffer %uint\n%ptr_in = OpTypePointer Input %v3uint\n"
          "%fn = OpTypeFunction %void\n";
  for (const auto &[id, definition] : m_types)
    text += id + " = " + definition + "\n";
  for (const auto &[value, id] : m_constants)
    text += id + " = OpConstant %uint " + std::to_string(value) + "\n";
  text += "%id = OpVariable %ptr_in Input\n";
  for (const char *name : {"selectors", "inputs", "outputs"})
    text += "%" + std::string(name) + " = OpVariable %ptr_block StorageBuffer\n";
  return text + "%main = OpFunction %void None %fn\n" + m_body + "OpFunctionEnd\n";
}

std::string assay::subgroups::makeShader(Shape shape, ArrayRef<Operation> operations) {
  return ShaderText(shape, operations).make();
}
