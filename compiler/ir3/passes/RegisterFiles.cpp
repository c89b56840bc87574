// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir3/passes/RegisterFiles.h"

using namespace llvm;

namespace assay::ir3 {

unsigned unitsOf(const Program &program, RegisterClass registerClass) {
  return registerClass == RegisterClass::Full && program.compiler().mergedRegisters ? 2 : 1;
}

/// All registers are free at first.
RegisterFiles::RegisterFiles(const Program &program, ArrayRef<LiveRange> ranges, unsigned vectors)
    : m_program(program), m_ranges(ranges), m_vectors(vectors) {
  unsigned scalars = 4 * vectors;
  bool isMerged = program.compiler().mergedRegisters;
  m_full.units.resize(isMerged ? 2 * scalars : scalars);
  m_half.units.resize(isMerged ? 0 : scalars);
  m_shared.units.resize(reg::SharedEnd - reg::Shared);
  m_predicate.units.resize(program.compiler().predicates);
  m_address.units.resize(1);
  m_address1.units.resize(1);
}

/// The file, numbering and size that registers of a class have. Half registers are in the full file
/// where the files are merged.
RegisterFiles::Shape RegisterFiles::shapeOf(RegisterClass registerClass) {
  unsigned scalars = 4 * m_vectors;
  bool isMerged = m_program.compiler().mergedRegisters;
  switch (registerClass) {
  case RegisterClass::Full:
    return {&m_full, isMerged ? 2U : 1U, 0, scalars};
  case RegisterClass::Half:
    // hr47.w is the last that has a number.
    return isMerged ? Shape{&m_full, 1, 0, std::min(2 * scalars, unsigned(reg::Shared))}
                    : Shape{&m_half, 1, 0, scalars};
  case RegisterClass::Shared:
    return {&m_shared, 1, reg::Shared, reg::SharedEnd - reg::Shared};
  case RegisterClass::Predicate:
    return {&m_predicate, 1, reg::Predicate, m_program.compiler().predicates};
  case RegisterClass::Address:
    return {&m_address, 1, reg::Address, 1};
  case RegisterClass::Address1:
    return {&m_address1, 1, reg::Address1, 1};
  }
  return {};
}

/// Whether \p unit has no segment that overlaps \p range.
bool RegisterFiles::isFree(const File &file, unsigned unit, const LiveRange &range) {
  const std::vector<LiveSegment> &taken = file.units[unit];
  for (const LiveSegment &segment : range.segments()) {
    auto next = partition_point(
        taken, [&](const LiveSegment &other) { return other.end <= segment.begin; });
    if (next != taken.end() && next->begin < segment.end)
      return false;
  }
  return true;
}

/// Adds the segments of \p range to \p unit, which must be free then.
void RegisterFiles::take(File &file, unsigned unit, const LiveRange &range) {
  std::vector<LiveSegment> &taken = file.units[unit];
  for (const LiveSegment &segment : range.segments()) {
    auto next = partition_point(
        taken, [&](const LiveSegment &other) { return other.begin < segment.begin; });
    taken.insert(next, segment);
  }
  file.used = std::max(file.used, unit + 1);
}

std::vector<LiveRange> RegisterFiles::slotsOf(const MergeSet &set) const {
  std::vector<LiveRange> slots(set.size);
  for (const MergeSet::Member &member : set.members) {
    for (unsigned i = 0; i < member.size; ++i)
      slots[member.offset + i].add(m_ranges[member.value]);
  }
  for (LiveRange &slot : slots)
    slot.normalize();
  return slots;
}

/// In the order in which to try them.
std::vector<unsigned> RegisterFiles::basesFor(const MergeSet &set, const Shape &shape) const {
  constexpr unsigned Window = 32;
  std::vector<unsigned> bases;
  unsigned end = shape.count - set.size + 1;
  if (set.fixedBase) {
    unsigned base = *set.fixedBase - shape.first;
    return base < end ? std::vector<unsigned>{base} : bases;
  }
  if (set.registerClass == RegisterClass::Full && set.size < Window) {
    unsigned count = std::min(Window - set.size + 1, end);
    for (unsigned i = 0; i < count; ++i)
      bases.push_back((m_next + i) % count);
  }
  for (unsigned base = 0; base < end; ++base)
    bases.push_back(base);
  return bases;
}

/// Tries bases in the order of basesFor(), and takes the first one at which every scalar of the set
/// is free while it is live.
std::optional<unsigned> RegisterFiles::place(const MergeSet &set) {
  Shape shape = shapeOf(set.registerClass);
  std::vector<LiveRange> slots = slotsOf(set);
  if (set.size > shape.count)
    return std::nullopt;
  for (unsigned base : basesFor(set, shape)) {
    bool fits = true;
    for (unsigned i = 0; i < set.size && fits; ++i)
      for (unsigned unit = 0; unit < shape.stride && fits; ++unit)
        fits = isFree(*shape.file, (base + i) * shape.stride + unit, slots[i]);
    if (!fits)
      continue;
    for (unsigned i = 0; i < set.size; ++i)
      for (unsigned unit = 0; unit < shape.stride; ++unit)
        take(*shape.file, (base + i) * shape.stride + unit, slots[i]);
    if (set.registerClass == RegisterClass::Full && !set.fixedBase)
      m_next = base + set.size;
    return shape.first + base;
  }
  return std::nullopt;
}

unsigned RegisterFiles::fullVectors() const {
  unsigned stride = m_program.compiler().mergedRegisters ? 8 : 4;
  return (m_full.used + stride - 1) / stride;
}

unsigned RegisterFiles::halfVectors() const {
  return (m_half.used + 3) / 4;
}

} // namespace assay::ir3
