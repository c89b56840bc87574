// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Source: AMD's ISA manuals, "DPP" chapters.
#include "oracles/machine/gcn/alu/Dpp.h"

using namespace assay;
using namespace assay::gcn;

/// The lane number \p inRow of the lane's row of 16; -1 outside of it.
static int withinRow(unsigned lane, int inRow) {
  return inRow < 0 || inRow > 15 ? -1 : int(lane & ~15u) + inRow;
}

/// row_bcast:15 reads the last lane of the preceding row, row_bcast:31 lane 31; -1 where there is
/// none.
static int broadcastLane(unsigned lane, unsigned which) {
  if (which == 15)
    return lane < 16 ? -1 : int((lane & ~15u) - 1);
  return lane < 32 ? -1 : 31;
}

/// The lane that \p lane reads, or -1. Whether it is active is not looked at.
int gcn::dppSourceLane(const Modifiers &mods, unsigned lane, unsigned waveSize) {
  int inRow = int(lane & 15);
  int value = mods.dppValue;
  unsigned last = waveSize - 1;
  switch (mods.dpp) {
  case DppControl::None:
    return int(lane);
  case DppControl::QuadPerm:
    return int((lane & ~3u) | ((mods.dppValue >> (2 * (lane & 3))) & 3));
  case DppControl::RowShl:
    return withinRow(lane, inRow + value);
  case DppControl::RowShr:
    return withinRow(lane, inRow - value);
  case DppControl::RowRor:
    return withinRow(lane, (inRow - value) & 15);
  case DppControl::WaveShl:
    return lane == last ? -1 : int(lane + 1);
  case DppControl::WaveRol:
    return int((lane + 1) & last);
  case DppControl::WaveShr:
    return lane == 0 ? -1 : int(lane - 1);
  case DppControl::WaveRor:
    return int((lane - 1) & last);
  case DppControl::RowMirror:
    return withinRow(lane, 15 - inRow);
  case DppControl::RowHalfMirror:
    return int((lane & ~7u) | (7 - (lane & 7)));
  case DppControl::RowBcast:
    return broadcastLane(lane, mods.dppValue);
  case DppControl::RowShare:
    return withinRow(lane, value);
  case DppControl::RowXmask:
    return withinRow(lane, inRow ^ value);
  case DppControl::Lanes8:
    return int((lane & ~7u) | mods.dppLanes[lane & 7]);
  }
  return -1;
}

/// row_mask has a bit for each row of 16 lanes, bank_mask one for each four lanes of a row.
bool gcn::dppLaneEnabled(const Modifiers &mods, unsigned lane) {
  return (mods.rowMask >> (lane / 16)) & 1 && (mods.bankMask >> (lane % 16 / 4)) & 1;
}
