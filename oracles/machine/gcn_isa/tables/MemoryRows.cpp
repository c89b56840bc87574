// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The opcodes of memory, image and export formats, and how a row becomes the slots of a form.
#include "oracles/machine/gcn_isa/ImageAddress.h"
#include "oracles/machine/gcn_isa/MemorySlots.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;
using namespace assay::gcn::image;

/// By ImageKind.
static constexpr StringLiteral ImageSignatures[] = {
    "i_data i_addr i_rsrc:8 i_dmask i_dim unorm cache:l r128 a16 tfe lwe da d16",
    "i_data i_addr i_rsrc:8 i_dmask i_dim unorm cache:l r128 a16 tfe lwe da",
    "i_data i_addr i_rsrc:8 i_dmask i_dim unorm cache:l r128 a16 tfe lwe da d16",
    "i_data i_addr i_rsrc:8 i_dmask i_dim unorm cache:s r128 a16 tfe lwe da d16",
    "i_data i_addr i_rsrc:8 i_dmask i_dim unorm cache:s r128 a16 tfe lwe da",
    "i_data i_addr i_rsrc:8 i_dmask i_dim unorm cache:a r128 a16 tfe lwe da",
    "i_data i_addr i_rsrc:8 i_dmask i_dim unorm cache:l r128 a16 tfe lwe da",
    "i_data i_addr i_rsrc:8 i_samp i_dmask i_dim unorm cache:l r128 a16 tfe lwe da d16",
    "i_data i_addr i_rsrc:8 i_samp i_dmask i_dim unorm cache:l r128 a16 tfe lwe da d16",
    "i_data i_addr i_rsrc:8 i_samp i_dmask i_dim unorm cache:l r128 a16 tfe lwe da",
    "i_ray i_data i_addr i_rsrc:4 a16",
};

/// Of all exports; slots of fields that the chip lacks do nothing.
static constexpr StringLiteral ExportSignature =
    "e_target e_source:0 e_source:1 e_source:2 e_source:3 done compr vm row_en";

/// What follows the data in slots of buffers and FLAT.
#define BUFFER_ADDRESS " b_addr b_rsrc b_soffset:i32"
#define BUFFER_LOAD BUFFER_ADDRESS " idxen offen b_offset cache:l tfe"
#define BUFFER_LDS_LOAD BUFFER_LOAD " lds"
#define BUFFER_STORE BUFFER_ADDRESS " idxen offen b_offset cache:s tfe"
#define BUFFER_ATOMIC BUFFER_ADDRESS " idxen offen b_offset cache:a"
#define TYPED_LOAD BUFFER_ADDRESS " b_format idxen offen b_offset cache:l"
#define TYPED_STORE BUFFER_ADDRESS " b_format idxen offen b_offset cache:s"
#define FLAT_LOAD " f_addr f_saddr f_offset cache:l"
#define FLAT_LDS_LOAD FLAT_LOAD " lds"
#define FLAT_STORE " f_saddr f_offset cache:s"
#define FLAT_ATOMIC " f_saddr f_offset cache:a"

#define ROW(FORMAT, NAME, A, B, C, D, E, F, SIGNATURE)                                             \
  {#NAME, Format::FORMAT, {A, B, C, D, E, F}, SIGNATURE, 0},
#define SMEM_ROW(NAME, ...) ROW(Smem, NAME, __VA_ARGS__)
#define DS_ROW(NAME, ...) ROW(Ds, NAME, __VA_ARGS__)
#define FLAT_ROW(NAME, ...) ROW(Flat, NAME, __VA_ARGS__)
#define GLOBAL_ROW(NAME, ...) ROW(Global, NAME, __VA_ARGS__)
#define SCRATCH_ROW(NAME, ...) ROW(Scratch, NAME, __VA_ARGS__)
#define MUBUF_ROW(NAME, ...) ROW(Mubuf, NAME, __VA_ARGS__)
#define MTBUF_ROW(NAME, ...) ROW(Mtbuf, NAME, __VA_ARGS__)
#define IMAGE_ROW(NAME, A, B, C, D, E, F, KIND, PARTS)                                             \
  {#NAME,                                                                                          \
   Format::Mimg,                                                                                   \
   {A, B, C, D, E, F},                                                                             \
   ImageSignatures[unsigned(ImageKind::KIND)],                                                     \
   uint32_t(ImageKind::KIND) | (PARTS)},
static constexpr IsaRow MemoryRows[] = {
#include "oracles/machine/gcn_isa/tables/Buffer.def"
#include "oracles/machine/gcn_isa/tables/Ds.def"
#include "oracles/machine/gcn_isa/tables/Flat.def"
#include "oracles/machine/gcn_isa/tables/Image.def"
#include "oracles/machine/gcn_isa/tables/Smem.def"
    {"exp", Format::Exp, {0, 0, 0, 0, 0, -1}, ExportSignature, 0},
    {"export", Format::Exp, {-1, -1, -1, -1, -1, 0}, ExportSignature, 0},
};

ArrayRef<IsaRow> gcn::memoryRows() {
  return MemoryRows;
}

/// All slots of memory, image and export formats.
ArrayRef<SlotKind> gcn::memorySlotKinds() {
  static const std::vector<SlotKind> kinds = [] {
    std::vector<SlotKind> all;
    for (ArrayRef<SlotKind> part : {sharedSlots(), scalarMemorySlots(), dataShareSlots(),
                                    flatSlots(), bufferSlots(), imageSlots(), exportSlots()})
      all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return kinds;
}

/// GFX12 splits MIMG's opcodes between two formats.
std::optional<unsigned> gcn::opcodeInMemory(const IsaRow &row, unsigned opcode,
                                            const FormatLayout &layout, Chip) {
  if (row.format != layout.opcodes)
    return std::nullopt;
  if (layout.format == Format::Vimage || layout.format == Format::Vsample)
    if (isSampleFormat(imageKind(row.flags)) != (layout.format == Format::Vsample))
      return std::nullopt;
  return opcode;
}

namespace {

/// A field that is 0 in every opcode of a format none of whose slots starts with \p user, or where
/// that slot has the letter \p despite.
struct UnusedRow {
  Format format;
  uint8_t chips;
  Field field;
  StringLiteral user;
  char despite = 0;
};

/// From what LLVM's decoder refuses (AMDGPU's *Instructions.td, where a field is let be 0).
constexpr UnusedRow UnusedRows[] = {
    {Format::Smem, chips::Gfx9, Field::OffsetEnable, "s_offset"},
    {Format::Smem, chips::Gfx11, Field::Glc, "cache"},
    {Format::Smem, chips::Gfx11, Field::Dlc, "cache"},
    {Format::Ds, chips::All, Field::Vdst, "ds_dst"},
    {Format::Ds, chips::All, Field::Addr, "ds_addr"},
    {Format::Ds, chips::All, Field::Data0, "ds_data0"},
    {Format::Ds, chips::All, Field::Data1, "ds_data1"},
    {Format::Ds, chips::All, Field::Offset, "ds_offset"},
    {Format::Ds, chips::All, Field::Gds, "gds"},
    {Format::Flat, chips::All, Field::Lds, "lds"},
    {Format::Global, chips::All, Field::Lds, "lds"},
    {Format::Scratch, chips::All, Field::Lds, "lds"},
    {Format::Mubuf, chips::All, Field::Lds, "lds"},
    {Format::Mubuf, chips::All, Field::Tfe, "tfe"},
    {Format::Mubuf, chips::All, Field::Idxen, "idxen"},
    {Format::Mubuf, chips::All, Field::Offen, "offen"},
    {Format::Mubuf, chips::All, Field::Glc, "cache"},
    {Format::Mubuf, chips::Gfx10, Field::Dlc, "cache", 'a'},
    {Format::Mubuf, chips::Gfx11, Field::Dlc, "cache"},
    {Format::Mtbuf, chips::All, Field::Tfe, "tfe"},
    {Format::Vbuffer, chips::All, Field::Tfe, "tfe"},
    {Format::Vtbuffer, chips::All, Field::Tfe, "tfe"},
    {Format::Mimg, chips::All, Field::D16, "d16"},
    {Format::Vimage, chips::All, Field::D16, "d16"},
    {Format::Vsample, chips::All, Field::D16, "d16"},
    {Format::Mimg, chips::All, Field::Ssamp, "i_samp"},
    {Format::Vsample, chips::All, Field::Ssamp, "i_samp"},
};

} // namespace

/// Whether a slot of the form gives the field a meaning.
static bool usesField(const InstForm &form, const UnusedRow &row) {
  return any_of(form.slots, [&](const Slot &slot) {
    return slot.kind->name.starts_with(row.user) && (!row.despite || slot.letter != row.despite);
  });
}

/// Sets the slots of the signature, and adds those of fields that must be 0.
void gcn::finishMemoryForm(InstForm &form, Chip chip) {
  form.slots = parseSlots(form.row->signature);
  if (form.layout->format == Format::Vbuffer)
    form.slots.push_back(parseSlots("b_untyped").front());
  for (const UnusedRow &row : UnusedRows) {
    if (row.format != form.layout->format || !contains(row.chips, chip) || usesField(form, row))
      continue;
    Slot slot;
    slot.kind = findSlotKind("unused");
    slot.number = static_cast<uint16_t>(row.field);
    form.slots.push_back(slot);
  }
}
