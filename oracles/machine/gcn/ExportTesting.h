// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For this folder's tests: exports as the machine records them (Events.h), in the terms of their
// definition (definitions/World.h), and how two of them differ.
#pragma once

#include "oracles/machine/gcn/Events.h"
#include "oracles/machine/gcn/definitions/World.h"
#include "llvm/ADT/StringExtras.h"
#include <string>

namespace assay::gcn {

inline std::string targetName(ExportPlace place) {
  std::string number = std::to_string(place.index);
  switch (place.target) {
  case ExportTarget::Color:
    return "mrt" + number;
  case ExportTarget::Depth:
    return "mrtz";
  case ExportTarget::Nothing:
    return "null";
  case ExportTarget::Position:
    return "pos" + number;
  case ExportTarget::Primitive:
    return "prim";
  case ExportTarget::DualSource:
    return "dual_src_blend" + number;
  case ExportTarget::Parameter:
    return "param" + number;
  }
  return "";
}

inline definitions::Export exportOf(const ExportRecord &record) {
  definitions::Export sent;
  sent.target = targetName(record.place);
  sent.isCompressed = record.isCompressed;
  sent.isDone = record.isDone;
  sent.lanes = record.exec;
  if (record.isValidMask)
    sent.validMask = record.exec;
  sent.row = record.row;
  for (unsigned i = 0; i < 4; ++i) {
    if (!(record.enabled >> i & 1))
      continue;
    definitions::Lanes &to = sent.components[i].emplace(record.values[i]);
    if (record.isCompressed)
      for (unsigned lane = 0; lane < to.size(); ++lane)
        to[lane] = record.values[i / 2][lane] >> (16 * (i % 2)) & 0xffff;
  }
  return sent;
}

/// Calls \p add(data, bytes) for all that counts of \p sent.
template <typename Add> void addExport(const definitions::Export &sent, Add add) {
  add(sent.target.data(), sent.target.size());
  uint64_t state[] = {sent.isCompressed,
                      sent.isDone,
                      sent.lanes,
                      sent.validMask.has_value(),
                      sent.validMask.value_or(0),
                      sent.row.has_value(),
                      sent.row.value_or(0)};
  add(state, sizeof state);
  for (const std::optional<definitions::Lanes> &values : sent.components) {
    uint64_t isEnabled = values.has_value();
    add(&isEnabled, sizeof isEnabled);
    if (values)
      add(values->data(), sizeof *values);
  }
}

/// Where \p got is not \p wanted, in words; "" where they agree.
inline std::string exportDifference(const definitions::Export &got,
                                    const definitions::Export &wanted) {
  if (got.target != wanted.target)
    return "the export goes to " + got.target + ", not to " + wanted.target;
  if (got.isCompressed != wanted.isCompressed || got.isDone != wanted.isDone ||
      got.validMask != wanted.validMask)
    return "the export has other flags";
  if (got.row != wanted.row)
    return "the export has another row";
  if (got.lanes != wanted.lanes)
    return "other lanes export: 0x" + llvm::utohexstr(got.lanes) + ", not 0x" +
           llvm::utohexstr(wanted.lanes);
  for (unsigned i = 0; i < 4; ++i) {
    std::string component = "component " + std::to_string(i) + " of the export";
    if (got.components[i].has_value() != wanted.components[i].has_value())
      return component + (got.components[i] ? " is enabled" : " is not enabled");
    for (unsigned lane = 0; got.components[i] && lane < 64; ++lane) {
      uint32_t a = (*got.components[i])[lane], b = (*wanted.components[i])[lane];
      if (a != b)
        return component + ", lane " + std::to_string(lane) + ", is 0x" + llvm::utohexstr(a) +
               ", not 0x" + llvm::utohexstr(b);
    }
  }
  return "";
}

} // namespace assay::gcn
