// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/pal_elf/Machines.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

static constexpr ElfMachine Machines[] = {
    {0x2c, "gfx900", 9, true, false},    {0x2d, "gfx902", 9, true, false},
    {0x2e, "gfx904", 9, true, false},    {0x2f, "gfx906", 9, true, true},
    {0x31, "gfx909", 9, true, false},    {0x32, "gfx90c", 9, true, false},
    {0x33, "gfx1010", 10, true, false},  {0x34, "gfx1011", 10, true, false},
    {0x35, "gfx1012", 10, true, false},  {0x36, "gfx1030", 10, false, false},
    {0x37, "gfx1031", 10, false, false}, {0x38, "gfx1032", 10, false, false},
    {0x39, "gfx1033", 10, false, false}, {0x3e, "gfx1034", 10, false, false},
    {0x3d, "gfx1035", 10, false, false}, {0x45, "gfx1036", 10, false, false},
    {0x41, "gfx1100", 11, false, false}, {0x46, "gfx1101", 11, false, false},
    {0x47, "gfx1102", 11, false, false}, {0x44, "gfx1103", 11, false, false},
    {0x43, "gfx1150", 11, false, false}, {0x4a, "gfx1151", 11, false, false},
    {0x55, "gfx1152", 11, false, false}, {0x58, "gfx1153", 11, false, false},
    {0x48, "gfx1200", 12, false, false}, {0x4e, "gfx1201", 12, false, false},
};

const ElfMachine *assay::findElfMachine(uint8_t mach) {
  auto found = find_if(Machines, [&](const ElfMachine &row) { return row.mach == mach; });
  return found == std::end(Machines) ? nullptr : &*found;
}

const ElfMachine *assay::findElfMachine(StringRef name) {
  auto found = find_if(Machines, [&](const ElfMachine &row) { return row.name == name; });
  return found == std::end(Machines) ? nullptr : &*found;
}
