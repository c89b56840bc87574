// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/input/pipe/PipeSpecialization.h"

#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::input;

/// Reads one setting; \p key is the part after "specConst.". Entries may come in any order.
Error PipeSpecialization::read(StringRef key, StringRef value) {
  static constexpr std::pair<StringRef, ScalarKind> kinds[] = {
      {"uintData", ScalarKind::Uint32},   {"intData", ScalarKind::Int32},
      {"floatData", ScalarKind::Float32}, {"doubleData", ScalarKind::Float64},
      {"uint64Data", ScalarKind::Uint64}, {"int64Data", ScalarKind::Int64}};
  for (const auto &[name, kind] : kinds)
    if (name == key)
      return readData(kind, value);
  if (!key.consume_front("mapEntry["))
    return invalidInput("unknown setting 'specConst." + key.take_front(40) + "'");
  auto [index, member] = key.split("].");
  Expected<uint64_t> place = parseUnsigned(index, 0xffff, "an index");
  if (!place)
    return place.takeError();
  Expected<uint64_t> written = parseUnsigned(value, ~0u, member);
  if (!written)
    return written.takeError();
  Entry &entry = m_entries[*place];
  if (member == "constantID")
    entry.id = *written;
  else if (member == "offset")
    entry.offset = *written;
  else if (member == "size")
    entry.size = *written;
  else
    return invalidInput("unknown member '" + member.take_front(40) + "' of an entry");
  return Error::success();
}

/// Appends the values, with commas between them, to the bytes of the constants.
Error PipeSpecialization::readData(ScalarKind kind, StringRef values) {
  while (!values.empty()) {
    auto [value, rest] = values.split(',');
    values = rest.trim();
    Expected<uint64_t> bits = parseInRange(value.trim(), kind);
    if (!bits)
      return bits.takeError();
    size_t end = m_data.size();
    m_data.resize(end + scalarBytes(kind));
    storeScalar(m_data, end, kind, *bits);
  }
  return Error::success();
}

/// Returns the values in the order of the entries. An entry has 4 bytes at offset 0 unless it says
/// otherwise. InvalidInput for entries without id, outside of the data, or with an id twice.
Expected<std::vector<SpecializationValue>> PipeSpecialization::finish() const {
  std::vector<SpecializationValue> values;
  for (const auto &[index, entry] : m_entries) {
    uint64_t size = entry.size.value_or(4);
    uint64_t offset = entry.offset.value_or(0);
    if (!entry.id || size == 0 || size > 8 || offset > m_data.size() ||
        size > m_data.size() - offset)
      return invalidInput("specConst.mapEntry[" + Twine(index) +
                          "] lacks an id, or lies outside the data");
    SpecializationValue value{static_cast<uint32_t>(*entry.id), 0};
    for (uint64_t i = 0; i < size; ++i)
      value.bits |= uint64_t(m_data[offset + i]) << (8 * i);
    if (any_of(values, [&](const SpecializationValue &one) { return one.id == value.id; }))
      return invalidInput("specConst: constant " + Twine(value.id) + " is specialized twice");
    values.push_back(value);
  }
  return values;
}
