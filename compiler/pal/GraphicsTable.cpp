// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pal/GraphicsTable.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::pal;

namespace {

/// Member, key, part and dword offset of the register with the fields \p Type. The rows of its
/// fields take them from here.
template <typename Type> struct RegisterOf;

#define REGISTER(TYPE, MEMBER, KEY, PART, OFFSET)                                                  \
  template <> struct RegisterOf<TYPE> {                                                            \
    static constexpr auto member = &GraphicsRegisters::MEMBER;                                     \
    static constexpr StringLiteral key = KEY;                                                      \
    static constexpr Part part = Part::PART;                                                       \
    static constexpr unsigned offset = OFFSET;                                                     \
  };
#include "compiler/pal/GraphicsRegisters.def"

/// Stores \p value in a member, for rows of numbers and flags alike.
void assign(uint32_t &member, uint32_t value) {
  member = value;
}
void assign(bool &member, uint32_t value) {
  member = value != 0;
}

} // namespace

/// One row for each register with several fields.
static constexpr RegisterRow registerRows[] = {
#define REGISTER(TYPE, MEMBER, KEY, PART, OFFSET) {KEY, Part::PART},
#include "compiler/pal/GraphicsRegisters.def"
};

/// One row for each field. Fields of a register without a map have an empty map name.
static constexpr FieldRow fieldRows[] = {
#define ROW(TYPE, MEMBER, KEY, IS_FLAG, LOW, WIDTH, SINCE, UNTIL)                                  \
  {RegisterOf<TYPE>::key,                                                                          \
   KEY,                                                                                            \
   RegisterOf<TYPE>::part,                                                                         \
   IS_FLAG,                                                                                        \
   RegisterOf<TYPE>::offset,                                                                       \
   LOW,                                                                                            \
   WIDTH,                                                                                          \
   SINCE,                                                                                          \
   UNTIL,                                                                                          \
   [](const GraphicsRegisters &all) -> uint32_t {                                                  \
     return (all.*RegisterOf<TYPE>::member).MEMBER;                                                \
   },                                                                                              \
   [](GraphicsRegisters &all, uint32_t value) {                                                    \
     assign((all.*RegisterOf<TYPE>::member).MEMBER, value);                                        \
   }},
#define SINGLE(MEMBER, KEY, PART, IS_FLAG, OFFSET, LOW, WIDTH, SINCE, UNTIL)                       \
  {"",                                                                                             \
   KEY,                                                                                            \
   Part::PART,                                                                                     \
   IS_FLAG,                                                                                        \
   OFFSET,                                                                                         \
   LOW,                                                                                            \
   WIDTH,                                                                                          \
   SINCE,                                                                                          \
   UNTIL,                                                                                          \
   [](const GraphicsRegisters &all) -> uint32_t { return all.MEMBER; },                            \
   [](GraphicsRegisters &all, uint32_t value) { assign(all.MEMBER, value); }},
#define FIELD(TYPE, MEMBER, KEY, LOW, WIDTH, SINCE, UNTIL)                                         \
  ROW(TYPE, MEMBER, KEY, false, LOW, WIDTH, SINCE, UNTIL)
#define FLAG(TYPE, MEMBER, KEY, LOW, SINCE, UNTIL)                                                 \
  ROW(TYPE, MEMBER, KEY, true, LOW, 1, SINCE, UNTIL)
#define SINGLE_FIELD(MEMBER, KEY, PART, OFFSET, LOW, WIDTH, SINCE, UNTIL)                          \
  SINGLE(MEMBER, KEY, PART, false, OFFSET, LOW, WIDTH, SINCE, UNTIL)
#define SINGLE_FLAG(MEMBER, KEY, PART, OFFSET, LOW, SINCE, UNTIL)                                  \
  SINGLE(MEMBER, KEY, PART, true, OFFSET, LOW, 1, SINCE, UNTIL)
#include "compiler/pal/GraphicsRegisters.def"
#undef SINGLE
#undef ROW
};

/// Returns a member of \p control as a number.
template <auto Member> static uint32_t read(const SpiPsInputCntl &control) {
  return control.*Member;
}

/// Columns: key, whether it is a flag, lowest bit, width in bits, first and last generation,
/// member.
static constexpr InputControlRow inputControlRows[] = {
    {".offset", false, 0, 6, 90, 120, read<&SpiPsInputCntl::offset>},
    {".default_val", false, 8, 2, 90, 120, read<&SpiPsInputCntl::defaultValue>},
    {".flat_shade", true, 10, 1, 90, 120, read<&SpiPsInputCntl::flatShade>},
    {".prim_attr", true, 12, 1, 110, 120, read<&SpiPsInputCntl::perPrimitive>},
    {".pt_sprite_tex", true, 17, 1, 90, 120, read<&SpiPsInputCntl::pointSprite>},
    {".fp16_interp_mode", true, 19, 1, 90, 120, read<&SpiPsInputCntl::fp16Interp>},
    {".attr0_valid", true, 24, 1, 90, 120, read<&SpiPsInputCntl::attr0Valid>},
    {".attr1_valid", true, 25, 1, 90, 120, read<&SpiPsInputCntl::attr1Valid>}};

/// In the order of HardwareStage.
static constexpr StageRow stageRows[] = {{".vs", "_amdgpu_vs_main", Part::Vertex},
                                         {".gs", "_amdgpu_gs_main", Part::Vertex},
                                         {".ps", "_amdgpu_ps_main", Part::Pixel}};

const StageRow &pal::getStageRow(HardwareStage stage) {
  return stageRows[static_cast<unsigned>(stage)];
}

bool pal::hasPart(const GraphicsMetadata &metadata, Part part) {
  return any_of(metadata.stages,
                [&](const GraphicsStage &stage) { return getStageRow(stage.stage).part == part; });
}

ArrayRef<InputControlRow> pal::getInputControlRows() {
  return inputControlRows;
}

ArrayRef<RegisterRow> pal::getRegisterRows() {
  return registerRows;
}

ArrayRef<FieldRow> pal::getFieldRows() {
  return fieldRows;
}

/// Returns null where there is no such field.
const FieldRow *pal::findFieldRow(StringRef map, StringRef key) {
  const auto *row =
      find_if(fieldRows, [&](const FieldRow &each) { return each.map == map && each.key == key; });
  return row == std::end(fieldRows) ? nullptr : row;
}

/// Returns major version times ten plus minor version: 103 for GFX10.3.
unsigned pal::getGeneration(const TargetInfo &target) {
  return target.major * 10 + target.minor;
}
