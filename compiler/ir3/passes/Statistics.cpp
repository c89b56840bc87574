// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts of the final code. Mesa 25.0: ir3.c, ir3_collect_info (counts and estimated stalls), and
// ir3_shader.c, ir3_shader_outputs and the shader-db line.
#include "compiler/ir3/passes/Touches.h"
#include "compiler/ir3/passes/Variant.h"
#include "llvm/Support/Format.h"

using namespace llvm;

namespace assay::ir3 {

namespace {

/// Slots after which a result is taken to be there, for the estimate of stalls.
unsigned softDelay(const Instruction &inst, bool isDouble) {
  switch (inst.info().category) {
  case 4:
    return 10;
  case 5:
    return isDouble ? 29 : 51;
  case 6:
    if (inst.info().has(property::ResultSs))
      return 10;
    return isDouble ? 86 : 109;
  default:
    return 10;
  }
}

class Counter {
public:
  Counter(const Program &program, bool isDouble, Statistics &result)
      : m_program(program), m_isDouble(isDouble), m_result(result) {}
  void run() {
    for (auto &block : m_program.blocks) {
      m_readySs = m_readySy = m_now = 0;
      for (const Instruction *inst : block->instructions)
        count(*inst);
      for (const Block *successor : block->successorList())
        m_result.loops += successor->number <= block->number;
    }
  }

private:
  void count(const Instruction &inst);
  void countKinds(const Instruction &inst, unsigned times);

  const Program &m_program;
  bool m_isDouble;
  Statistics &m_result;
  unsigned m_now = 0, m_readySs = 0, m_readySy = 0;
};

void Counter::countKinds(const Instruction &inst, unsigned times) {
  const Fields &fields = inst.fields;
  bool isNop = inst.opcode == Opcode::Nop;
  m_result.instructions += times + unsigned(fields.nops);
  m_result.nops += unsigned(fields.nops) + (isNop ? times : 0);
  m_result.categories[inst.info().category] += times;
  m_result.categories[0] += unsigned(fields.nops);
  if (inst.opcode == Opcode::Mov)
    (fields.type == fields.sourceType ? m_result.moves : m_result.conversions) += times;
  m_result.stp += inst.opcode == Opcode::Stp ? unsigned(fields.size) : 0;
  m_result.ldp += inst.opcode == Opcode::Ldp ? unsigned(fields.size) : 0;
}

void Counter::count(const Instruction &inst) {
  const Fields &fields = inst.fields;
  countKinds(inst, 1 + unsigned(fields.repeat));
  if (fields.shortSync) {
    ++m_result.ss;
    m_result.ssStall += m_readySs > m_now ? m_readySs - m_now : 0;
    m_readySs = 0;
  }
  if (fields.sync) {
    ++m_result.sy;
    m_result.syStall += m_readySy > m_now ? m_readySy - m_now : 0;
    m_readySy = 0;
  }
  m_now += slotsOf(inst) + unsigned(fields.nops);
  if (inst.info().has(property::ResultSs))
    m_readySs = std::max(m_readySs, m_now + softDelay(inst, m_isDouble));
  if (inst.info().has(property::ResultSy))
    m_readySy = std::max(m_readySy, m_now + softDelay(inst, m_isDouble));
}

} // namespace

void countStatistics(const Program &program, ShaderVariant &variant) {
  Statistics &result = variant.statistics;
  result.fullRegisters = variant.fullVectors;
  result.halfRegisters = variant.halfVectors;
  result.constVectors = variant.constVectors;
  result.waves = maxWaves(program.compiler(), variant.fullVectors, variant.doubleThreads);
  Counter(program, variant.doubleThreads, result).run();
}

std::string printStatistics(const Statistics &statistics, ShaderStage stage) {
  static constexpr StringLiteral Names[] = {"VERT", "FRAG", "COMPUTE"};
  std::string text;
  raw_string_ostream os(text);
  const Statistics &s = statistics;
  os << Names[unsigned(stage)] << " shader: " << s.instructions << " inst, " << s.nops << " nops, "
     << s.instructions - s.nops << " non-nops, " << s.moves << " mov, " << s.conversions
     << " cov, 0 last-baryf, 0 last-helper, " << s.halfRegisters << " half, " << s.fullRegisters
     << " full, " << s.constVectors << " constlen, ";
  for (unsigned i = 0; i < 8; ++i)
    os << s.categories[i] << " cat" << i << ", ";
  os << s.stp << " stp, " << s.ldp << " ldp, " << s.ssStall << " sstall, " << s.ss << " (ss), "
     << s.syStall << " systall, " << s.sy << " (sy), " << s.waves << " waves, " << s.loops
     << " loops";
  return text;
}

} // namespace assay::ir3
