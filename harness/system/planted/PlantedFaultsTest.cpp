// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One fault at a time is put into what the compiler made or the script says; the laboratory must
// see each, and must be silent about the untouched twin.
#include "compiler/driver/Compiler.h"
#include "oracles/execution/Judge.h"
#include "oracles/input/CaseReader.h"
#include "oracles/machine/gcn/GcnMachine.h"
#include "oracles/machine/gcn_isa/Decoder.h"
#include "oracles/machine/spirv/SpirvMachine.h"
#include "oracles/pal_elf/ElfView.h"
#include "oracles/pal_elf/ValidateElf.h"
#include "support/Error.h"
#include "llvm/Support/Endian.h"

#include <functional>
#include <gtest/gtest.h>

using namespace assay;

static const char *const script = R"(#!amber
SHADER compute kernel GLSL
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer A { uint a[]; };
layout(set = 1, binding = 2) buffer B { uint b[]; };
layout(push_constant) uniform P { uint k; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  b[i] = a[i] + b[i] + k;
}
END
BUFFER in DATA_TYPE uint32 SIZE 128 SERIES_FROM 100 INC_BY 3
BUFFER out DATA_TYPE uint32 SIZE 128 FILL 7
BUFFER params DATA_TYPE uint32 DATA 5 END
PIPELINE compute p
  ATTACH kernel
  BIND BUFFER in AS storage DESCRIPTOR_SET 0 BINDING 0
  BIND BUFFER out AS storage DESCRIPTOR_SET 1 BINDING 2
  BIND BUFFER params AS push_constant
END
RUN p 2 1 1
EXPECT out IDX 0 EQ 112 115 118 121
EXPECT out IDX 508 EQ 493
)";

namespace {
/// One case compiled for one target, and ways to run changed ELFs of it.
class PlantedFaults : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override;
  std::string run(const std::vector<uint8_t> &elf);
  /// Offset in the ELF and the instructions of the entry point.
  void decodeCode(uint64_t &fileOffset, std::vector<gcn::Inst> &instructions);

  const TargetInfo *m_target = nullptr;
  Case m_case;
  Outcome m_reference;
  std::vector<uint8_t> m_elf;
};
} // namespace

void PlantedFaults::SetUp() {
  m_target = *findTarget(GetParam());
  auto input = readCaseFromText(script, "planted.amber", "planted");
  ASSERT_TRUE(bool(input)) << takeError(input.takeError()).message;
  m_case = *input;
  auto reference = createSpirvMachine()->run(m_case, {}, {});
  ASSERT_TRUE(bool(reference)) << takeError(reference.takeError()).message;
  m_reference = *reference;
  ASSERT_EQ(m_reference.kind, OutcomeKind::Completed) << m_reference.reason;
  CompileOptions options;
  options.target = m_target;
  auto result = Compiler().compile(m_case.pipelines[0].description, options, EmitPhase::Elf);
  ASSERT_TRUE(bool(result)) << takeError(result.takeError()).message;
  m_elf = result->output;
}

// Why the ELF is noticed to be wrong; "" = it passes.
std::string PlantedFaults::run(const std::vector<uint8_t> &elf) {
  Artifact artifact(elf);
  auto outcome = createGcnMachine(*m_target)->run(m_case, artifact, {});
  if (!outcome)
    return "error: " + takeError(outcome.takeError()).message;
  if (outcome->kind != OutcomeKind::Completed)
    return (outcome->findings.empty() ? "" : outcome->findings[0].rule + ": ") + outcome->reason;
  auto difference = compareWithReference(m_case, m_reference, *outcome);
  if (!difference)
    return "error: " + takeError(difference.takeError()).message;
  if (!difference->findings.empty())
    return difference->findings[0].rule + ": " + difference->findings[0].message;
  auto judgement = judgeExpectations(m_case, *outcome);
  if (!judgement)
    return "error: " + takeError(judgement.takeError()).message;
  return judgement->findings.empty() ? "" : judgement->findings[0].rule;
}

void PlantedFaults::decodeCode(uint64_t &fileOffset, std::vector<gcn::Inst> &instructions) {
  auto view = ElfView::read(m_elf);
  ASSERT_TRUE(bool(view));
  const ElfSymbol *symbol = view->findSymbol("_amdgpu_cs_main");
  ASSERT_TRUE(symbol);
  auto code = view->symbolBytes(*symbol);
  ASSERT_TRUE(bool(code));
  fileOffset = code->data() - m_elf.data();
  auto decoder = gcn::Decoder::create(m_target->name, m_target->defaultWaveSize);
  ASSERT_TRUE(bool(decoder));
  instructions = (*decoder)->decodeRange(*code, 0, code->size());
}

TEST_P(PlantedFaults, CleanElfPasses) {
  EXPECT_EQ(run(m_elf), "");
  auto findings = validateElf(m_elf, {});
  ASSERT_TRUE(bool(findings));
  for (const Finding &finding : *findings)
    EXPECT_NE(finding.severity, Severity::Error) << finding.rule << ": " << finding.message;
}

// Another opcode of the same encoding: the nearest that the chip has. Opcodes begin at bit 25 of a
// VOP2 and at bit 16 of a VOP3.
static bool exchangeOpcode(std::vector<uint8_t> &elf, uint64_t offset, const gcn::Inst &inst,
                           gcn::Decoder &decoder) {
  unsigned lowest = inst.isVop3 || inst.size == 8 ? 16 : 25;
  for (unsigned bit = lowest; bit < lowest + 4; ++bit) {
    llvm::support::endian::write32le(&elf[offset + inst.pc], inst.words[0] ^ 1u << bit);
    gcn::Inst changed = decoder.decode(llvm::ArrayRef(elf).slice(offset + inst.pc, inst.size), 0);
    if (changed.valid && changed.size == inst.size && changed.mnemonic != inst.mnemonic)
      return true;
  }
  return false;
}

TEST_P(PlantedFaults, ExchangedValuOpcodeIsCaught) {
  uint64_t offset = 0;
  std::vector<gcn::Inst> instructions;
  decodeCode(offset, instructions);
  auto decoder = gcn::Decoder::create(m_target->name, m_target->defaultWaveSize);
  ASSERT_TRUE(bool(decoder));
  unsigned tried = 0;
  for (const gcn::Inst &inst : instructions) {
    std::vector<uint8_t> elf = m_elf;
    if (!llvm::StringRef(inst.mnemonic).starts_with("v_add") ||
        !exchangeOpcode(elf, offset, inst, **decoder))
      continue;
    ++tried;
    EXPECT_NE(run(elf), "") << inst.text;
  }
  EXPECT_GE(tried, 1u);
}

// Every wait is replaced by s_nop 0, one at a time. Those that nothing needed do no harm; the one
// before the loaded values are used must be named.
TEST_P(PlantedFaults, DroppedWaitIsCaught) {
  uint64_t offset = 0;
  std::vector<gcn::Inst> instructions;
  decodeCode(offset, instructions);
  unsigned caught = 0;
  for (const gcn::Inst &inst : instructions) {
    llvm::StringRef name = inst.mnemonic;
    if (!name.starts_with("s_waitcnt") && !name.starts_with("s_wait_"))
      continue;
    std::vector<uint8_t> elf = m_elf;
    llvm::support::endian::write32le(&elf[offset + inst.pc], 0xbf800000);
    std::string why = run(elf);
    if (llvm::StringRef(why).starts_with("WAIT-")) {
      ++caught;
      EXPECT_NE(why.find("v"), std::string::npos) << "names its register: " << why;
    }
  }
  EXPECT_GE(caught, 2u) << "the waits for the descriptors and for the loaded values";
}

// Where the bytes \p text are in \p elf, or npos.
static size_t findBytes(llvm::ArrayRef<uint8_t> elf, llvm::StringRef text) {
  return llvm::StringRef(reinterpret_cast<const char *>(elf.data()), elf.size()).find(text);
}

TEST_P(PlantedFaults, WrongUserDataMapEntryIsCaught) {
  size_t at = findBytes(m_elf, ".user_data_reg_map");
  ASSERT_NE(at, llvm::StringRef::npos);
  at += strlen(".user_data_reg_map");
  at += m_elf[at] == 0xdc ? 3 : 1; // array16 or fixarray
  unsigned tried = 0;
  for (unsigned element = 0; element < 16; ++element) {
    bool isEntry = m_elf[at] < 0x80; // A positive fixint: the number of a user data entry.
    if (isEntry) {
      std::vector<uint8_t> elf = m_elf;
      elf[at] = (elf[at] + 1) % 3; // Three entries: the push constant and two tables.
      ++tried;
      EXPECT_NE(run(elf), "") << "element " << element;
    }
    at += isEntry ? 1 : 5; // uint32 otherwise
  }
  EXPECT_GE(tried, 3u);
}

TEST_P(PlantedFaults, WrongExpectationIsCaught) {
  for (Command &command : m_case.commands)
    if (auto *expectation = std::get_if<Expectation>(&command))
      expectation->values.back() += 1;
  EXPECT_EQ(run(m_elf), "EXPECT");
}

TEST_P(PlantedFaults, TruncatedElfIsCaught) {
  for (size_t size = 0; size < m_elf.size(); size += 97) {
    std::vector<uint8_t> elf(m_elf.begin(), m_elf.begin() + size);
    auto findings = validateElf(elf, {});
    bool caught = !findings;
    if (!findings)
      takeError(findings.takeError());
    else
      for (const Finding &finding : *findings)
        caught |= finding.severity == Severity::Error;
    EXPECT_TRUE(caught) << size << " of " << m_elf.size() << " bytes";
  }
}

TEST_P(PlantedFaults, IntegerKeyInMetadataIsCaught) {
  size_t at = findBytes(m_elf, "\xa4.api");
  ASSERT_NE(at, llvm::StringRef::npos);
  const uint8_t integerKey[] = {0xce, 0, 0, 0, 5};
  std::copy(std::begin(integerKey), std::end(integerKey), m_elf.begin() + at);
  auto findings = validateElf(m_elf, {});
  ASSERT_TRUE(bool(findings));
  bool caught = false;
  for (const Finding &finding : *findings)
    caught |= llvm::StringRef(finding.rule).starts_with("MD-");
  EXPECT_TRUE(caught);
}

INSTANTIATE_TEST_SUITE_P(AllTargets, PlantedFaults,
                         testing::Values("gfx900", "gfx1030", "gfx1100", "gfx1201"));
