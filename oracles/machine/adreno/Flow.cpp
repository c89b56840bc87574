// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executes categories 0 and 7. Mesa 25.0, ir3-cat0.xml and ir3-cat7.xml, and what ir3_legalize.c
// makes of branches.
#include "oracles/machine/adreno/Wave.h"

#include "oracles/machine/ir3_isa/Defect.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::adreno;

/// Where a branch leads: its offset counts instructions from itself.
static uint32_t targetOf(const Wave &wave, const Op &op) {
  return wave.pc() + uint32_t(op.inst.getSigned(Field::Immediate));
}

/// The active lanes whose predicate, which \p component and \p invert name, is true.
static LaneMask predicated(const Wave &wave, const Op &op, Field component, Field invert) {
  LaneMask mask = wave.predicates[op.inst.get(component)];
  return (op.inst.get(invert) && !hasDefect(Defect::InvertIgnored) ? ~mask : mask) & wave.active();
}
/// The active lanes that satisfy the first condition of a branch, inverted where the instruction
/// says so.
static LaneMask firstPredicate(const Wave &wave, const Op &op) {
  return predicated(wave, op, Field::Component1, Field::Invert1);
}
/// The same for the second condition of brao and braa.
static LaneMask secondPredicate(const Wave &wave, const Op &op) {
  return predicated(wave, op, Field::Component2, Field::Invert2);
}

/// Continues with the next instruction.
static void doNothing(Wave &wave, const Op &) {
  wave.advance();
}
/// The fibers here end.
static void end(Wave &wave, const Op &) {
  wave.endLanes();
}
/// All go; predication holds nobody back.
static void jump(Wave &wave, const Op &op) {
  wave.goTo(targetOf(wave, op));
}
/// br: active lanes with the predicate go.
static void branch(Wave &wave, const Op &op) {
  wave.split(firstPredicate(wave, op), targetOf(wave, op));
}
/// brao, braa: by two predicates.
static void branchOr(Wave &wave, const Op &op) {
  wave.split(firstPredicate(wave, op) | secondPredicate(wave, op), targetOf(wave, op));
}
/// Lanes with both predicates go.
static void branchAnd(Wave &wave, const Op &op) {
  wave.split(firstPredicate(wave, op) & secondPredicate(wave, op), targetOf(wave, op));
}
/// bany: all lanes go together, when one of them has the predicate.
static void branchAny(Wave &wave, const Op &op) {
  LaneMask wanted = hasDefect(Defect::AnyIsAll) ? wave.active() : 0;
  LaneMask lanes = firstPredicate(wave, op);
  wave.split((wanted ? lanes == wanted : lanes != 0) ? wave.here() : 0, targetOf(wave, op));
}
/// ball: all lanes go together, when all of them have the predicate.
static void branchAll(Wave &wave, const Op &op) {
  wave.split(firstPredicate(wave, op) == wave.active() ? wave.here() : 0, targetOf(wave, op));
}
/// All lanes but the first one jump.
static void getOne(Wave &wave, const Op &op) {
  if (!wave.active())
    return wave.goTo(targetOf(wave, op));
  LaneMask first = LaneMask(1) << firstLane(wave.active());
  if (hasDefect(Defect::GetOneLast))
    while (wave.active() >= first << 1 && first << 1)
      first <<= 1;
  wave.split(wave.here() & ~first, targetOf(wave, op));
}
/// All lanes of the first cluster of eight that has any jump, but the last of them.
static void getLast(Wave &wave, const Op &op) {
  unsigned cluster = firstLane(wave.here()) & ~7U;
  LaneMask lanes = wave.here() & (LaneMask(0xff) << cluster);
  unsigned last = cluster + 7;
  while (!hasLane(lanes, last))
    --last;
  wave.split(lanes & ~(LaneMask(1) << last), targetOf(wave, op));
}
/// predt, predf and prede: from now on.
static void predicateTrue(Wave &wave, const Op &) {
  wave.predicate(Wave::Predication::WhereTrue);
  wave.advance();
}
/// Lanes without the predicate execute what follows.
static void predicateFalse(Wave &wave, const Op &) {
  wave.predicate(hasDefect(Defect::ElseIsThen) ? Wave::Predication::WhereTrue
                                               : Wave::Predication::WhereFalse);
  wave.advance();
}
/// All lanes at the place execute again.
static void predicateEnd(Wave &wave, const Op &) {
  wave.endPredication();
  wave.advance();
}
/// The wave waits until its workgroup is there; lanes that are elsewhere would never come.
static void barrier(Wave &wave, const Op &) {
  if (wave.elsewhere())
    return wave.fail("a barrier at instruction " + Twine(wave.pc()) +
                     " that some fibers of the wave do not reach");
  wave.advance();
  if (!hasDefect(Defect::BarrierPasses))
    wave.status = simt::WaveStatus::AtBarrier;
}

/// Adds an entry to the table of textures; those of other scopes have no semantics.
static void addAlias(Wave &wave, const Op &op) {
  constexpr uint32_t Textures = 0;
  uint32_t scope = op.inst.get(Field::Scope);
  if (scope != Textures)
    return wave.fail("no semantics for '" + wave.program().textOf(wave.pc()) + "'",
                     /*isUnsupported=*/true);
  Wave::Alias alias;
  alias.number = op.dst;
  alias.half = op.inst.hasHalfSources();
  uint32_t bits = op.inst.get(Field::Src1);
  uint32_t kind = op.inst.get(Field::TableSource);
  alias.source.file = kind == 0   ? Operand::File::Gpr
                      : kind == 1 ? Operand::File::Const
                                  : Operand::File::Immediate;
  alias.source.number = kind < 2 ? uint16_t(bits & (kind == 0 ? 0xff : 0x7ff)) : 0;
  alias.source.value = bits;
  alias.source.half = alias.half;
  wave.aliases.push_back(alias);
  wave.advance();
}

// shps: each wave runs the preamble for its own const file, so that it falls through. Caches are
// coherent here.
static constexpr std::pair<StringLiteral, Handler> FlowHandlers[] = {
    {"nop", doNothing},       {"end", end},
    {"jump", jump},           {"br", branch},
    {"brao", branchOr},       {"braa", branchAnd},
    {"bany", branchAny},      {"ball", branchAll},
    {"getone", getOne},       {"getlast", getLast},
    {"shps", doNothing},      {"shpe", doNothing},
    {"predt", predicateTrue}, {"predf", predicateFalse},
    {"prede", predicateEnd},  {"bar", barrier},
    {"fence", doNothing},     {"sleep", doNothing},
    {"icinv", doNothing},     {"dccln", doNothing},
    {"dcinv", doNothing},     {"dcflu", doNothing},
    {"ccinv", doNothing},     {"alias", addAlias},
    {"lock", doNothing},      {"unlock", doNothing},
};

Handler adreno::findFlowHandler(StringRef name) {
  const auto *found = find_if(FlowHandlers, [&](const auto &entry) { return entry.first == name; });
  return found == std::end(FlowHandlers) ? nullptr : found->second;
}
