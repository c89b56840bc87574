// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a wave sends to fixed-function hardware: exports and messages. The machine keeps them; what
// is after (rasterizer, blending, primitive assembly) reads them from the wave.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

namespace assay::gcn {

/// Where an export goes, by the number in its encoding (AMD's ISA manuals, "Export Instruction").
enum class ExportTarget : uint8_t {
  Color,      ///< MRT0 to MRT7.
  Depth,      ///< MRTZ.
  Nothing,    ///< NULL.
  Position,   ///< POS0 to POS3; from GFX10 on also POS4.
  Primitive,  ///< From GFX10 on.
  DualSource, ///< From GFX11 on: two colors for one target.
  Parameter,  ///< PARAM0 to PARAM31, up to GFX10.
};

/// A target and its number among those of its kind.
struct ExportPlace {
  ExportTarget target = ExportTarget::Nothing;
  uint8_t index = 0;
};

/// Nothing for a number that generation \p gfxMajor does not have.
std::optional<ExportPlace> findExportPlace(unsigned number, unsigned gfxMajor);

/// One export instruction of one wave.
struct ExportRecord {
  ExportPlace place;
  uint8_t enabled = 0;       ///< Bit per component.
  bool isCompressed = false; ///< Pairs of 16 bits: value 0 holds x and y, value 1 z and w.
  bool isDone = false;
  bool isValidMask = false;    ///< EXEC is the mask of the pixels that go on.
  std::optional<uint32_t> row; ///< M0[7:0], where the export names a row (GFX11+).
  uint64_t exec = 0;           ///< Lanes that export.
  uint64_t instruction = 0;    ///< How many instructions the wave had executed.
  std::array<std::array<uint32_t, 64>, 4> values{}; ///< Of components that are enabled.
};

/// One s_sendmsg or s_sendmsghalt.
struct MessageRecord {
  uint16_t message = 0;     ///< The immediate: id, operation and stream where it has them.
  uint32_t m0 = 0;          ///< M0 at that time.
  uint64_t instruction = 0; ///< As ExportRecord::instruction.
};

/// Of one wave; a wave that sends more is stopped.
constexpr unsigned MaxExports = 1024;
constexpr unsigned MaxMessages = 4096;

} // namespace assay::gcn
