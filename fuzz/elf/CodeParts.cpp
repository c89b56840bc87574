// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/elf/CodeParts.h"

#include "fuzz/code/CodeMutation.h"
#include "oracles/machine/gcn_isa/TableDecoder.h"
#include "oracles/pal_elf/ElfView.h"
#include "oracles/pal_elf/Machines.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::fuzz;

/// Longer functions are not mutated.
static constexpr uint64_t MaxFunctionBytes = 1 << 16;

namespace {
/// A function's bytes, within the contents of its section.
struct FunctionPlace {
  size_t section; ///< Index into ElfParts::sections.
  uint64_t begin;
  uint64_t size;
};
/// Instructions, within a function.
struct InstRange {
  uint64_t begin;
  uint64_t size;
};
} // namespace

/// Lists the function symbols with code inside their section, in the order of the symbol tables.
/// Sizes are rounded down to dwords.
static std::vector<FunctionPlace> findFunctions(const ElfParts &parts) {
  std::vector<FunctionPlace> places;
  for (const SectionPart &table : parts.sections) {
    if (table.type() != elf::ShtSymtab)
      continue;
    ArrayRef<uint8_t> rest = table.contents;
    for (; rest.size() >= SymbolBytes; rest = rest.drop_front(SymbolBytes)) {
      uint64_t section = getField(rest, symbol_field::Section);
      uint64_t value = getField(rest, symbol_field::Value);
      uint64_t size = getField(rest, symbol_field::Size) & ~uint64_t(3);
      if ((getField(rest, symbol_field::Info) & 15) != elf::SttFunc || size == 0 ||
          size > MaxFunctionBytes || section >= parts.sections.size())
        continue;
      const Bytes &code = parts.sections[section].contents;
      if (value <= code.size() && size <= code.size() - value)
        places.push_back({static_cast<size_t>(section), value, size});
    }
  }
  return places;
}

/// The chip of the file, or one with the same generation, or any.
static gcn::Chip chipOf(const ElfParts &parts) {
  const ElfMachine *machine =
      findElfMachine(static_cast<uint8_t>(getField(parts.header, header_field::Flags)));
  static constexpr gcn::Chip ByMajor[] = {gcn::Chip::Gfx900, gcn::Chip::Gfx1030, gcn::Chip::Gfx1100,
                                          gcn::Chip::Gfx1201};
  if (!machine)
    return gcn::Chip::Gfx1100;
  return gcn::findChip(machine->name).value_or(ByMajor[(machine->major - 9) % 4]);
}

/// Returns one random instruction as little-endian bytes.
static Bytes randomCode(gcn::Chip chip, Random &random) {
  Bytes bytes;
  for (uint32_t word : randomInst(chip, random.next()))
    for (unsigned i = 0; i < 4; ++i)
      bytes.push_back(static_cast<uint8_t>(word >> 8 * i));
  return bytes;
}

/// An instruction, or the end of the function, which has none.
static InstRange pickInst(ArrayRef<uint8_t> code, gcn::Chip chip, Random &random) {
  std::vector<gcn::Inst> insts =
      gcn::TableDecoder(chip, /*waveSize=*/64).decodeRange(code, 0, code.size());
  size_t which = random.below(insts.size() + 1);
  if (which == insts.size())
    return {code.size(), 0};
  return {insts[which].pc, insts[which].size};
}

/// Symbols of \p section after \p at move by \p delta; those around it become as much longer.
static void moveSymbols(ElfParts &parts, size_t section, uint64_t at, int64_t delta) {
  for (SectionPart &table : parts.sections) {
    if (table.type() != elf::ShtSymtab)
      continue;
    MutableArrayRef<uint8_t> rest = table.contents;
    for (; rest.size() >= SymbolBytes; rest = rest.drop_front(SymbolBytes)) {
      uint64_t value = getField(rest, symbol_field::Value);
      uint64_t size = getField(rest, symbol_field::Size);
      if (getField(rest, symbol_field::Section) != section)
        continue;
      if (value > at)
        setField(rest, symbol_field::Value, value + static_cast<uint64_t>(delta));
      else if (at - value < size)
        setField(rest, symbol_field::Size, size + static_cast<uint64_t>(delta));
    }
  }
}

/// \p code in the place of \p old. Functions after it keep their places when what is between
/// (padding) has room for that.
static void replaceCode(ElfParts &parts, const FunctionPlace &place, InstRange old,
                        ArrayRef<uint8_t> code) {
  Bytes &contents = parts.sections[place.section].contents;
  uint64_t end = place.begin + place.size;
  uint64_t next = contents.size();
  for (const FunctionPlace &other : findFunctions(parts))
    if (other.section == place.section && other.begin >= end)
      next = std::min(next, other.begin);
  auto at = contents.begin() + static_cast<ptrdiff_t>(place.begin + old.begin);
  at = contents.erase(at, at + static_cast<ptrdiff_t>(old.size));
  contents.insert(at, code.begin(), code.end());
  int64_t delta = static_cast<int64_t>(code.size()) - static_cast<int64_t>(old.size);
  if (next == contents.size() - static_cast<uint64_t>(delta) || delta > int64_t(next - end)) {
    moveSymbols(parts, place.section, place.begin, delta);
    return;
  }
  // Padding gives or takes the difference, so that alignment holds.
  auto gap = contents.begin() + static_cast<ptrdiff_t>(end) + delta;
  if (delta > 0)
    contents.erase(gap, gap + delta);
  else
    contents.insert(gap, static_cast<size_t>(-delta), 0);
  for (SectionPart &table : parts.sections) {
    MutableArrayRef<uint8_t> rest = table.contents;
    for (; table.type() == elf::ShtSymtab && rest.size() >= SymbolBytes;
         rest = rest.drop_front(SymbolBytes))
      if (getField(rest, symbol_field::Section) == place.section &&
          getField(rest, symbol_field::Value) == place.begin &&
          getField(rest, symbol_field::Size) != 0)
        setField(rest, symbol_field::Size, place.size + static_cast<uint64_t>(delta));
  }
}

bool fuzz::mutateFunction(ElfParts &parts, Random &random) {
  std::vector<FunctionPlace> places = findFunctions(parts);
  if (places.empty())
    return false;
  const FunctionPlace &place = places[random.below(places.size())];
  gcn::Chip chip = chipOf(parts);
  MutableArrayRef<uint8_t> code = parts.sections[place.section].contents;
  code = code.slice(place.begin, place.size);
  InstRange range = pickInst(code, chip, random);
  size_t kind = random.below(8);
  if (kind < 2 && range.size) {
    code[range.begin + random.below(range.size)] ^= static_cast<uint8_t>(1u << random.below(8));
    return true;
  }
  if (kind == 2) {
    replaceCode(parts, place, range, {});
    return true;
  }
  Bytes inst = randomCode(chip, random);
  replaceCode(parts, place, kind < 5 ? range : InstRange{range.begin, 0}, inst);
  return true;
}

bool fuzz::mixFunctions(ElfParts &into, const ElfParts &from, Random &random) {
  std::vector<FunctionPlace> places = findFunctions(into);
  std::vector<FunctionPlace> others = findFunctions(from);
  if (places.empty() || others.empty())
    return false;
  const FunctionPlace &place = places[random.below(places.size())];
  const FunctionPlace &other = others[random.below(others.size())];
  ArrayRef<uint8_t> code = from.sections[other.section].contents;
  code = code.slice(other.begin, other.size);
  InstRange first = pickInst(code, chipOf(from), random);
  code = code.drop_front(first.begin);
  code = code.take_front(4 * (1 + random.below(16)));
  ArrayRef<uint8_t> old = into.sections[place.section].contents;
  InstRange at = pickInst(old.slice(place.begin, place.size), chipOf(into), random);
  Bytes copied = code.vec();
  replaceCode(into, place, {at.begin, 0}, copied);
  return true;
}
