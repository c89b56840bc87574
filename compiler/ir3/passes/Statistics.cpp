// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts of the final code. Mesa 25.0: ir3.c, ir3_collect_info (counts and estimated stalls), and
// ir3_shader.c, ir3_shader_outputs and the shader-db line.
#include "compiler/ir3/passes/Schedule.h"
#include "compiler/ir3/passes/Variant.h"
#include "llvm/Support/Format.h"

using namespace llvm;

namespace assay::ir3 {

namespace {

/// Whether the result is in registers that the wave shares.
bool writesShared(const Instruction &inst) {
  unsigned number = inst.dst().number;
  return inst.hasDst() && number >= reg::Shared && number < reg::Address;
}

/// What Mesa's estimate of stalls takes for a result that (ss) waits for; 0 where it takes none, as
/// of resinfo.b (ir3.h, is_ss_producer and soft_ss_delay).
unsigned shortDelay(const Instruction &inst) {
  constexpr unsigned Shuffle = 6;
  static constexpr Opcode Loads[] = {Opcode::Ldl, Opcode::Ldlw, Opcode::Ldlv};
  if (inst.info().category == 4 || is_contained(Loads, inst.opcode))
    return softDelay(inst);
  return inst.opcode == Opcode::Shfl || writesShared(inst) ? Shuffle : 0;
}

/// The same for (sy). Atomics of workgroup memory are among them, though (ss) waits for their
/// results (is_sy_producer).
unsigned longDelay(const Instruction &inst) {
  constexpr unsigned Atomic = 86;
  if (inst.info().format == Format::AtomicLocal)
    return Atomic;
  return inst.info().has(property::ResultSy) ? softDelay(inst) : 0;
}

/// Adds the counts of one program to a result.
class Counter {
public:
  Counter(const Program &program, Statistics &result) : m_program(program), m_result(result) {}
  void run() {
    for (auto &block : m_program.blocks) {
      m_ssDelay = m_syDelay = 0;
      ArrayRef<Instruction *> instructions = block->instructions;
      // Mesa does not count the nops that fill up the last line.
      if (block == m_program.blocks.back())
        while (!instructions.empty() && instructions.back()->opcode == Opcode::Nop)
          instructions = instructions.drop_back();
      for (const Instruction *inst : instructions)
        count(*inst);
      for (const Block *successor : block->successorList())
        m_result.loops += successor->number <= block->number;
    }
  }

private:
  void count(const Instruction &inst);
  /// Adds an instruction that is executed \p times times: by category, moves, nops, and components
  /// of stp and ldp.
  void countKinds(const Instruction &inst, unsigned times);

  const Program &m_program;
  Statistics &m_result;
  unsigned m_ssDelay = 0, m_syDelay = 0; ///< Slots until the last result is there.
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

/// As Mesa counts: only the last result that a flag waits for is known.
void Counter::count(const Instruction &inst) {
  const Fields &fields = inst.fields;
  unsigned slots = 1 + unsigned(fields.repeat) + unsigned(fields.nops);
  countKinds(inst, 1 + unsigned(fields.repeat));
  if (fields.shortSync) {
    ++m_result.ss;
    m_result.ssStall += m_ssDelay;
    m_ssDelay = 0;
  }
  if (fields.sync) {
    ++m_result.sy;
    m_result.syStall += m_syDelay;
    m_syDelay = 0;
  }
  unsigned ss = shortDelay(inst), sy = longDelay(inst);
  m_ssDelay = ss ? ss : m_ssDelay - std::min(m_ssDelay, slots);
  m_syDelay = sy ? sy : m_syDelay - std::min(m_syDelay, slots);
}

} // namespace

/// Fills the statistics of \p variant. The sizes of \p variant must be known.
void countStatistics(const Program &program, ShaderVariant &variant) {
  Statistics &result = variant.statistics;
  result.fullRegisters = variant.fullVectors;
  result.halfRegisters = variant.halfVectors;
  result.constVectors = variant.constVectors;
  result.waves = maxWaves(program.compiler(), variant.fullVectors, variant.doubleThreads);
  Counter(program, result).run();
}

/// last-baryf and last-helper are always 0: these counts are not computed.
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
