// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/pal_elf/Machines.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

/// Name, GFX major, EF_AMDGPU_MACH, XNACK, SRAM ECC (LLVM's AMDGPUUsage, "Processors").
static constexpr ElfMachine machines[] = {
    {"gfx900", 9, 0x2c, true, false},    {"gfx902", 9, 0x2d, true, false},
    {"gfx904", 9, 0x2e, true, false},    {"gfx906", 9, 0x2f, true, true},
    {"gfx909", 9, 0x31, true, false},    {"gfx90c", 9, 0x32, true, false},
    {"gfx1010", 10, 0x33, true, false},  {"gfx1011", 10, 0x34, true, false},
    {"gfx1012", 10, 0x35, true, false},  {"gfx1030", 10, 0x36, false, false},
    {"gfx1031", 10, 0x37, false, false}, {"gfx1032", 10, 0x38, false, false},
    {"gfx1033", 10, 0x39, false, false}, {"gfx1034", 10, 0x3e, false, false},
    {"gfx1035", 10, 0x3d, false, false}, {"gfx1036", 10, 0x45, false, false},
    {"gfx1100", 11, 0x41, false, false}, {"gfx1101", 11, 0x46, false, false},
    {"gfx1102", 11, 0x47, false, false}, {"gfx1103", 11, 0x44, false, false},
    {"gfx1150", 11, 0x43, false, false}, {"gfx1151", 11, 0x4a, false, false},
    {"gfx1152", 11, 0x55, false, false}, {"gfx1153", 11, 0x58, false, false},
    {"gfx1200", 12, 0x48, false, false}, {"gfx1201", 12, 0x4e, false, false},
};

const ElfMachine *assay::findElfMachine(uint8_t mach) {
  auto found = find_if(machines, [&](const ElfMachine &row) { return row.mach == mach; });
  return found == std::end(machines) ? nullptr : &*found;
}

const ElfMachine *assay::findElfMachine(StringRef name) {
  auto found = find_if(machines, [&](const ElfMachine &row) { return row.name == name; });
  return found == std::end(machines) ? nullptr : &*found;
}
