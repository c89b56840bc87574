// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where turnip is installed: a source is legal for the compiler's oracle where Mesa's assembler
// accepts it, for each opcode of arithmetic, place and kind of operand; differences have names.
#include "compiler/ir3/ir/Legality.h"
#include "compiler/ir3/isa/AssemblyText.h"
#include "compiler/ir3/passes/Emit.h"
#include "harness/peer/turnip/TurnipPeer.h"
#include "oracles/machine/ir3_isa/Codec.h"
#include "support/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <map>

using namespace llvm;

namespace assay::ir3 {

namespace {

/// What a source can be: a register or a number, with modifiers.
struct Kind {
  StringLiteral name;
  Register (*make)(bool half, bool isFloat);
  uint32_t modifiers = 0;
};

/// An opcode with one source of some kind; the others are registers.
struct Sample {
  Instruction inst;
  unsigned index = 0;
  const Kind *kind = nullptr;
  bool isLegal = false; ///< As the oracle says.
  std::string text;
  std::optional<uint64_t> word; ///< As encoded and decoded.
  std::optional<uint64_t> mesa; ///< As Mesa assembles it.
};

/// Why the oracle refuses what the assembler accepts, or, where \p isLegal, the reverse.
struct Exception {
  StringLiteral what;
  bool isLegal;
  bool (*covers)(const Sample &sample);
};

class Ir3Legality : public testing::TestWithParam<const char *> {};

} // namespace

static Register makeRegister(bool half, bool) {
  return Register::physical(9, half);
}
static Register makeConstant(bool half, bool) {
  return Register::constant(6, half);
}
static Register makeRelativeRegister(bool half, bool) {
  Register source = Register::array(0, 0, /*isRelative=*/true, half);
  source.value = 3;
  return source;
}
static Register makeRelativeConstant(bool half, bool) {
  return Register::relativeConst(3, half);
}
/// 1, or 1.0.
static Register makeNumber(bool half, bool isFloat) {
  return Register::immediate(!isFloat ? 1 : half ? 0x3c00 : 0x3f800000, half);
}

static constexpr uint32_t Negate = registerflag::Negate, Absolute = registerflag::Absolute;
static constexpr Kind kinds[] = {
    {"register", makeRegister},
    {"(neg)register", makeRegister, Negate},
    {"(abs)register", makeRegister, Absolute},
    {"(neg)(abs)register", makeRegister, Negate | Absolute},
    {"constant", makeConstant},
    {"(neg)constant", makeConstant, Negate},
    {"(abs)constant", makeConstant, Absolute},
    {"(neg)(abs)constant", makeConstant, Negate | Absolute},
    {"relative register", makeRelativeRegister},
    {"(neg)relative register", makeRelativeRegister, Negate},
    {"relative constant", makeRelativeConstant},
    {"(neg)relative constant", makeRelativeConstant, Negate},
    {"number", makeNumber},
    {"(neg)number", makeNumber, Negate},
};

/// The word of \p sample; nothing where the encoder refuses it, or where the decoder of the oracles
/// does not read it as its opcode.
static std::optional<uint64_t> encodeSample(const Sample &sample, const Compiler &compiler,
                                            adreno::Chip chip) {
  Expected<uint64_t> word = encode(machineInstruction(sample.inst), compiler);
  if (!word) {
    consumeError(word.takeError());
    return std::nullopt;
  }
  adreno::Inst read = adreno::decode(*word, chip);
  if (!read.isValid() || read.strayBits() || read.name() != sample.inst.info().name)
    return std::nullopt;
  Expected<adreno::Inst> again = adreno::parse(adreno::print(read), chip);
  if (!again) {
    consumeError(again.takeError());
    return std::nullopt;
  }
  return again->word() == *word ? std::optional(*word) : std::nullopt;
}

/// Asks Mesa's assembler about \p samples, \p batch in one text; of a text that it refuses, about
/// each line alone. Fills in their words.
static Error assembleSamples(const turnip::TurnipPeer &peer, ArrayRef<Sample *> samples,
                             size_t batch) {
  std::vector<std::string> texts;
  for (size_t at = 0; at < samples.size(); at += batch) {
    std::string &text = texts.emplace_back();
    for (const Sample *sample : samples.slice(at, std::min(batch, samples.size() - at)))
      text += sample->text;
  }
  Expected<std::vector<turnip::Assembled>> results = peer.assemble(texts);
  if (!results)
    return results.takeError();
  std::vector<Sample *> again;
  for (auto [index, result] : enumerate(*results)) {
    ArrayRef<Sample *> lines =
        samples.slice(index * batch, std::min(batch, samples.size() - index * batch));
    if (!result.failure.empty() && batch > 1)
      append_range(again, lines);
    if (!result.failure.empty())
      continue;
    for (auto [line, sample] : enumerate(lines))
      sample->mesa = result.code[line];
  }
  return again.empty() ? Error::success() : assembleSamples(peer, again, /*batch=*/1);
}

/// All sources of all opcodes of categories 1 to 4, in both widths.
static std::vector<Sample> makeSamples(const Compiler &compiler) {
  std::vector<Sample> samples;
  for (unsigned number = 0; number < unsigned(Opcode::Count); ++number) {
    const OpcodeInfo &info = infoOf(Opcode(number));
    bool isArithmetic = info.category >= 1 && info.category <= 4 && info.sources;
    if (!isArithmetic || !info.isOn(compiler.generation) || info.format == Format::Swap)
      continue;
    for (bool half : {false, true}) {
      if (info.has(half ? property::FullSources : property::HalfSources))
        continue;
      for (unsigned index = 0; index < info.sources; ++index)
        for (const Kind &kind : kinds) {
          Sample sample;
          sample.index = index;
          sample.kind = &kind;
          Instruction &inst = sample.inst;
          inst.opcode = Opcode(number);
          inst.fields.type = inst.fields.sourceType = half ? U16 : U32;
          inst.registers.push_back(Register::physical(20, half));
          for (unsigned i = 0; i < info.sources; ++i)
            inst.registers.push_back(Register::physical(4 + i, half));
          Register &source = inst.registers[index + 1];
          source = kind.make(half, info.has(property::Float)).with(kind.modifiers);
          sample.isLegal = isLegalSource(inst, index, source);
          sample.text = printAssembly(machineInstruction(inst), compiler) + "\n";
          samples.push_back(std::move(sample));
        }
    }
  }
  return samples;
}

static constexpr Exception exceptions[] = {
    {"moves read elements of arrays, for everything else", false,
     [](const Sample &sample) { return sample.inst.registers[sample.index + 1].isArray(); }},
    {"special functions read registers (Mesa 25.0, ir3.c, ir3_valid_flags)", false,
     [](const Sample &sample) { return sample.inst.info().category == 4; }},
    {"integers have no modifiers that arithmetic is known to apply", false,
     [](const Sample &sample) {
       return sample.kind->modifiers && !sample.inst.info().has(property::Float);
     }},
    {"another number needs no (neg)", false,
     [](const Sample &sample) {
       return sample.kind->modifiers && sample.inst.registers[sample.index + 1].isImmediate();
     }},
    {"sel copies bits", false,
     [](const Sample &sample) {
       return sample.inst.opcode == Opcode::SelF16 || sample.inst.opcode == Opcode::SelF32;
     }},
    {"category 3 has no bit for (abs), which the assembler drops", false,
     [](const Sample &sample) {
       return sample.inst.info().category == 3 && sample.kind->modifiers & Absolute;
     }},
    {"the second source of category 3 has no bit for constants, which the assembler drops", false,
     [](const Sample &sample) {
       return sample.inst.info().category == 3 && sample.index == 1 &&
              sample.inst.registers[2].isConst();
     }},
    {"shb and msad: the assembler makes a float of the table of an integer", true,
     [](const Sample &sample) {
       return sample.inst.opcode == Opcode::Shb || sample.inst.opcode == Opcode::Msad;
     }},
};

static const Exception *exceptionOf(const Sample &sample) {
  const auto *found = find_if(exceptions, [&](const Exception &each) {
    return each.isLegal == sample.isLegal && each.covers(sample);
  });
  return found != std::end(exceptions) ? found : nullptr;
}

/// One in how many operands that the encoder refuses is shown to Mesa's assembler: each is a
/// process of its own.
static size_t stride() {
  const char *scale = getenv("ASSAY_SCALE");
  return scale && StringRef(scale) == "full" ? 1 : 60;
}

TEST_P(Ir3Legality, Row14LegalIsWhatMesaAssembles) {
  Expected<turnip::TurnipPeer> peer = turnip::TurnipPeer::create(GetParam());
  if (!peer)
    GTEST_SKIP() << takeError(peer.takeError()).message;
  const Compiler &compiler = *findCompiler(GetParam());
  adreno::Chip chip = *adreno::findChip(GetParam());
  std::vector<Sample> samples = makeSamples(compiler);
  std::vector<Sample *> encoded, refused;
  size_t skipped = 0;
  for (Sample &sample : samples) {
    sample.word = encodeSample(sample, compiler, chip);
    if (sample.word)
      encoded.push_back(&sample);
    else if (skipped++ % stride() == 0)
      refused.push_back(&sample);
  }
  ASSERT_FALSE(errorToBool(assembleSamples(*peer, encoded, /*batch=*/100)));
  ASSERT_FALSE(errorToBool(assembleSamples(*peer, refused, /*batch=*/1)));
  std::map<const Exception *, unsigned> used;
  unsigned legal = 0;
  for (const Sample &sample : samples) {
    bool isAccepted = sample.word && sample.word == sample.mesa;
    legal += sample.isLegal;
    if (sample.isLegal == isAccepted && (sample.word || !sample.mesa))
      continue;
    const Exception *exception = exceptionOf(sample);
    if (exception)
      ++used[exception];
    else
      ADD_FAILURE() << sample.inst.info().name.str() << " source " << sample.index << ", "
                    << sample.kind->name.str() << (sample.isLegal ? " is legal" : " is illegal")
                    << ": " << sample.text << "encoded " << sample.word.has_value()
                    << ", assembled " << sample.mesa.has_value();
  }
  outs() << GetParam() << ": " << samples.size() << " operands, " << legal << " legal, "
         << encoded.size() << " encoded, of the others " << refused.size() << " assembled\n";
  for (const Exception &exception : exceptions) {
    EXPECT_TRUE(used[&exception] || stride() > 1) << exception.what.str() << " is not needed";
    outs() << "  " << used[&exception] << (exception.isLegal ? " are legal" : " are illegal")
           << " all the same: " << exception.what << "\n";
  }
}

INSTANTIATE_TEST_SUITE_P(Chips, Ir3Legality, testing::Values("a630", "a660", "a740"),
                         [](const auto &info) { return std::string(info.param); });

} // namespace assay::ir3
