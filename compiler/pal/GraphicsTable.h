// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GraphicsRegisters.def as rows: what the writers of both versions of metadata loop over.
#pragma once

#include "compiler/pal/GraphicsMetadata.h"

namespace assay::pal {

/// Which shader a register belongs to.
enum class Part : uint8_t { Vertex, Pixel };

/// A hardware stage.
struct StageRow {
  llvm::StringLiteral key; ///< In '.hardware_stages'.
  llvm::StringLiteral entryPoint;
  Part part;
};

const StageRow &getStageRow(HardwareStage stage);
/// Whether a stage of \p metadata belongs to \p part.
bool hasPart(const GraphicsMetadata &metadata, Part part);

/// A register that is a map in metadata 3.x.
struct RegisterRow {
  llvm::StringLiteral key;
  Part part;
};

/// A field of a register.
struct FieldRow {
  llvm::StringLiteral map; ///< Key of its register; empty for a value of its own.
  llvm::StringLiteral key;
  Part part;
  bool isFlag;
  unsigned offset; ///< Dword offset of the register, GFX9 to GFX11 (getRegisterOffset).
  unsigned low, width;
  unsigned since, until; ///< Generations, as in getGeneration.
  uint32_t (*read)(const GraphicsRegisters &);
  void (*write)(GraphicsRegisters &, uint32_t value);
};

llvm::ArrayRef<RegisterRow> getRegisterRows();
llvm::ArrayRef<FieldRow> getFieldRows();
/// The row with \p key of register \p map (empty: a value of its own), or null.
const FieldRow *findFieldRow(llvm::StringRef map, llvm::StringRef key);

/// A field of SPI_PS_INPUT_CNTL_n.
struct InputControlRow {
  llvm::StringLiteral key;
  bool isFlag;
  unsigned low, width;
  unsigned since, until;
  uint32_t (*read)(const SpiPsInputCntl &);
};
llvm::ArrayRef<InputControlRow> getInputControlRows();

/// 90 for GFX9, 101, 103, 110, 115, 120.
unsigned getGeneration(const TargetInfo &target);
/// Whether the generation, as in getGeneration, has the field.
template <typename Row> bool hasField(const Row &row, unsigned generation) {
  return generation >= row.since && generation <= row.until;
}

} // namespace assay::pal
