// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// That no instruction is forgotten: every row of every table of every chip has a definition that
// its handler is held to, and an exchange of handlers is noticed. Most are in the two folders
// `definitions`; those of operations that look at other lanes, at attributes or at matrices stand
// in tests of their own.
#include "oracles/machine/gcn/EffectTesting.h"
#include "oracles/machine/gcn_alu/definitions/Definition.h"
#include "llvm/Support/Regex.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

struct OtherTest {
  const char *pattern; ///< Of mnemonics.
  const char *place;   ///< Or why there is none.
};
constexpr OtherTest OtherTests[] = {
    {"v_(permlane|permlanex)(16|64)_.*", "CrossLaneTest.cpp"},
    {"v_(readlane|readfirstlane|writelane|mqsad_u32)_.*", "CrossLaneTest.cpp"},
    {"v_(movrel|swap|swaprel).*", "CrossLaneTest.cpp"},
    {"v_(wmma|swmmac)_.*", "MatrixTest.cpp"},
    {"v_nop|v_pipeflush|v_clrexcp", "nothing that code can see"},
    {"v_illegal", "traps, as what is no instruction does"},
    {"v_screen_partition_4se_b32|image_gather4h|ds_bvh_stack_.*|global_load_tr_.*|"
     "image_bvh8_.*|image_bvh_dual_.*",
     "no semantics: docs/gcn-machine.md"},
};

bool hasOtherTest(StringRef name) {
  return any_of(OtherTests, [&](const OtherTest &each) {
    return Regex("^(" + std::string(each.pattern) + ")$").match(name);
  });
}

bool hasDefinition(const InstForm &form, Chip chip) {
  StringRef name = form.name;
  switch (form.layout->format) {
  case Format::Smem:
    return definitions::scalarMemoryEffect(name).has_value();
  case Format::Ds:
    return definitions::shareEffect(name).has_value();
  case Format::Flat:
  case Format::Global:
  case Format::Scratch:
    return definitions::flatEffect(name).has_value();
  case Format::Mubuf:
  case Format::Mtbuf:
  case Format::Vbuffer:
  case Format::Vtbuffer:
    return definitions::bufferEffect(name).has_value();
  case Format::Mimg:
  case Format::Vimage:
  case Format::Vsample:
    return definitions::imageEffect(name) || definitions::rayEffect(name);
  case Format::Exp:
    return definitions::exportEffect(name).has_value();
  default:
    return definitions::findDefinition(name, gfxMajorOf(chip)) ||
           definitions::controlEffect(name) || definitions::interpolationEffect(name);
  }
}

} // namespace

TEST(DefinitionLedger, EveryRowHasADefinition) {
  for (unsigned index = 0; index < ChipCount; ++index) {
    auto chip = static_cast<Chip>(index);
    for (const InstForm *form : IsaTable::get(chip).forms())
      EXPECT_TRUE(hasDefinition(*form, chip) || hasOtherTest(form->name))
          << form->name.str() << " on " << chipName(chip).str();
  }
}
