// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tables against LLVM's disassembler, which is asked for every opcode of every ALU encoding: no
// row may have a name that no chip of its generation has, and an operation without a row must stand
// in the list of those that are left out, with its reason.
#include "oracles/machine/gcn_alu/Alu.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/TargetSelect.h"
#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace llvm;
using namespace assay::gcn;

namespace {
/// All mnemonics that a chip's disassembler gives for ALU encodings.
class Enumerator {
public:
  /// \p chip is "gfx1201", or with a feature "gfx1201 +real-true16".
  explicit Enumerator(StringRef chip) : m_gfx9(chip.starts_with("gfx9")) {
    auto [cpu, features] = chip.split(' ');
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
    std::string error;
    const Target *target = TargetRegistry::lookupTarget(m_triple, error);
    m_registers.reset(target->createMCRegInfo(m_triple));
    m_asm.reset(target->createMCAsmInfo(*m_registers, m_triple, MCTargetOptions()));
    m_instructions.reset(target->createMCInstrInfo());
    m_subtarget.reset(target->createMCSubtargetInfo(m_triple, cpu, features));
    m_context =
        std::make_unique<MCContext>(m_triple, m_asm.get(), m_registers.get(), m_subtarget.get());
    m_disassembler.reset(target->createMCDisassembler(*m_subtarget, *m_context));
    m_printer.reset(
        target->createMCInstPrinter(m_triple, 0, *m_asm, *m_instructions, *m_registers));
  }

  /// Mnemonics, each with an instruction as printed, without mnemonic: "v2, v2, v4".
  std::map<std::string, std::string> run() {
    scalar();
    shortVector();
    longVector();
    if (!m_gfx9)
      dual();
    return m_names;
  }

private:
  void scalar() {
    for (uint64_t op = 0; op < 128; ++op) {
      take(0x80000000u | op << 23 | 4 << 16 | 6 << 8 | 8);
      take(0xbf000000u | op << 16 | 6 << 8 | 8);
    }
    for (uint64_t op = 0; op < 256; ++op)
      take(0xbe800000u | 4 << 16 | op << 8 | 8);
  }

  void shortVector() {
    // Scalar and vector sources: some operations take only one kind.
    for (uint64_t source : {258, 4}) {
      for (uint64_t op = 0; op < 62; ++op)
        take(op << 25 | 2 << 17 | 4 << 9 | source);
      for (uint64_t op = 0; op < 256; ++op)
        take(0x7e000000u | 2 << 17 | op << 9 | source);
    }
    for (uint64_t op = 0; op < 256; ++op)
      take(0x7c000000u | op << 17 | 4 << 9 | 258);
  }

  void longVector() {
    uint64_t vop3 = m_gfx9 ? 0xd0000000u : 0xd4000000u;
    uint64_t vop3p = m_gfx9 ? 0xd3800000u : 0xcc000000u;
    for (uint64_t sources : {threeVectors, threeVectors & 0x3ffff, threeScalars})
      for (uint64_t op = 0; op < 1024; ++op) {
        take(vop3 | op << 16 | 2 | sources << 32);
        take(vop3 | op << 16 | 2 | 6 << 8 | sources << 32);
      }
    for (uint64_t op = 0; op < 128; ++op)
      take(vop3p | op << 16 | 2 | 0x4000 | (threeVectors | 3ull << 27) << 32);
  }

  void dual() {
    uint64_t second = 2ull << 24 | 5ull << 9 | 259;
    for (uint64_t op = 0; op < 32; ++op) {
      // The other half is v_dual_fmac_f32, opcode 0; a move has no second source.
      take(0xc8000000u | op << 22 | 4 << 9 | 258 | second << 32);
      take(0xc8000000u | op << 17 | 4 << 9 | 258 | second << 32);
      take(0xc8000000u | op << 22 | 258 | second << 32);
      take(0xc8000000u | op << 17 | 4 << 9 | 258 | (second & ~0x1fe00ull) << 32);
    }
  }

  void take(uint64_t words) {
    uint8_t bytes[16];
    std::fill(std::begin(bytes), std::end(bytes), uint8_t(0x11)); // a literal, where one follows
    for (unsigned index = 0; index < 8; ++index)
      bytes[index] = uint8_t(words >> (8 * index));
    MCInst inst;
    uint64_t size = 0;
    if (m_disassembler->getInstruction(inst, size, bytes, 0, nulls()) != MCDisassembler::Success)
      return;
    std::string text;
    raw_string_ostream os(text);
    m_printer->printInst(&inst, 0, "", *m_subtarget, os);
    if (StringRef(text).contains("Invalid register"))
      return;
    SmallVector<StringRef, 2> halves;
    StringRef(text).split(halves, "::");
    for (StringRef half : halves) {
      auto [name, operands] = half.trim().split(' ');
      for (StringRef suffix : {"_dpp", "_sdwa", "_e32", "_e64"})
        name.consume_back(suffix);
      m_names.try_emplace(name.str(), operands.str());
    }
  }

  static constexpr uint64_t threeVectors = 258ull | 260ull << 9 | 262ull << 18;
  static constexpr uint64_t threeScalars = 4ull | 6ull << 9 | 8ull << 18;

  bool m_gfx9;
  Triple m_triple{"amdgcn-amd-amdpal"};
  std::unique_ptr<MCRegisterInfo> m_registers;
  std::unique_ptr<MCAsmInfo> m_asm;
  std::unique_ptr<MCInstrInfo> m_instructions;
  std::unique_ptr<MCSubtargetInfo> m_subtarget;
  std::unique_ptr<MCContext> m_context;
  std::unique_ptr<MCDisassembler> m_disassembler;
  std::unique_ptr<MCInstPrinter> m_printer;
  std::map<std::string, std::string> m_names;
};

struct LeftOut {
  const char *pattern;
  const char *reason;
};

} // namespace

/// Operations that have no row, deliberately.
static constexpr LeftOut leftOut[] = {
    {"s_.*(saveexec|wrexec)_b(32|64)", "reads and writes EXEC: wave machine"},
    {"s_(getpc|setpc|swappc|rfe|rfe_restore|call)_b64", "program counter: wave machine"},
    {"s_cbranch_.*|s_subvector_loop_.*", "branch: wave machine"},
    {"s_movrel.*|v_movrel.*|v_swaprel_b32", "register index from M0: wave machine"},
    {"s_(getreg|setreg|setreg_imm32)_b32|s_version", "hardware registers: wave machine"},
    {"s_waitcnt_.*|s_set_inst_prefetch_distance|s_sleep_var", "no values: wave machine"},
    {"s_set_gpr_idx_.*|s_setvskip", "register index mode: wave machine"},
    {"s_sendmsg_rtn_b(32|64)|s_.*barrier_.*|s_alloc_vgpr", "messages, barriers: wave machine"},
    {"v_(readlane|readfirstlane|writelane)_b32|v_swap_b(16|32)", "across lanes or two results"},
    {"v_permlane.*|v_nop|v_pipeflush|v_clrexcp|s_nop", "across lanes, or nothing"},
    {"v_interp_.*|lds_.*|ds_.*", "interpolation reads the parameter cache"},
    {"v_(wmma|swmmac)_.*|v_mfma_.*|v_smfmac_.*|v_accvgpr_.*", "matrix operations"},
    {"v_mqsad_u32_u8", "its accumulator has 128 bits"},
    {"v_screen_partition_4se_b32", "no public description"},
};

static std::string reasonLeftOut(StringRef name) {
  for (const LeftOut &entry : leftOut)
    if (Regex(("^(" + StringRef(entry.pattern) + ")$").str()).match(name))
      return entry.reason;
  return "";
}

static bool isAluName(StringRef name) {
  return name.starts_with("s_") || name.starts_with("v_") || name.starts_with("lds_");
}

static std::string joined(const std::set<std::string> &names) {
  std::string result;
  for (const std::string &name : names)
    result += name + " ";
  return result;
}

namespace {
struct Generation {
  std::vector<const char *> complete; ///< Chips all of whose operations must be known.
  std::vector<const char *> further;  ///< Chips that names may come from besides.
};

/// Its parameter is gfxMajor.
class Coverage : public testing::TestWithParam<unsigned> {};
} // namespace

static const Generation &generationOf(unsigned gfxMajor) {
  static const Generation generations[] = {
      {{"gfx900", "gfx906"}, {"gfx90a"}},
      {{"gfx1010", "gfx1030"}, {"gfx1011"}},
      {{"gfx1100", "gfx1150"}, {}},
      {{"gfx1200", "gfx1201", "gfx1201 +real-true16"}, {}},
  };
  return generations[gfxMajor - 9];
}

INSTANTIATE_TEST_SUITE_P(Generations, Coverage, testing::Values(9u, 10u, 11u, 12u));

TEST_P(Coverage, EveryOperationHasARowOrAReason) {
  for (const char *cpu : generationOf(GetParam()).complete) {
    std::set<std::string> missing;
    unsigned known = 0, excused = 0;
    for (const auto &[name, operands] : Enumerator(cpu).run()) {
      if (!isAluName(name))
        continue;
      if (findValuOp(name, GetParam()) || findSaluOp(name, GetParam()))
        ++known;
      else if (!reasonLeftOut(name).empty())
        ++excused;
      else
        missing.insert(name);
    }
    std::printf("%s: %u operations have rows, %u are left out with a reason\n", cpu, known,
                excused);
    EXPECT_GT(known, 500u);
    EXPECT_TRUE(missing.empty()) << cpu << " lacks: " << joined(missing);
  }
}

TEST_P(Coverage, EveryRowNamesAnInstruction) {
  std::map<std::string, std::string> existing;
  const Generation &generation = generationOf(GetParam());
  for (const auto &chips : {generation.complete, generation.further})
    for (const char *cpu : chips)
      existing.merge(Enumerator(cpu).run());
  std::set<std::string> invented;
  for (const auto &rows : {listValuOps(GetParam()), listSaluOps(GetParam())})
    for (const AluOp *row : rows)
      if (!existing.count(row->name))
        invented.insert(row->name);
  EXPECT_TRUE(invented.empty()) << joined(invented);
}

/// How many bits a printed operand shows: 16 for a half, 64 for a register pair, 0 for a constant.
static unsigned printedBits(StringRef operand) {
  operand = operand.trim();
  if (operand.ends_with(".l") || operand.ends_with(".h"))
    return 16;
  if (operand == "vcc" || operand == "exec")
    return 64;
  if (!Regex("^[vs](\\[|[0-9])").match(operand))
    return 0;
  SmallVector<StringRef, 3> matches;
  if (!Regex("\\[([0-9]+):([0-9]+)\\]").match(operand, &matches))
    return 32;
  unsigned first = 0, last = 0;
  matches[1].getAsInteger(10, first);
  matches[2].getAsInteger(10, last);
  return 32 * (last - first + 1);
}

static unsigned kindWidth(OperandKind kind) {
  switch (kind) {
  case OperandKind::U16:
  case OperandKind::I16:
  case OperandKind::F16:
  case OperandKind::BF16:
    return 16;
  case OperandKind::U64:
  case OperandKind::I64:
  case OperandKind::F64:
  case OperandKind::PkF32:
    return 64;
  default:
    return 32;
  }
}

/// The printed operands, without modifiers.
static SmallVector<StringRef, 6> operandsOf(StringRef text) {
  SmallVector<StringRef, 6> operands;
  text.split(" op_sel").first.split(operands, ',');
  operands.back() = operands.back().trim().split(' ').first;
  return operands;
}

/// "" or what disagrees between \p row and an instruction as \p text prints it. 16-bit operands are
/// whole registers except where halves are part of the encoding.
static std::string compareOperands(const AluOp &row, StringRef text, bool hasHalves) {
  SmallVector<StringRef, 6> operands = operandsOf(text);
  bool isScalar = StringRef(row.name).starts_with("s_");
  unsigned printed = row.sourceCount() - (row.flags & ReadsDst ? 1 : 0);
  unsigned first = (row.flags & CarryOut && !isScalar ? 2 : 1);
  if (row.flags & NoDst || (row.flags & WritesExec && operands.size() == printed))
    first = 0;
  bool carryPrinted = row.flags & CarryIn && operands.size() == first + printed + 1;
  if (operands.size() != first + printed + carryPrinted)
    return "operand count: " + text.str();
  auto differs = [&](StringRef operand, OperandKind kind) {
    unsigned bits = printedBits(operand);
    unsigned width = kindWidth(kind);
    if (width == 16 && !hasHalves)
      width = 32;
    return bits != 0 && bits != width && !(bits == 32 && width == 16);
  };
  if (first > 0 && !(row.flags & Compare) && differs(operands[0], row.dst))
    return "destination: " + text.str();
  for (unsigned index = 0; index < printed; ++index)
    if (differs(operands[first + index], row.src[index]))
      return "source " + std::to_string(index) + ": " + text.str();
  return "";
}

TEST_P(Coverage, OperandsAreAsWideAsLlvmPrintsThem) {
  for (StringRef chip : generationOf(GetParam()).complete)
    for (const auto &[name, text] : Enumerator(chip).run()) {
      const AluOp *row = findValuOp(name, GetParam());
      if (!row)
        row = findSaluOp(name, GetParam());
      if (!row)
        continue;
      bool hasHalves = GetParam() == 11 || chip.contains("true16");
      std::string difference = compareOperands(*row, text, hasHalves);
      EXPECT_TRUE(difference.empty()) << chip.str() << " " << name << " " << difference;
    }
}

TEST(Alu, ANameMeansWhatItsGenerationSays) {
  EXPECT_NE(findValuOp("v_add_u32", 9), nullptr);
  EXPECT_EQ(findValuOp("v_add_u32", 10), nullptr);
  EXPECT_EQ(findValuOp("v_add_nc_u32", 9), nullptr);
  EXPECT_EQ(findValuOp("v_mov_b32", 8), nullptr);
  EXPECT_EQ(findValuOp("v_mov_b32", 13), nullptr);
  EXPECT_EQ(findValuOp("s_mov_b32", 9), nullptr);
  const AluOp *op = findValuOp("v_ctz_i32_b32", 11);
  ASSERT_NE(op, nullptr);
  EXPECT_STREQ(op->name, "v_ctz_i32_b32");
}

TEST(Alu, RowsCarryTheirFlags) {
  EXPECT_EQ(findValuOp("v_add_co_u32", 11)->flags, CarryOut);
  EXPECT_EQ(findValuOp("v_add_co_ci_u32", 11)->flags, CarryIn | CarryOut);
  EXPECT_EQ(findValuOp("v_cndmask_b32", 11)->flags, CarryIn);
  EXPECT_EQ(findValuOp("v_fmac_f32", 11)->flags, ReadsDst);
  EXPECT_EQ(findValuOp("v_fmac_f32", 11)->sourceCount(), 3u);
  EXPECT_EQ(findValuOp("v_cmpx_lt_f16", 11)->flags, Compare | WritesExec);
  EXPECT_EQ(findSaluOp("s_cmp_lt_i32", 11)->flags, WritesScc | NoDst);
  EXPECT_EQ(findSaluOp("s_addc_u32", 11)->flags, WritesScc | ReadsScc);
  EXPECT_EQ(findSaluOp("s_cmovk_i32", 11)->flags, ReadsScc | ReadsDst);
  EXPECT_EQ(findSaluOp("s_mul_i32", 11)->flags, 0);
  EXPECT_EQ(findValuOp("v_fma_mixhi_f16", 11)->flags, MixSources | WritesHigh);
}

TEST(Alu, SomeShortResultsKeepTheHighHalf) {
  EXPECT_TRUE(zeroesHighHalf(*findValuOp("v_add_f16", 9), 9));
  EXPECT_FALSE(zeroesHighHalf(*findValuOp("v_add_f16", 10), 10));
  EXPECT_FALSE(zeroesHighHalf(*findValuOp("v_mad_f16", 9), 9));
  EXPECT_TRUE(zeroesHighHalf(*findValuOp("v_mad_legacy_f16", 9), 9));
  EXPECT_FALSE(zeroesHighHalf(*findValuOp("v_add_f32", 9), 9));
  EXPECT_FALSE(zeroesHighHalf(*findValuOp("v_mad_mixhi_f16", 9), 9));
}
