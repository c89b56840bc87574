// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/transform/Donor.h"

#include "compiler/spirv/Module.h"
#include "fuzz/program/Pool.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Base64.h"

using namespace llvm;

namespace assay::fuzz {

namespace {
/// A capability that donors may need, and the device feature for it; empty for none.
struct CapabilityRow {
  spv::Capability capability;
  const char *feature;
};
} // namespace

/// A function that needs another capability is refused.
static constexpr CapabilityRow capabilityRows[] = {
    {spv::Capability::Shader, ""},
    {spv::Capability::Int8, "Float16Int8Features.shaderInt8"},
    {spv::Capability::Int16, "shaderInt16"},
    {spv::Capability::Int64, "shaderInt64"},
    {spv::Capability::Float16, "Float16Int8Features.shaderFloat16"},
    {spv::Capability::Float64, "shaderFloat64"},
};

std::optional<StringRef> donorFeature(spv::Capability capability) {
  for (const CapabilityRow &row : capabilityRows)
    if (row.capability == capability)
      return StringRef(row.feature);
  return std::nullopt;
}

/// Whether a function with this instruction may be called from anywhere.
static bool isSelfContained(const Instruction &each) {
  struct Range {
    spv::Op first, last;
  };
  static constexpr Range refused[] = {
      {spv::Op::OpControlBarrier, spv::Op::OpMemoryBarrier},
      {spv::Op::OpAtomicLoad, spv::Op::OpAtomicXor},
      {spv::Op::OpGroupNonUniformElect, spv::Op::OpGroupNonUniformQuadSwap},
      {spv::Op::OpSpecConstantTrue, spv::Op::OpSpecConstantOp},
      {spv::Op::OpKill, spv::Op::OpKill},
      {spv::Op::OpAssumeTrueKHR, spv::Op::OpExpectKHR},
      {spv::Op::OpReadClockKHR, spv::Op::OpReadClockKHR},
  };
  return none_of(refused, [&](const Range &range) {
    return each.opcode >= range.first && each.opcode <= range.last;
  });
}

namespace {
/// Collects what a function needs, each thing after what it needs itself.
class Extraction {
public:
  explicit Extraction(const Program &donor) : m_donor(donor) {
    for (const Instruction &each : donor.globals)
      m_globals[each.result] = &each;
    for (const Instruction &each : donor.imports)
      m_imports[each.result] = &each;
    m_result.version = donor.version;
    m_result.bound = donor.bound;
  }

  /// Returns the module, or nothing for a function that is not self-contained. Call it once.
  std::optional<Program> run(Id function) {
    need(function);
    if (!m_isSound || m_result.functions.empty())
      return std::nullopt;
    copyDecorations();
    if (!m_isSound)
      return std::nullopt;
    addFrame();
    if (Error error = spirv::validate(encode(m_result))) {
      consumeError(std::move(error)); // It needs a capability that it did not get.
      return std::nullopt;
    }
    return std::move(m_result);
  }

private:
  /// Adds what defines \p id, after all that it refers to. Labels and results in bodies are
  /// ignored.
  void need(Id id) {
    if (!id || !m_isSound || !m_seen.insert(id).second)
      return;
    if (const Instruction *global = m_globals.lookup(id))
      return needGlobal(*global);
    if (const Instruction *import = m_imports.lookup(id))
      return m_result.imports.push_back(*import);
    if (const Function *function = m_donor.findFunction(id))
      needFunction(*function);
  }

  /// Adds what the instruction's operands refer to; marks the result unsound for refused
  /// instructions.
  void needAll(const Instruction &each) {
    m_isSound &= isSelfContained(each);
    need(each.type);
    for (const Operand &operand : each.operands)
      if (operand.isId)
        need(operand.word);
  }

  /// Adds a type or constant after what it refers to; variables are refused.
  void needGlobal(const Instruction &global) {
    m_isSound &= global.opcode != spv::Op::OpVariable;
    needAll(global);
    m_result.globals.push_back(global);
  }

  /// Adds a function after the functions that it calls; pointer parameters are refused.
  void needFunction(const Function &function) {
    needAll(function.definition);
    for (const Instruction &parameter : function.parameters) {
      needAll(parameter);
      const Instruction *type = m_globals.lookup(parameter.type);
      m_isSound &= type && type->opcode != spv::Op::OpTypePointer;
    }
    for (const Block &block : function.blocks)
      for (const Instruction &each : block.body)
        needAll(each);
    m_result.functions.push_back(function);
  }

  /// Of values; types with a layout are no plain data.
  void copyDecorations() {
    DenseSet<Id> mine;
    forEachId(m_result, [&](Id &id) { mine.insert(id); });
    for (const Instruction &each : m_donor.decorations)
      if (mine.contains(each.word(0))) {
        m_isSound &= each.opcode == spv::Op::OpDecorate && !m_globals.count(each.word(0));
        m_result.decorations.push_back(each);
      }
  }

  /// Adds capabilities, the memory model and an empty entry point, so that the module is valid.
  void addFrame() {
    for (const Instruction &each : m_donor.capabilities)
      if (donorFeature(static_cast<spv::Capability>(each.word(0))))
        m_result.capabilities.push_back(each);
    m_result.memoryModel = {{spv::Op::OpMemoryModel,
                             0,
                             0,
                             {literal(uint32_t(spv::AddressingModel::Logical)),
                              literal(uint32_t(spv::MemoryModel::GLSL450))}}};
    Pool pool(m_result);
    Id nothing = pool.voidType(), type = pool.functionType(nothing, {});
    Function main{{spv::Op::OpFunction, nothing, m_result.fresh(), {literal(0), id(type)}},
                  {},
                  {{m_result.fresh(), {{spv::Op::OpReturn, 0, 0, {}}}}}};
    Instruction entry{spv::Op::OpEntryPoint,
                      0,
                      0,
                      {literal(uint32_t(spv::ExecutionModel::GLCompute)), id(main.result())}};
    append_range(entry.operands, makeString("main"));
    m_result.entryPoints = {std::move(entry)};
    m_result.executionModes = {
        {spv::Op::OpExecutionMode,
         0,
         0,
         {id(main.result()), literal(uint32_t(spv::ExecutionMode::LocalSize)), literal(1),
          literal(1), literal(1)}}};
    m_result.functions.insert(m_result.functions.begin(), std::move(main));
  }

  const Program &m_donor;
  DenseMap<Id, const Instruction *> m_globals, m_imports;
  DenseSet<Id> m_seen;
  Program m_result;
  bool m_isSound = true;
};
} // namespace

std::optional<Program> extractFunction(const Program &donor, Id function) {
  return Extraction(donor).run(function);
}

std::string printDonor(const Program &extracted) {
  std::vector<uint32_t> words = encode(extracted);
  return encodeBase64(StringRef(reinterpret_cast<const char *>(words.data()), words.size() * 4));
}

/// Extracts the function again, which checks everything that extractFunction() demands.
std::optional<Program> parseDonor(StringRef text) {
  std::vector<char> bytes;
  if (Error error = decodeBase64(text, bytes)) {
    consumeError(std::move(error));
    return std::nullopt;
  }
  Expected<std::vector<uint32_t>> words = spirv::wordsFromBytes(
      ArrayRef(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()));
  Expected<Program> program = words ? decode(*words) : Expected<Program>(words.takeError());
  if (!program) {
    consumeError(program.takeError());
    return std::nullopt;
  }
  // By the same way as it was made: who wrote the log is not to be trusted.
  return program->functions.empty() ? std::nullopt
                                    : extractFunction(*program, program->functions.back().result());
}

} // namespace assay::fuzz
