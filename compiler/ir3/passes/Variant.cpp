// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The only place that knows the order of the passes.
#include "compiler/ir3/passes/Variant.h"

#include "compiler/ir3/ir/Verify.h"
#include "compiler/ir3/passes/AllocateRegisters.h"
#include "compiler/ir3/passes/Emit.h"
#include "compiler/ir3/passes/ExpandMacros.h"
#include "compiler/ir3/passes/Flatten.h"
#include "compiler/ir3/passes/Legalize.h"
#include "compiler/ir3/passes/LowerOperands.h"
#include "compiler/ir3/passes/Optimize.h"
#include "compiler/ir3/passes/PostSchedule.h"
#include "compiler/ir3/passes/PrepareAllocation.h"
#include "support/Error.h"
#include "support/Ir3Fault.h"

#include "llvm/Support/MathExtras.h"
using namespace llvm;

namespace assay::ir3 {

void countStatistics(const Program &program, ShaderVariant &variant);

namespace {

/// Runs all passes on one program.
class Pipeline {
public:
  Pipeline(Program &program, const CompileOptions &options)
      : m_program(program), m_options(options) {}
  /// The code and its description, or the first error of a pass.
  Expected<ShaderVariant> run();

private:
  /// Called after each pass: shows the program to the observer, and verifies it while it has
  /// values. Returns an internal error if a rule of the IR is broken.
  Error finish(StringRef pass, bool isSsa = true);
  bool mayRun(StringRef pass) const { return !m_options.mayRun || m_options.mayRun(pass); }
  /// The optional passes on values.
  Error optimize();
  Error finishCode();
  Error runOnValues();
  /// Fills in the sizes that a launch needs. Const vectors are rounded up to the upload unit.
  void describe(const AllocationResult &registers, ShaderVariant &variant) const;

  Program &m_program;
  const CompileOptions &m_options;
  bool m_isLegalized = true; ///< Or in the simple way.
};

Error Pipeline::finish(StringRef pass, bool isSsa) {
  if (m_options.observe)
    m_options.observe(pass, m_program);
  if (!m_options.verify || !isSsa)
    return Error::success();
  Error error = verifyProgram(m_program);
  if (!error)
    return error;
  return internalError("after pass '" + pass + "': " + takeError(std::move(error)).message);
}

Error Pipeline::optimize() {
  // First, so that the instructions of both sides are optimized and scheduled together.
  constexpr unsigned FlattenLimit = 8;
  if (mayRun("ir3-flatten")) {
    mergeBlocks(m_program);
    flattenBranches(m_program, FlattenLimit);
  }
  if (Error error = finish("flatten"))
    return error;
  if (mayRun("ir3-optimize"))
    optimizeProgram(m_program);
  return finish("optimize");
}

/// The passes on SSA values.
Error Pipeline::runOnValues() {
  if (Error error = finish("select"))
    return error;
  if (m_options.optimize)
    if (Error error = optimize())
      return error;
  if (Error error = lowerOperands(m_program, !mayRun("ir3-lower-operands")))
    return error;
  removeDeadCode(m_program);
  if (Error error = finish("lower-operands"))
    return error;
  if (m_options.grouping == Grouping::Neighbors) {
    groupNeighbors(m_program);
    if (Error error = finish("group"))
      return error;
  }
  scheduleProgram(m_program, mayRun("ir3-schedule") ? m_options.schedule : Schedule::None);
  if (Error error = finish("schedule"))
    return error;
  // From here on each block has at most one value of a0.x at a time.
  lowerAddresses(m_program);
  removeDeadCode(m_program);
  if (Error error = finish("lower-addresses"))
    return error;
  prepareAllocation(m_program, m_options.grouping);
  return finish("prepare-allocation");
}

/// The registers of all inputs, and of the sources of end. lowerCopies() removes the inputs.
static void describeInputs(const Program &program, ShaderVariant &variant) {
  for (const Instruction *inst : program.instructions()) {
    if (inst->opcode == Opcode::MetaInput)
      variant.inputs.push_back({uint32_t(inst->fields.index), inst->dst().number, inst->dst().size,
                                inst->dst().isHalf()});
    if (inst->opcode != Opcode::End)
      continue;
    for (auto [index, source] : enumerate(inst->sources()))
      variant.outputs.push_back({uint32_t(index), source.number, source.size, source.isHalf()});
  }
}

/// Dwords of constants that the code names; relative ones reach to the end of what is declared.
static uint32_t constDwordsOf(const Program &program) {
  uint32_t dwords = program.constDwords;
  if (!program.constImmediates.empty())
    dwords = uint32_t(alignTo(dwords, 4) + program.constImmediates.size());
  return dwords;
}

void Pipeline::describe(const AllocationResult &registers, ShaderVariant &variant) const {
  variant.fullVectors = registers.fullVectors;
  variant.halfVectors = registers.halfVectors;
  variant.constImmediates = m_program.constImmediates;
  variant.constBase = uint32_t(alignTo(m_program.constDwords, 4));
  uint32_t unit = 4 * m_program.compiler().constUploadUnit;
  variant.constVectors = uint32_t(alignTo(constDwordsOf(m_program), unit)) / 4;
  variant.privateBytes = m_program.privateBytes;
  variant.localBytes = m_program.localBytes;
  // Each branch can leave fibers to meet again: nested ones add up. From a5xx on the field counts
  // pairs of places (Mesa, ir3_shader_branchstack_hw).
  uint32_t branches = 0;
  for (auto &block : m_program.blocks)
    branches += block->successors[1] != nullptr;
  const Compiler &compiler = m_program.compiler();
  if (compiler.generation < 500)
    variant.branchStack = std::min<uint32_t>(branches, compiler.branchStack - 1);
  else if (branches)
    variant.branchStack = std::min<uint32_t>(branches / 2 + 1, compiler.branchStack / 2);
  if (branches && m_isLegalized && faultPlanted(Ir3Fault::BranchStack))
    variant.branchStack = 0;
}

/// The passes on the code with registers.
Error Pipeline::finishCode() {
  if (m_options.optimize && m_options.schedule == Schedule::Pressure &&
      mayRun("ir3-schedule-physical")) {
    schedulePhysical(m_program);
    if (Error error = finish("schedule-physical", /*isSsa=*/false))
      return error;
  }
  removeTokens(m_program);
  // From here on the second successor of a branch is the next block, or a jump goes there.
  layOutBlocks(m_program, mayRun("ir3-lay-out-blocks"));
  if (Error error = finish("lay-out-blocks", /*isSsa=*/false))
    return error;
  m_isLegalized = mayRun("ir3-legalize");
  legalize(m_program, {.fullSync = m_options.fullSync || !m_isLegalized,
                       .fullNop = m_options.fullNop || !m_isLegalized,
                       .fullJoin = !m_isLegalized});
  return finish("legalize", /*isSsa=*/false);
}

Expected<ShaderVariant> Pipeline::run() {
  uint32_t declared = m_program.constDwords, available = 4 * m_program.compiler().constVectors;
  if (declared > available)
    return unsupported(Twine(4 * declared) + " bytes of constants: the const file has " +
                       Twine(4 * available) + " bytes for a shader");
  if (Error error = runOnValues())
    return std::move(error);
  AllocationOptions allocation;
  allocation.vectors = m_options.vectors;
  allocation.spillAll = m_options.spillAll;
  allocation.isSimple = !mayRun("ir3-allocate-registers");
  Expected<AllocationResult> registers = allocateRegisters(m_program, allocation);
  if (!registers && m_options.grouping == Grouping::Neighbors) {
    // Members of chains cannot be spilled; copies of them can.
    consumeError(registers.takeError());
    isolateGroups(m_program);
    registers = allocateRegisters(m_program, allocation);
  }
  if (!registers)
    return registers.takeError();
  if (Error error = finish("allocate-registers"))
    return std::move(error);
  ShaderVariant variant;
  describeInputs(m_program, variant);
  lowerCopies(m_program);
  if (Error error = finish("lower-copies", /*isSsa=*/false))
    return std::move(error);
  expandMacros(m_program);
  if (Error error = finish("expand-macros", /*isSsa=*/false))
    return std::move(error);
  if (Error error = finishCode())
    return std::move(error);
  Expected<std::vector<uint64_t>> words = emitWords(m_program);
  if (!words)
    return internalError(takeError(words.takeError()).message);
  variant.words = std::move(*words);
  describe(*registers, variant);
  countStatistics(m_program, variant);
  return variant;
}

} // namespace

Expected<ShaderVariant> compileProgram(Program &program, const CompileOptions &options) {
  return Pipeline(program, options).run();
}

} // namespace assay::ir3
