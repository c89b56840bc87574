// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the fields of the memory, image and export formats stand. (Manuals of Vega, RDNA 1 to 4,
// "Instruction Formats"; a field that no chip of ours gives a meaning is not listed.)
#include "oracles/machine/gcn_isa/Codec.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

using enum Field;

static constexpr uint32_t Top6 = 0xfc000000; ///< The bits that choose a family.
static constexpr uint32_t Top8 = 0xff000000; ///< The bits that choose a format on GFX12.
/// DS and FLAT of GFX9: these bits choose accumulation registers, which only CDNA has. FLAT keeps
/// the bit at 0 later, too, where it is not sve.
static constexpr uint32_t DsAccumulators = 1 << 25;
static constexpr uint32_t FlatAccumulators = 1 << 23;

/// Columns of all tables here: field, lowest bit, width. GFX9 has enable bits for both parts of the
/// offset.
static constexpr FieldPlace SmemGfx9[] = {
    {Op, 18, 8},  {Sbase, 0, 6},         {Sdata, 6, 7},           {SoffsetEnable, 14, 1},
    {Glc, 16, 1}, {OffsetEnable, 17, 1}, {Field::Offset, 32, 21}, {Soffset, 57, 7},
};
static constexpr FieldPlace SmemGfx10[] = {
    {Op, 18, 8},  {Sbase, 0, 6},           {Sdata, 6, 7},    {Dlc, 14, 1},
    {Glc, 16, 1}, {Field::Offset, 32, 21}, {Soffset, 57, 7},
};
/// GFX10's, with dlc and glc one and two bits lower.
static constexpr FieldPlace SmemGfx11[] = {
    {Op, 18, 8},  {Sbase, 0, 6},           {Sdata, 6, 7},    {Dlc, 13, 1},
    {Glc, 14, 1}, {Field::Offset, 32, 21}, {Soffset, 57, 7},
};
static constexpr FieldPlace SmemGfx12[] = {
    {Op, 13, 6}, {Sbase, 0, 6},           {Sdata, 6, 7},        {Nv, 20, 1},      {Scope, 21, 2},
    {Th, 23, 2}, {Field::Offset, 32, 24}, {ScaleOffset, 56, 1}, {Soffset, 57, 7},
};

/// The offset of one element and those of two are the same 16 bits.
static constexpr FieldPlace DsGfx9[] = {
    {Op, 17, 8},   {Field::Offset, 0, 16}, {Offset0, 0, 8}, {Offset1, 8, 8}, {Gds, 16, 1},
    {Addr, 32, 8}, {Data0, 40, 8},         {Data1, 48, 8},  {Vdst, 56, 8},
};
static constexpr FieldPlace DsGfx10[] = {
    {Op, 18, 8},   {Field::Offset, 0, 16}, {Offset0, 0, 8}, {Offset1, 8, 8}, {Gds, 17, 1},
    {Addr, 32, 8}, {Data0, 40, 8},         {Data1, 48, 8},  {Vdst, 56, 8},
};
/// GFX10's without gds.
static constexpr FieldPlace DsGfx12[] = {
    {Op, 18, 8},   {Field::Offset, 0, 16}, {Offset0, 0, 8}, {Offset1, 8, 8},
    {Addr, 32, 8}, {Data0, 40, 8},         {Data1, 48, 8},  {Vdst, 56, 8},
};

static constexpr FieldPlace FlatGfx9[] = {
    {Op, 18, 7},   {Field::Offset, 0, 13}, {Lds, 13, 1},   {Glc, 16, 1},  {Slc, 17, 1},
    {Addr, 32, 8}, {Data0, 40, 8},         {Saddr, 48, 7}, {Vdst, 56, 8},
};
/// FLAT itself has no sign bit.
static constexpr FieldPlace FlatGfx9Unsigned[] = {
    {Op, 18, 7},   {Field::Offset, 0, 12}, {Lds, 13, 1},   {Glc, 16, 1},  {Slc, 17, 1},
    {Addr, 32, 8}, {Data0, 40, 8},         {Saddr, 48, 7}, {Vdst, 56, 8},
};
/// One bit of offset less than on GFX9, in favour of dlc.
static constexpr FieldPlace FlatGfx10[] = {
    {Op, 18, 7},  {Field::Offset, 0, 12}, {Dlc, 12, 1},   {Lds, 13, 1},   {Glc, 16, 1},
    {Slc, 17, 1}, {Addr, 32, 8},          {Data0, 40, 8}, {Saddr, 48, 7}, {Vdst, 56, 8},
};
static constexpr FieldPlace FlatGfx10Unsigned[] = {
    {Op, 18, 7},  {Field::Offset, 0, 11}, {Dlc, 12, 1},   {Lds, 13, 1},   {Glc, 16, 1},
    {Slc, 17, 1}, {Addr, 32, 8},          {Data0, 40, 8}, {Saddr, 48, 7}, {Vdst, 56, 8},
};
static constexpr FieldPlace FlatGfx11[] = {
    {Op, 18, 7},   {Field::Offset, 0, 13}, {Dlc, 13, 1},   {Glc, 14, 1},  {Slc, 15, 1},
    {Addr, 32, 8}, {Data0, 40, 8},         {Saddr, 48, 7}, {Vdst, 56, 8},
};
static constexpr FieldPlace FlatGfx11Unsigned[] = {
    {Op, 18, 7},   {Field::Offset, 0, 12}, {Dlc, 13, 1},   {Glc, 14, 1},  {Slc, 15, 1},
    {Addr, 32, 8}, {Data0, 40, 8},         {Saddr, 48, 7}, {Vdst, 56, 8},
};
static constexpr FieldPlace ScratchGfx11[] = {
    {Op, 18, 7},   {Field::Offset, 0, 13}, {Dlc, 13, 1},   {Glc, 14, 1}, {Slc, 15, 1},
    {Addr, 32, 8}, {Data0, 40, 8},         {Saddr, 48, 7}, {Sve, 55, 1}, {Vdst, 56, 8},
};
static constexpr FieldPlace FlatGfx12[] = {
    {Op, 14, 8},    {Saddr, 0, 7}, {Nv, 7, 1},     {Vdst, 32, 8}, {ScaleOffset, 48, 1},
    {Scope, 50, 2}, {Th, 52, 3},   {Data0, 55, 8}, {Addr, 64, 8}, {Field::Offset, 72, 24},
};
static constexpr FieldPlace ScratchGfx12[] = {
    {Op, 14, 8},
    {Saddr, 0, 7},
    {Nv, 7, 1},
    {Vdst, 32, 8},
    {ScaleOffset, 48, 1},
    {Sve, 49, 1},
    {Scope, 50, 2},
    {Th, 52, 3},
    {Data0, 55, 8},
    {Addr, 64, 8},
    {Field::Offset, 72, 24},
};

static constexpr FieldPlace MubufGfx9[] = {
    {Op, 18, 7},    {Field::Offset, 0, 12}, {Offen, 12, 1}, {Idxen, 13, 1},
    {Glc, 14, 1},   {Lds, 16, 1},           {Slc, 17, 1},   {Vaddr, 32, 8},
    {Vdata, 40, 8}, {Srsrc, 48, 5},         {Tfe, 55, 1},   {Soffset, 56, 8},
};
static constexpr FieldPlace MubufGfx10[] = {
    {Op, 18, 7, 25, 1}, {Field::Offset, 0, 12}, {Offen, 12, 1},   {Idxen, 13, 1}, {Glc, 14, 1},
    {Dlc, 15, 1},       {Lds, 16, 1},           {Vaddr, 32, 8},   {Vdata, 40, 8}, {Srsrc, 48, 5},
    {Slc, 54, 1},       {Tfe, 55, 1},           {Soffset, 56, 8},
};
static constexpr FieldPlace MubufGfx11[] = {
    {Op, 18, 8},  {Field::Offset, 0, 12}, {Slc, 12, 1},   {Dlc, 13, 1},
    {Glc, 14, 1}, {Vaddr, 32, 8},         {Vdata, 40, 8}, {Srsrc, 48, 5},
    {Tfe, 53, 1}, {Offen, 54, 1},         {Idxen, 55, 1}, {Soffset, 56, 8},
};
static constexpr FieldPlace MtbufGfx9[] = {
    {Op, 15, 4},   {Field::Offset, 0, 12}, {Offen, 12, 1},   {Idxen, 13, 1}, {Glc, 14, 1},
    {Dfmt, 19, 4}, {Nfmt, 23, 3},          {Vaddr, 32, 8},   {Vdata, 40, 8}, {Srsrc, 48, 5},
    {Slc, 54, 1},  {Tfe, 55, 1},           {Soffset, 56, 8},
};
static constexpr FieldPlace MtbufGfx10[] = {
    {Op, 16, 3, 53, 1}, {Field::Offset, 0, 12}, {Offen, 12, 1},   {Idxen, 13, 1}, {Glc, 14, 1},
    {Dlc, 15, 1},       {Dfmt, 19, 7},          {Vaddr, 32, 8},   {Vdata, 40, 8}, {Srsrc, 48, 5},
    {Slc, 54, 1},       {Tfe, 55, 1},           {Soffset, 56, 8},
};
static constexpr FieldPlace MtbufGfx11[] = {
    {Op, 15, 4},    {Field::Offset, 0, 12}, {Slc, 12, 1},     {Dlc, 13, 1},   {Glc, 14, 1},
    {Dfmt, 19, 7},  {Vaddr, 32, 8},         {Vdata, 40, 8},   {Srsrc, 48, 5}, {Tfe, 53, 1},
    {Offen, 54, 1}, {Idxen, 55, 1},         {Soffset, 56, 8},
};
static constexpr FieldPlace VbufferGfx12[] = {
    {Op, 14, 7},    {Soffset, 0, 7}, {Nv, 7, 1},     {Tfe, 22, 1},
    {Vdata, 32, 8}, {Srsrc, 41, 9},  {Scope, 50, 2}, {Th, 52, 3},
    {Offen, 62, 1}, {Idxen, 63, 1},  {Vaddr, 64, 8}, {Field::Offset, 72, 24},
};
static constexpr FieldPlace VtbufferGfx12[] = {
    {Op, 14, 7},
    {Soffset, 0, 7},
    {Nv, 7, 1},
    {Tfe, 22, 1},
    {Vdata, 32, 8},
    {Srsrc, 41, 9},
    {Scope, 50, 2},
    {Th, 52, 3},
    {Dfmt, 55, 7},
    {Offen, 62, 1},
    {Idxen, 63, 1},
    {Vaddr, 64, 8},
    {Field::Offset, 72, 24},
};

static constexpr FieldPlace MimgGfx9[] = {
    {Op, 18, 7, 0, 1}, {Dmask, 8, 4},  {Unorm, 12, 1}, {Glc, 13, 1}, {Da, 14, 1},
    {A16, 15, 1},      {Tfe, 16, 1},   {Lwe, 17, 1},   {Slc, 25, 1}, {Vaddr, 32, 8},
    {Vdata, 40, 8},    {Srsrc, 48, 5}, {Ssamp, 53, 5}, {D16, 63, 1},
};
static constexpr FieldPlace MimgGfx10[] = {
    {Op, 18, 7, 0, 1}, {Nsa, 1, 2},    {Dim, 3, 3},    {Dlc, 7, 1},  {Dmask, 8, 4}, {Unorm, 12, 1},
    {Glc, 13, 1},      {R128, 15, 1},  {Tfe, 16, 1},   {Lwe, 17, 1}, {Slc, 25, 1},  {Vaddr, 32, 8},
    {Vdata, 40, 8},    {Srsrc, 48, 5}, {Ssamp, 53, 5}, {A16, 62, 1}, {D16, 63, 1},
};
static constexpr FieldPlace MimgGfx11[] = {
    {Op, 18, 8},    {Nsa, 0, 1},    {Dim, 2, 3},   {Unorm, 7, 1}, {Dmask, 8, 4},  {Slc, 12, 1},
    {Dlc, 13, 1},   {Glc, 14, 1},   {R128, 15, 1}, {A16, 16, 1},  {D16, 17, 1},   {Vaddr, 32, 8},
    {Vdata, 40, 8}, {Srsrc, 48, 5}, {Tfe, 53, 1},  {Lwe, 54, 1},  {Ssamp, 58, 5},
};
static constexpr FieldPlace VimageGfx12[] = {
    {Op, 14, 8},     {Dim, 0, 3},     {R128, 4, 1},    {D16, 5, 1},    {A16, 6, 1},
    {Nv, 7, 1},      {Dmask, 22, 4},  {Vdata, 32, 8},  {Srsrc, 41, 9}, {Scope, 50, 2},
    {Th, 52, 3},     {Tfe, 55, 1},    {Vaddr4, 56, 8}, {Vaddr, 64, 8}, {Vaddr1, 72, 8},
    {Vaddr2, 80, 8}, {Vaddr3, 88, 8},
};
static constexpr FieldPlace VsampleGfx12[] = {
    {Op, 14, 8},    {Dim, 0, 3},     {Tfe, 3, 1},     {R128, 4, 1},    {D16, 5, 1},
    {A16, 6, 1},    {Nv, 7, 1},      {Unorm, 13, 1},  {Dmask, 22, 4},  {Vdata, 32, 8},
    {Lwe, 40, 1},   {Srsrc, 41, 9},  {Scope, 50, 2},  {Th, 52, 3},     {Ssamp, 55, 9},
    {Vaddr, 64, 8}, {Vaddr1, 72, 8}, {Vaddr2, 80, 8}, {Vaddr3, 88, 8},
};

static constexpr FieldPlace ExpGfx9[] = {
    {Enable, 0, 4}, {Target, 4, 6},  {Compressed, 10, 1}, {Done, 11, 1},   {ValidMask, 12, 1},
    {Vaddr, 32, 8}, {Vaddr1, 40, 8}, {Vaddr2, 48, 8},     {Vaddr3, 56, 8},
};
/// No compression and no valid mask; row_en is new.
static constexpr FieldPlace ExpGfx11[] = {
    {Enable, 0, 4}, {Target, 4, 6},  {Done, 11, 1},   {RowEnable, 13, 1},
    {Vaddr, 32, 8}, {Vaddr1, 40, 8}, {Vaddr2, 48, 8}, {Vaddr3, 56, 8},
};

/// The segment of FLAT is in bits 14 and 15, from GFX11 on in 16 and 17.
static constexpr uint32_t SegmentMask = Top6 | 3 << 14;
static constexpr uint32_t SegmentMask11 = Top6 | 3 << 16;
static constexpr uint32_t DsMask9 = Top6 | DsAccumulators; ///< Accumulators: refused.
/// GFX12 has no global data share.
static constexpr uint32_t DsMask12 = Top6 | 1 << 17;
static constexpr uint32_t Sve12 = 1 << 17; ///< Must be 0 outside of SCRATCH.

// clang-format off
static constexpr FormatLayout Layouts[] = {
    {Format::Smem,     chips::Gfx9,  2, Top6, 0xc0000000, 0, 0, SmemGfx9,  Format::Smem},
    {Format::Smem,     chips::Gfx10, 2, Top6, 0xf4000000, 0, 0, SmemGfx10, Format::Smem},
    {Format::Smem,     chips::Gfx11, 2, Top6, 0xf4000000, 0, 0, SmemGfx11, Format::Smem},
    {Format::Smem,     chips::Gfx12, 2, Top6, 0xf4000000, 0, 0, SmemGfx12, Format::Smem},
    {Format::Ds,       chips::Gfx9,  2, DsMask9, 0xd8000000, 0, 0, DsGfx9, Format::Ds},
    {Format::Ds,       chips::Gfx10 | chips::Gfx11, 2, Top6, 0xd8000000, 0, 0, DsGfx10, Format::Ds},
    {Format::Ds,       chips::Gfx12, 2, DsMask12, 0xd8000000, 0, 0, DsGfx12, Format::Ds},
    {Format::Flat,     chips::Gfx9,  2, SegmentMask, 0xdc000000, FlatAccumulators, 0, FlatGfx9Unsigned, Format::Flat},
    {Format::Scratch,  chips::Gfx9,  2, SegmentMask, 0xdc004000, FlatAccumulators, 0, FlatGfx9, Format::Scratch},
    {Format::Global,   chips::Gfx9,  2, SegmentMask, 0xdc008000, FlatAccumulators, 0, FlatGfx9, Format::Global},
    {Format::Flat,     chips::Gfx10, 2, SegmentMask, 0xdc000000, FlatAccumulators, 0, FlatGfx10Unsigned, Format::Flat},
    {Format::Scratch,  chips::Gfx10, 2, SegmentMask, 0xdc004000, FlatAccumulators, 0, FlatGfx10, Format::Scratch},
    {Format::Global,   chips::Gfx10, 2, SegmentMask, 0xdc008000, FlatAccumulators, 0, FlatGfx10, Format::Global},
    {Format::Flat,     chips::Gfx11, 2, SegmentMask11, 0xdc000000, FlatAccumulators, 0, FlatGfx11Unsigned, Format::Flat},
    {Format::Scratch,  chips::Gfx11, 2, SegmentMask11, 0xdc010000, 0, 0, ScratchGfx11, Format::Scratch},
    {Format::Global,   chips::Gfx11, 2, SegmentMask11, 0xdc020000, FlatAccumulators, 0, FlatGfx11, Format::Global},
    {Format::Flat,     chips::Gfx12, 3, Top8, 0xec000000, Sve12, 0, FlatGfx12, Format::Flat},
    {Format::Scratch,  chips::Gfx12, 3, Top8, 0xed000000, 0, 0, ScratchGfx12, Format::Scratch},
    {Format::Global,   chips::Gfx12, 3, Top8, 0xee000000, Sve12, 0, FlatGfx12, Format::Global},
    {Format::Mubuf,    chips::Gfx9,  2, Top6, 0xe0000000, 0, 0, MubufGfx9, Format::Mubuf},
    {Format::Mubuf,    chips::Gfx10, 2, Top6, 0xe0000000, 0, 0, MubufGfx10, Format::Mubuf},
    {Format::Mubuf,    chips::Gfx11, 2, Top6, 0xe0000000, 0, 0, MubufGfx11, Format::Mubuf},
    {Format::Mtbuf,    chips::Gfx9,  2, Top6, 0xe8000000, 0, 0, MtbufGfx9, Format::Mtbuf},
    {Format::Mtbuf,    chips::Gfx10, 2, Top6, 0xe8000000, 0, 0, MtbufGfx10, Format::Mtbuf},
    {Format::Mtbuf,    chips::Gfx11, 2, Top6, 0xe8000000, 0, 0, MtbufGfx11, Format::Mtbuf},
    {Format::Vbuffer,  chips::Gfx12, 3, Top6 | 1 << 21, 0xc4000000, 0, 0, VbufferGfx12, Format::Mubuf},
    {Format::Vtbuffer, chips::Gfx12, 3, Top6 | 1 << 21, 0xc4200000, 0, 0, VtbufferGfx12, Format::Mtbuf},
    {Format::Mimg,     chips::Gfx9,  2, Top6, 0xf0000000, 0, 0, MimgGfx9, Format::Mimg},
    {Format::Mimg,     chips::Gfx10, 2, Top6, 0xf0000000, 0, 0, MimgGfx10, Format::Mimg},
    {Format::Mimg,     chips::Gfx11, 2, Top6, 0xf0000000, 0, 0, MimgGfx11, Format::Mimg},
    {Format::Vimage,   chips::Gfx12, 3, Top6, 0xd0000000, 0, 0, VimageGfx12, Format::Mimg},
    {Format::Vsample,  chips::Gfx12, 3, Top6, 0xe4000000, 0, 0, VsampleGfx12, Format::Mimg},
    {Format::Exp,      chips::Gfx9,  2, Top6, 0xc4000000, 0, 0, ExpGfx9, Format::Exp},
    {Format::Exp,      chips::Gfx10, 2, Top6, 0xf8000000, 0, 0, ExpGfx9, Format::Exp},
    {Format::Exp,      chips::Gfx11Plus, 2, Top6, 0xf8000000, 0, 0, ExpGfx11, Format::Exp},
};
// clang-format on

ArrayRef<FormatLayout> gcn::memoryLayouts() {
  return Layouts;
}
