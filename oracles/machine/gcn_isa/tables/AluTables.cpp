// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layouts of the scalar and vector ALU formats (manuals, "Microcode formats").
#include "oracles/machine/gcn_isa/Codec.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

using F = Field;

/// Columns of all tables: field, lowest bit, width; of a second part, the same.
static constexpr FieldPlace Sop2Fields[] = {
    {F::Op, 23, 7}, {F::Sdst, 16, 7}, {F::Ssrc1, 8, 8}, {F::Ssrc0, 0, 8}};
static constexpr FieldPlace SopkFields[] = {{F::Op, 23, 5}, {F::Sdst, 16, 7}, {F::Simm16, 0, 16}};
static constexpr FieldPlace Sop1Fields[] = {{F::Op, 8, 8}, {F::Sdst, 16, 7}, {F::Ssrc0, 0, 8}};
static constexpr FieldPlace SopcFields[] = {{F::Op, 16, 7}, {F::Ssrc1, 8, 8}, {F::Ssrc0, 0, 8}};
static constexpr FieldPlace SoppFields[] = {{F::Op, 16, 7}, {F::Simm16, 0, 16}};

static constexpr FieldPlace Vop1Fields[] = {{F::Op, 9, 8}, {F::Vdst, 17, 8}, {F::Src0, 0, 9}};
static constexpr FieldPlace Vop2Fields[] = {
    {F::Op, 25, 6}, {F::Vdst, 17, 8}, {F::Src0, 0, 9}, {F::Src1, 9, 8}};
static constexpr FieldPlace VopcFields[] = {{F::Op, 17, 8}, {F::Src0, 0, 9}, {F::Src1, 9, 8}};

/// The dword that SDWA and DPP add; X is where it starts. SDWA's comparisons have a destination
/// where others have what to do with theirs.
#define SDWA_SOURCES(X)                                                                            \
  {F::Src0, (X) + 0, 8}, {F::Src0Sel, (X) + 16, 3}, {F::Src0Sext, (X) + 19, 1},                    \
      {F::Src0Neg, (X) + 20, 1}, {F::Src0Abs, (X) + 21, 1}, {F::Src0Scalar, (X) + 23, 1},          \
      {F::Src1Sel, (X) + 24, 3}, {F::Src1Sext, (X) + 27, 1}, {F::Src1Neg, (X) + 28, 1},            \
      {F::Src1Abs, (X) + 29, 1}, {F::Src1Scalar, (X) + 31, 1}
#define SDWA_RESULT(X)                                                                             \
  {F::DstSel, (X) + 8, 3}, {F::DstUnused, (X) + 11, 2}, {F::Clamp, (X) + 13, 1},                   \
      {F::Omod, (X) + 14, 2}
#define DPP16_FIELDS(X)                                                                            \
  {F::Src0, (X) + 0, 8}, {F::DppControl, (X) + 8, 9}, {F::FetchInactive, (X) + 18, 1},             \
      {F::BoundCtrl, (X) + 19, 1}, {F::BankMask, (X) + 24, 4}, {F::RowMask, (X) + 28, 4}
/// VOP3 has source modifiers of its own.
#define DPP16_MODIFIERS                                                                            \
  {F::Src0Neg, 52, 1}, {F::Src0Abs, 53, 1}, {F::Src1Neg, 54, 1}, {F::Src1Abs, 55, 1}

static constexpr FieldPlace Vop1SdwaFields[] = {
    {F::Op, 9, 8}, {F::Vdst, 17, 8}, SDWA_RESULT(32), SDWA_SOURCES(32)};
static constexpr FieldPlace Vop2SdwaFields[] = {
    {F::Op, 25, 6}, {F::Vdst, 17, 8}, {F::Src1, 9, 8}, SDWA_RESULT(32), SDWA_SOURCES(32)};
static constexpr FieldPlace VopcSdwaFields[] = {{F::Op, 17, 8},
                                                {F::Src1, 9, 8},
                                                {F::SdwaSdst, 40, 7},
                                                {F::SdwaSdstUsed, 47, 1},
                                                SDWA_SOURCES(32)};

static constexpr FieldPlace Vop1Dpp16Fields[] = {
    {F::Op, 9, 8}, {F::Vdst, 17, 8}, DPP16_FIELDS(32), DPP16_MODIFIERS};
static constexpr FieldPlace Vop2Dpp16Fields[] = {
    {F::Op, 25, 6}, {F::Vdst, 17, 8}, {F::Src1, 9, 8}, DPP16_FIELDS(32), DPP16_MODIFIERS};
static constexpr FieldPlace VopcDpp16Fields[] = {
    {F::Op, 17, 8}, {F::Src1, 9, 8}, DPP16_FIELDS(32), DPP16_MODIFIERS};

static constexpr FieldPlace Vop1Dpp8Fields[] = {{F::Op, 9, 8},
                                                {F::Vdst, 17, 8},
                                                {F::Src0, 32, 8},
                                                {F::FetchInactive, 0, 2},
                                                {F::Lanes, 40, 24}};
static constexpr FieldPlace Vop2Dpp8Fields[] = {{F::Op, 25, 6},           {F::Vdst, 17, 8},
                                                {F::Src1, 9, 8},          {F::Src0, 32, 8},
                                                {F::FetchInactive, 0, 2}, {F::Lanes, 40, 24}};
static constexpr FieldPlace VopcDpp8Fields[] = {{F::Op, 17, 8},
                                                {F::Src1, 9, 8},
                                                {F::Src0, 32, 8},
                                                {F::FetchInactive, 0, 2},
                                                {F::Lanes, 40, 24}};

/// Sdst is VOP3SD's.
#define VOP3_COMMON                                                                                \
  {F::Op, 16, 10}, {F::Vdst, 0, 8}, {F::Sdst, 8, 7}, {F::Abs, 8, 3}, {F::OpSel, 11, 4},            \
      {F::Clamp, 15, 1}, {F::Src1, 41, 9}, {F::Src2, 50, 9}, {F::Omod, 59, 2}, {F::Neg, 61, 3}
/// op_sel_hi has two parts.
#define VOP3P_COMMON                                                                               \
  {F::Op, 16, 7}, {F::Vdst, 0, 8}, {F::NegHi, 8, 3}, {F::OpSel, 11, 3}, {F::Clamp, 15, 1},         \
      {F::Src1, 41, 9}, {F::Src2, 50, 9}, {F::OpSelHi, 59, 2, 14, 1}, {F::Neg, 61, 3}
static constexpr FieldPlace Vop3Fields[] = {
    VOP3_COMMON, {F::Src0, 32, 9}, {F::Attribute, 32, 6}, {F::Channel, 38, 2}, {F::High, 40, 1}};
static constexpr FieldPlace Vop3Dpp16Fields[] = {VOP3_COMMON, DPP16_FIELDS(64)};
static constexpr FieldPlace Vop3Dpp8Fields[] = {
    VOP3_COMMON, {F::Src0, 64, 8}, {F::FetchInactive, 32, 2}, {F::Lanes, 72, 24}};
static constexpr FieldPlace Vop3pFields[] = {VOP3P_COMMON, {F::Src0, 32, 9}};
static constexpr FieldPlace Vop3pDpp16Fields[] = {VOP3P_COMMON, DPP16_FIELDS(64)};
static constexpr FieldPlace Vop3pDpp8Fields[] = {
    VOP3P_COMMON, {F::Src0, 64, 8}, {F::FetchInactive, 32, 2}, {F::Lanes, 72, 24}};

static constexpr FieldPlace VopdXFields[] = {
    {F::Op, 22, 4}, {F::Op2, 17, 5}, {F::Src0, 0, 9}, {F::Src1, 9, 8}, {F::Vdst, 56, 8}};
static constexpr FieldPlace VopdYFields[] = {
    {F::Op, 17, 5}, {F::Src0, 32, 9}, {F::Src1, 41, 8}, {F::Vdst, 49, 7}};

static constexpr FieldPlace VintrpFields[] = {
    {F::Op, 16, 2}, {F::Vdst, 18, 8}, {F::Attribute, 10, 6}, {F::Channel, 8, 2}, {F::Src0, 0, 8}};
/// Sources are vector registers; the ninth bit that says so elsewhere is not looked at.
#define VINTERP_COMMON                                                                             \
  {F::Vdst, 0, 8}, {F::WaitExp, 8, 3}, {F::OpSel, 11, 4}, {F::Clamp, 15, 1}, {F::Src0, 32, 8},     \
      {F::Src1, 41, 8}, {F::Src2, 50, 8}, {F::Neg, 61, 3}
static constexpr FieldPlace VinterpFields[] = {VINTERP_COMMON, {F::Op, 16, 7}};
static constexpr FieldPlace Gfx12VinterpFields[] = {VINTERP_COMMON, {F::Op, 16, 5}};
static constexpr FieldPlace LdsdirFields[] = {{F::Op, 20, 2},        {F::WaitVdst, 16, 4},
                                              {F::Attribute, 10, 6}, {F::Channel, 8, 2},
                                              {F::Vdst, 0, 8},       {F::WaitVsrc, 23, 1}};

#undef SDWA_SOURCES
#undef SDWA_RESULT
#undef DPP16_FIELDS
#undef DPP16_MODIFIERS
#undef VOP3_COMMON
#undef VOP3P_COMMON
#undef VINTERP_COMMON

namespace {
using Fmt = Format;
constexpr uint8_t Sdwa910 = chips::Gfx9 | chips::Gfx10;

} // namespace

/// In the order in which to try them: narrow masks after wide ones. The source 249 says SDWA, 250
/// DPP16, 233 and 234 DPP8.
ArrayRef<FormatLayout> gcn::aluLayouts() {
  static const FormatLayout Layouts[] = {
      {Fmt::Illegal, chips::Gfx10Plus, 1, ~0u, 0, 0, 0, {}, Fmt::Illegal},
      {Fmt::Sop1, chips::All, 1, 0xff800000, 0xbe800000, 0, 0, Sop1Fields, Fmt::Sop1},
      {Fmt::Sopc, chips::All, 1, 0xff800000, 0xbf000000, 0, 0, SopcFields, Fmt::Sopc},
      {Fmt::Sopp, chips::All, 1, 0xff800000, 0xbf800000, 0, 0, SoppFields, Fmt::Sopp},
      {Fmt::Sopk, chips::All, 1, 0xf0000000, 0xb0000000, 0, 0, SopkFields, Fmt::Sopk},
      {Fmt::Sop2, chips::All, 1, 0xc0000000, 0x80000000, 0, 0, Sop2Fields, Fmt::Sop2},
      {Fmt::Vop1Sdwa, Sdwa910, 2, 0xfe0001ff, 0x7e0000f9, 0, 0, Vop1SdwaFields, Fmt::Vop1},
      {Fmt::Vop1Dpp16, chips::All, 2, 0xfe0001ff, 0x7e0000fa, 0, 0, Vop1Dpp16Fields, Fmt::Vop1},
      {Fmt::Vop1Dpp8, chips::Gfx10Plus, 2, 0xfe0001fc, 0x7e0000e8, 0, 0, Vop1Dpp8Fields, Fmt::Vop1},
      {Fmt::Vop1, chips::All, 1, 0xfe000000, 0x7e000000, 0, 0, Vop1Fields, Fmt::Vop1},
      {Fmt::VopcSdwa, Sdwa910, 2, 0xfe0001ff, 0x7c0000f9, 0, 0, VopcSdwaFields, Fmt::Vopc},
      {Fmt::VopcDpp16, chips::All, 2, 0xfe0001ff, 0x7c0000fa, 0, 0, VopcDpp16Fields, Fmt::Vopc},
      {Fmt::VopcDpp8, chips::Gfx10Plus, 2, 0xfe0001fc, 0x7c0000e8, 0, 0, VopcDpp8Fields, Fmt::Vopc},
      {Fmt::Vopc, chips::All, 1, 0xfe000000, 0x7c000000, 0, 0, VopcFields, Fmt::Vopc},
      {Fmt::Vop2Sdwa, Sdwa910, 2, 0x800001ff, 0x000000f9, 0, 0, Vop2SdwaFields, Fmt::Vop2},
      {Fmt::Vop2Dpp16, chips::All, 2, 0x800001ff, 0x000000fa, 0, 0, Vop2Dpp16Fields, Fmt::Vop2},
      {Fmt::Vop2Dpp8, chips::Gfx10Plus, 2, 0x800001fc, 0x000000e8, 0, 0, Vop2Dpp8Fields, Fmt::Vop2},
      {Fmt::Vop2, chips::All, 1, 0x80000000, 0x00000000, 0, 0, Vop2Fields, Fmt::Vop2},
      {Fmt::Vop3p, chips::Gfx9, 2, 0xff800000, 0xd3800000, 0, 0, Vop3pFields, Fmt::Vop3p},
      {Fmt::Vop3pDpp16, chips::Gfx11Plus, 3, 0xff800000, 0xcc000000, 0x1ff, 0xfa, Vop3pDpp16Fields,
       Fmt::Vop3p},
      {Fmt::Vop3pDpp8, chips::Gfx11Plus, 3, 0xff800000, 0xcc000000, 0x1fc, 0xe8, Vop3pDpp8Fields,
       Fmt::Vop3p},
      {Fmt::Vop3p, chips::Gfx10Plus, 2, 0xff800000, 0xcc000000, 0, 0, Vop3pFields, Fmt::Vop3p},
      {Fmt::Vop3Dpp16, chips::Gfx11Plus, 3, 0xfc000000, 0xd4000000, 0x1ff, 0xfa, Vop3Dpp16Fields,
       Fmt::Vop3},
      {Fmt::Vop3Dpp8, chips::Gfx11Plus, 3, 0xfc000000, 0xd4000000, 0x1fc, 0xe8, Vop3Dpp8Fields,
       Fmt::Vop3},
      {Fmt::Vop3, chips::Gfx9, 2, 0xfc000000, 0xd0000000, 0, 0, Vop3Fields, Fmt::Vop3},
      {Fmt::Vop3, chips::Gfx10Plus, 2, 0xfc000000, 0xd4000000, 0, 0, Vop3Fields, Fmt::Vop3},
      {Fmt::VopdX, chips::Gfx11Plus, 2, 0xfc000000, 0xc8000000, 0, 0, VopdXFields, Fmt::VopdX},
      // No dword is of this one: it is the rest of a VopdX.
      {Fmt::VopdY, chips::Gfx11Plus, 2, 0, 1, 0, 0, VopdYFields, Fmt::VopdY},
      {Fmt::Vintrp, chips::Gfx9, 1, 0xfc000000, 0xd4000000, 0, 0, VintrpFields, Fmt::Vintrp},
      {Fmt::Vintrp, chips::Gfx10, 1, 0xfc000000, 0xc8000000, 0, 0, VintrpFields, Fmt::Vintrp},
      {Fmt::Vinterp, chips::Gfx11, 2, 0xff000000, 0xcd000000, 0, 0x04020100, VinterpFields,
       Fmt::Vinterp},
      {Fmt::Vinterp, chips::Gfx12, 2, 0xff000000, 0xcd000000, 0, 0x04020100, Gfx12VinterpFields,
       Fmt::Vinterp},
      {Fmt::Ldsdir, chips::Gfx11Plus, 1, 0xff000000, 0xce000000, 0, 0, LdsdirFields, Fmt::Ldsdir},
  };
  return Layouts;
}
