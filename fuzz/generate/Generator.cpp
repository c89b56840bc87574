// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/generate/Generator.h"

#include "fuzz/generate/Requirements.h"
#include "fuzz/generate/Resources.h"
#include "fuzz/generate/Writer.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

/// Of the entry point, at least, for each further function.
static constexpr unsigned statementsPerFunction = 8;

/// The frame around what constructs write: module, functions, entry point, buffers.
class Assembler {
public:
  Assembler(GeneratedCase &generated, const Profile &profile)
      : m_generated(generated), m_writer(generated, profile) {}
  void assemble();

private:
  /// Chooses the workgroup size and the number of workgroups, within the profile's limits.
  void chooseSize();
  /// Returns the statements of the entry point's outermost block: the least of four draws, as small
  /// cases shall be more frequent.
  unsigned chooseStatements();
  /// Writes the memory model, the entry point and its execution modes.
  void writeHeader();
  void writeSize();
  void writeFloatControls();
  void writeFunction();
  /// Writes the entry point; its last values in scope are stored, so that most of the code has
  /// uses.
  void writeEntryPoint(unsigned statements);
  void writeIndices();
  /// Adds the buffers that were used to the case, with contents from a random stream apart from
  /// that of the code.
  void addBuffers();
  /// Begins a function with an empty scope. The entry point is the one that returns nothing.
  void openFunction(Id result, Id type);

  GeneratedCase &m_generated;
  Writer m_writer;
  unsigned m_size[3] = {1, 1, 1}; ///< Of a workgroup.
  Id m_entry = 0;                 ///< The entry point's function.
};

/// Draws a workgroup size with at most as many invocations as the profile permits, and a number of
/// workgroups. Groups are only in the x dimension.
void Assembler::chooseSize() {
  Random &random = m_writer.random();
  static constexpr unsigned sizes[][3] = {{1, 1, 1},  {8, 1, 1},  {32, 1, 1}, {64, 1, 1},
                                          {16, 2, 1}, {4, 4, 2},  {37, 1, 1}, {8, 8, 1},
                                          {2, 3, 5},  {64, 2, 1}, {1, 1, 48}};
  do {
    copy(sizes[random.below(std::size(sizes))], m_size);
    m_writer.m_invocations = m_size[0] * m_size[1] * m_size[2];
  } while (m_writer.m_invocations > std::max(m_writer.profile().invocations, 1u));
  m_generated.groups[0] =
      static_cast<uint32_t>(random.between(1, std::max(m_writer.profile().workgroups, 1u)));
}

/// Writes capabilities, memory model, entry point and execution modes. One module in four has the
/// Vulkan memory model.
void Assembler::writeHeader() {
  Program &program = m_generated.program;
  Pool &pool = m_writer.pool();
  pool.require(spv::Capability::Shader);
  auto model = spv::MemoryModel::GLSL450;
  if (m_writer.random().oneIn(4)) {
    model = spv::MemoryModel::Vulkan;
    pool.require(spv::Capability::VulkanMemoryModel);
    pool.require(spv::Capability::VulkanMemoryModelDeviceScope);
  }
  program.memoryModel.push_back(
      {spv::Op::OpMemoryModel,
       0,
       0,
       {literal(uint32_t(spv::AddressingModel::Logical)), literal(uint32_t(model))}});
  m_entry = program.fresh();
  Instruction entry{spv::Op::OpEntryPoint,
                    0,
                    0,
                    {literal(uint32_t(spv::ExecutionModel::GLCompute)), fuzz::id(m_entry)}};
  append_range(entry.operands, makeString("main"));
  program.entryPoints.push_back(std::move(entry));
  writeSize();
  writeFloatControls();
  if (m_writer.random().oneIn(12)) {
    pool.extension("SPV_KHR_subgroup_uniform_control_flow");
    program.executionModes.push_back(
        {spv::Op::OpExecutionMode,
         0,
         0,
         {fuzz::id(m_entry),
          literal(uint32_t(spv::ExecutionMode::SubgroupUniformControlFlowKHR))}});
  }
}

/// The size of the workgroup, as literals or as constants.
void Assembler::writeSize() {
  bool byId = m_writer.random().oneIn(6);
  Instruction mode{byId ? spv::Op::OpExecutionModeId : spv::Op::OpExecutionMode,
                   0,
                   0,
                   {fuzz::id(m_entry), literal(uint32_t(byId ? spv::ExecutionMode::LocalSizeId
                                                             : spv::ExecutionMode::LocalSize))}};
  for (unsigned size : m_size)
    mode.operands.push_back(byId ? fuzz::id(m_writer.pool().number(size)) : literal(size));
  m_generated.program.executionModes.push_back(std::move(mode));
}

/// Sometimes a mode for floats of 32 bits; small whole numbers are exact in all of them.
void Assembler::writeFloatControls() {
  struct ModeRow {
    spv::Capability capability;
    spv::ExecutionMode mode;
  };
  static constexpr ModeRow rows[] = {
      {spv::Capability::DenormPreserve, spv::ExecutionMode::DenormPreserve},
      {spv::Capability::DenormFlushToZero, spv::ExecutionMode::DenormFlushToZero},
      {spv::Capability::SignedZeroInfNanPreserve, spv::ExecutionMode::SignedZeroInfNanPreserve},
      {spv::Capability::RoundingModeRTE, spv::ExecutionMode::RoundingModeRTE},
      {spv::Capability::RoundingModeRTZ, spv::ExecutionMode::RoundingModeRTZ}};
  if (!m_writer.random().oneIn(5))
    return;
  const ModeRow &row = m_writer.random().pick(ArrayRef(rows));
  m_writer.pool().require(row.capability);
  m_generated.program.executionModes.push_back(
      {spv::Op::OpExecutionMode,
       0,
       0,
       {fuzz::id(m_entry), literal(uint32_t(row.mode)), literal(32)}});
}

/// Begins a function with an empty scope. A function that returns nothing is the entry point.
void Assembler::openFunction(Id result, Id type) {
  Program &program = m_generated.program;
  Function function;
  Id id = result == m_writer.pool().voidType() ? m_entry : program.fresh();
  function.definition = {spv::Op::OpFunction, result, id, {literal(0), fuzz::id(type)}};
  program.functions.push_back(std::move(function));
  m_writer.m_function = &program.functions.back();
  m_writer.begin(m_writer.newLabel());
  m_writer.m_scope.clear();
  m_writer.m_depth = 0;
  m_writer.m_repeats = 1;
}

/// A function that others call: by value alone, so that it may be called from anywhere.
void Assembler::writeFunction() {
  Pool &pool = m_writer.pool();
  Random &random = m_writer.random();
  Writer::Callee callee;
  callee.result = m_writer.randomType();
  for (uint64_t count = random.below(4); count > 0; --count)
    callee.parameters.push_back(m_writer.randomType());
  openFunction(callee.result, pool.functionType(callee.result, callee.parameters));
  callee.function = m_writer.m_function->result();
  m_writer.m_isUniform = false;
  m_writer.m_inEntryPoint = false;
  m_writer.m_budget = static_cast<int64_t>(m_writer.profile().instructions / 16);
  for (Id type : callee.parameters) {
    Instruction parameter{spv::Op::OpFunctionParameter, type, m_generated.program.fresh(), {}};
    m_writer.add({parameter.result, type, false, 0});
    m_writer.m_function->parameters.push_back(std::move(parameter));
  }
  m_writer.statements(static_cast<unsigned>(random.between(2, 8)));
  m_writer.emitVoid(spv::Op::OpReturnValue, {fuzz::id(m_writer.take(callee.result).id)});
  m_writer.m_callees.push_back(std::move(callee));
}

/// Loads the built-ins of which the numbers of an invocation are made.
void Assembler::writeIndices() {
  Pool &pool = m_writer.pool();
  constexpr auto input = spv::StorageClass::Input;
  Id u32 = pool.intType(32, false), v3 = pool.vectorType(u32, 3);
  auto load = [&](spv::BuiltIn builtIn, Id type) {
    Id variable = pool.variable(pool.pointerType(input, type), input);
    pool.decorate(variable, spv::Decoration::BuiltIn, {uint32_t(builtIn)});
    return m_writer.emit(spv::Op::OpLoad, type, {fuzz::id(variable)});
  };
  Id local = load(spv::BuiltIn::LocalInvocationIndex, u32);
  Id group = load(spv::BuiltIn::WorkgroupId, v3);
  Id groupX = m_writer.emit(spv::Op::OpCompositeExtract, u32, {fuzz::id(group), literal(0)});
  Id first = m_writer.emit(spv::Op::OpIMul, u32,
                           {fuzz::id(groupX), fuzz::id(pool.number(m_writer.m_invocations))});
  Id global = m_writer.emit(spv::Op::OpIAdd, u32, {fuzz::id(first), fuzz::id(local)});
  m_writer.m_localIndex = {local, u32, m_writer.m_invocations == 1, 0};
  m_writer.m_globalIndex = {global, u32, m_writer.m_invocations == 1, 0};
  m_writer.add(m_writer.m_localIndex);
  m_writer.add({groupX, u32, true, 0});
  m_writer.add(m_writer.m_globalIndex);
}

/// The least of four draws: most cases are small.
unsigned Assembler::chooseStatements() {
  const Profile &profile = m_writer.profile();
  if (profile.leastStatements >= profile.statements)
    return profile.statements;
  auto draw = [&] {
    return m_writer.random().between(profile.leastStatements, profile.statements);
  };
  return static_cast<unsigned>(std::min({draw(), draw(), draw(), draw()}));
}

/// Writes the body of the entry point and stores the last values, so that what precedes them is
/// observed.
void Assembler::writeEntryPoint(unsigned statements) {
  Pool &pool = m_writer.pool();
  Id nothing = pool.voidType();
  openFunction(nothing, pool.functionType(nothing, {}));
  m_writer.m_isUniform = true;
  m_writer.m_inEntryPoint = true;
  m_writer.m_budget = static_cast<int64_t>(m_writer.profile().instructions);
  writeIndices();
  for (unsigned i = 0; i < 3; ++i) {
    m_writer.add(m_writer.loadInput());
    m_writer.add(m_writer.loadUniformInput());
  }
  m_writer.statements(statements);
  // What was computed last hangs on most of the rest.
  size_t count = m_writer.m_scope.size();
  std::vector<Value> last(m_writer.m_scope.begin() +
                              static_cast<ptrdiff_t>(count - std::min<size_t>(count, 12)),
                          m_writer.m_scope.end());
  for (const Value &value : last)
    m_writer.store(value);
  m_writer.emitVoid(spv::Op::OpReturn, {});
}

/// Declares only what the code uses. Result buffers have room for each store of each invocation.
void Assembler::addBuffers() {
  Random random = Random::derive(m_generated.seed, 1);
  uint32_t total = totalInvocations(m_generated, m_writer.m_invocations);
  auto add = [&](const char *name, const char *type, GeneratedBinding kind, uint32_t binding,
                 uint32_t words, llvm::function_ref<uint64_t()> word) {
    GeneratedBuffer buffer{name, type, kind, binding, {}};
    for (uint32_t i = 0; i < words; ++i)
      buffer.words.push_back(word());
    m_generated.buffers.push_back(std::move(buffer));
  };
  auto zero = [] { return uint64_t(0); };
  auto word = [&]() -> uint64_t {
    return random.oneIn(2) ? random.below(256) : random.next() >> 32;
  };
  constexpr auto storage = GeneratedBinding::Storage;
  static constexpr std::pair<const char *, const char *> results[] = {
      {"words", "uint32"}, {"floats", "float"}, {"doubles", "double"}};
  for (uint32_t kind = 0; kind < 3; ++kind)
    if (m_writer.m_output[kind])
      add(results[kind].first, results[kind].second, storage, kind,
          std::max(m_writer.m_outputs[kind] * total, 1u), zero);
  if (m_writer.m_input)
    add("input", "uint32", storage, uint32_t(BufferNumber::Input), inputWords, word);
  if (m_writer.m_uniforms) // Elements are 16 bytes apart.
    add("uniforms", "vec4<uint32>", GeneratedBinding::Uniform, uint32_t(BufferNumber::Uniforms),
        uniformWords * 4, word);
  if (m_writer.m_own)
    add("own", "uint32", storage, uint32_t(BufferNumber::Own), m_writer.m_ownWords * total, word);
  if (m_writer.m_counters)
    add("counters", "uint32", storage, uint32_t(BufferNumber::Counters), m_writer.m_counterWords,
        word);
}

/// Functions are written first, so that the entry point can call them.
void Assembler::assemble() {
  chooseSize();
  writeHeader();
  unsigned statements = chooseStatements();
  // Functions may not be called before the indices of the entry point are known: they get values
  // only. A small case has few.
  unsigned functions = std::min(m_writer.profile().functions, statements / statementsPerFunction);
  for (uint64_t count = m_writer.random().below(functions + 1); count > 0; --count)
    writeFunction();
  writeEntryPoint(statements);
  addBuffers();
  completeRequirements(m_generated, m_writer.pool());
}

/// Depends on seed and profile only.
GeneratedCase generate(uint64_t seed, const Profile &profile) {
  GeneratedCase result;
  result.seed = seed;
  result.profile = profile.name;
  Assembler(result, profile).assemble();
  return result;
}

} // namespace assay::fuzz
