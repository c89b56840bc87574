// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every scalar instruction of every chip that is no arithmetic against its definition, and
// exchanged for every other one that takes the same operands: jumps, forks, ends, hardware
// registers, modes, EXEC, registers by index, barriers, messages.
#include "oracles/machine/gcn/EffectTesting.h"
#include "oracles/machine/gcn_alu/definitions/Definition.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;
using definitions::ScalarForm;

namespace {

constexpr unsigned DstAt = 16, SourceAt = 4, OtherAt = 6;
/// The first instruction of a bench's program: somewhere to jump to.
constexpr uint64_t CodeBase = 0x1000;

std::vector<World> makeWorlds(Chip chip, unsigned waveSize, unsigned) {
  std::vector<World> worlds;
  for (unsigned seed = 0; seed < 10; ++seed) {
    World world = randomWorld(chip, waveSize, seed, true);
    std::mt19937 random(seed);
    world.memory.bytes.clear();
    world.scratch.bytes.clear();
    world.entry = CodeBase;
    world.scc = seed % 2;
    world.mode = (seed % 8) << 29 | (random() & 0x1fff);
    world.waveNumber = seed * 7;
    world.waveCount = world.barrier.members = seed % 3 + 1;
    world.barrier.arrived = seed % (seed % 3 + 1);
    world.barrier.phase = 3;
    world.hasSignaled = seed % 4 == 1;
    world.awaitedPhase = seed % 8 == 1 ? 4 : 3;
    world.instructions = uint64_t(random()) << 8 | seed;
    world.scheduleMode = seed % 4;
    world.gprIndexMode = waveSize == 64 && world.gfx == 9 ? seed % 16 : 0;
    for (unsigned i = 1; i < world.named.size(); ++i) {
      definitions::Barrier &barrier = world.named[i];
      barrier.members = i % 5;
      barrier.arrived = i % 5 ? unsigned(random() % (i % 5)) : 0;
      barrier.isValid = i % 2;
      barrier.phase = unsigned(random() % 3);
    }
    world.joined = seed % 3 ? seed : 0;
    world.joinedPhase = world.named[world.joined].phase - (seed % 2);
    // EXEC, VCC and sources meet in all ways; registers that are jumped to lead to code.
    uint32_t masks[] = {0, ~0u, 0x12345678, 1, 0xf0f0f0f0};
    world.s[sreg::ExecLo] = masks[seed % 5];
    world.s[sreg::ExecLo + 1] = waveSize == 64 ? masks[seed / 2 % 5] : 0;
    world.s[sreg::VccLo] = masks[(seed * 3 + 1) % 5]; // Not 0 where EXEC is.
    world.s[sreg::VccLo + 1] = seed == 3 ? 0 : masks[seed / 3 % 3];
    world.s[sreg::M0] = seed % 4 == 3 ? 0x00030001 : seed % 3 * 2 | (seed % 5 == 4 ? 0x50000 : 0);
    if (seed % 2) {
      world.s[SourceAt] = seed % 4 == 1 ? CodeBase : masks[seed * 2 % 5];
      world.s[SourceAt + 1] = seed % 4 == 1 ? 0xabcd0000 : masks[seed % 5];
    } else if (seed % 4 == 0) {
      world.s[SourceAt] = seed / 4 * 120; // Registers to have.
    }
    world.s[OtherAt] = seed % 3 == 2 ? 3 : CodeBase;
    world.s[OtherAt + 1] = 0;
    for (unsigned depth = 0; depth < 8; ++depth) { // Of forks: where those who wait go on.
      if (depth * 4 + 2 != SourceAt && depth * 4 + 2 != OtherAt && depth) {
        world.s[depth * 4 + 2] = CodeBase;
        world.s[depth * 4 + 3] = 0;
      }
    }
    worlds.push_back(std::move(world));
  }
  return worlds;
}

/// Registers of an operand.
std::string scalars(unsigned first, unsigned count) {
  return registers('s', first, count);
}

using Forms = std::vector<EffectForm>;

Request makeRequest(uint32_t immediate = 0) {
  Request request;
  request.dst = DstAt;
  request.data0 = SourceAt;
  request.data1 = OtherAt;
  request.immediate = immediate;
  return request;
}

void addNumbers(Forms &forms, const std::string &front, const std::string &rest,
                ArrayRef<uint32_t> values) {
  for (uint32_t value : values)
    forms.push_back({front + std::to_string(value) + rest, makeRequest(value)});
}

/// Fields of hardware registers, whole and in part; \p write makes the text around "hwreg(...)".
void addRegisters(Forms &forms, function_ref<std::string(const std::string &, uint32_t &)> write) {
  struct Part {
    unsigned offset, width;
  };
  for (unsigned number = 0; number < 64; ++number)
    for (Part part : {Part{0, 32}, {4, 4}, {9, 23}}) {
      Request request = makeRequest();
      request.hwreg = number;
      request.hwregOffset = part.offset;
      request.hwregWidth = part.width;
      // The assembler's own words for a field; numbers may be of registers that are not there.
      uint32_t bits = number | part.offset << 6 | (part.width - 1) << 11;
      forms.push_back({write(std::to_string(bits), request.immediate), request});
    }
}

void addBarriers(Forms &forms, const std::string &front) {
  for (int number : {-1, 1, 2, 4, 5, 9}) {
    Request request = makeRequest(static_cast<uint32_t>(number));
    forms.push_back({front + std::to_string(number), request});
  }
  Request request = makeRequest();
  request.soffset = sreg::M0;
  forms.push_back({front + "m0", request});
}

constexpr uint32_t Back = 0xffff; ///< The instruction itself.

Forms writtenForms(const Effect &effect) {
  Forms forms;
  std::string dst = scalars(DstAt, std::max(effect.dst, 1u));
  std::string source = scalars(SourceAt, std::max(effect.data0, 1u));
  std::string other = scalars(OtherAt, std::max(effect.data1, 1u));
  switch (effect.scalar) {
  case ScalarForm::None:
    return {{"", makeRequest()}};
  case ScalarForm::Immediate:
    addNumbers(forms, "", "", {0, 1, 5, 0xffff});
    break;
  case ScalarForm::NullImmediate:
    addNumbers(forms, "null, ", "", {0, 1, 5, 0xffff});
    break;
  case ScalarForm::Branch:
    addNumbers(forms, "", "", {Back, 0});
    break;
  case ScalarForm::Dst:
    return {{dst, makeRequest()}};
  case ScalarForm::Source:
    return {{source, makeRequest()}};
  case ScalarForm::DstSource: {
    forms.push_back({dst + ", " + source, makeRequest()});
    Request inPlace = makeRequest();
    inPlace.dst = SourceAt;
    if (effect.dst == effect.data0)
      forms.push_back({source + ", " + source, inPlace});
    break;
  }
  case ScalarForm::DstBranch:
    addNumbers(forms, dst + ", ", "", {Back, 0});
    break;
  case ScalarForm::SourceBranch:
    addNumbers(forms, source + ", ", "", {Back, 0});
    break;
  case ScalarForm::SourceSource:
    return {{source + ", " + other, makeRequest()}};
  case ScalarForm::DstHwreg:
    addRegisters(forms, [&](const std::string &text, uint32_t &) { return dst + ", " + text; });
    break;
  case ScalarForm::HwregSource:
    addRegisters(forms, [&](const std::string &text, uint32_t &) { return text + ", " + source; });
    break;
  case ScalarForm::HwregLiteral:
    addRegisters(forms, [&](const std::string &text, uint32_t &immediate) {
      immediate = 0x12f4a596;
      return text + ", 0x12f4a596";
    });
    break;
  case ScalarForm::Message:
    for (uint32_t id = 0; id < 16; ++id)
      addNumbers(forms, "", "", {id});
    break;
  case ScalarForm::DstMessage:
    for (uint32_t id = 0x7f; id < 0x89; ++id)
      addNumbers(forms, dst + ", sendmsg(", ", 0, 0)", {id});
    break;
  case ScalarForm::SourceMode:
    addNumbers(forms, source + ", ", "", {0, 6, 9, 15});
    break;
  case ScalarForm::Mode:
    addNumbers(forms, "", "", {0, 6, 9, 15});
    break;
  case ScalarForm::Barrier:
    addBarriers(forms, "");
    break;
  case ScalarForm::DstBarrier:
    addBarriers(forms, dst + ", ");
    break;
  }
  return forms;
}

/// Ways in which instructions are one another, so that what they share is no oversight.
const char *sameControl(StringRef a, StringRef b) {
  auto areBoth = [&](ArrayRef<StringRef> names) {
    return is_contained(names, a) && is_contained(names, b);
  };
  if (areBoth({"s_endpgm", "s_endpgm_saved", "s_endpgm_ordered_ps_done"}))
    return "the wave ends; what else hardware does is nothing that code sees";
  if (areBoth({"s_trap", "s_sendmsghalt"}))
    return "the run ends; there is neither a trap handler nor a debugger";
  return nullptr;
}

EffectFamily controlFamily() {
  EffectFamily family;
  family.formats = {Format::Sop1, Format::Sop2, Format::Sopc, Format::Sopk, Format::Sopp};
  family.takes = [](StringRef name, Chip chip) {
    return !definitions::findDefinition(name, gfxMajorOf(chip));
  };
  family.find = definitions::controlEffect;
  family.forms = [](StringRef, const Effect &effect, Chip) { return writtenForms(effect); };
  family.worlds = makeWorlds;
  family.sameness = sameControl;
  return family;
}

} // namespace

TEST(ControlEffects, EveryRowDoesWhatItsDefinitionSaysAndNoOther) {
  checkEffects(controlFamily());
}
