// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The vertices of rectangles and grids, which scripts of both languages draw without having any.
#pragma once

#include "oracles/api/Case.h"
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace assay::input {

struct DrawArea {
  float x = 0, y = 0, width = 0, height = 0;
};

/// Pixels of a framebuffer to normalized device coordinates; in single precision, as in Amber.
DrawArea normalizeArea(DrawArea area, uint32_t frameWidth, uint32_t frameHeight);

/// Two floats a vertex, in Amber's order: a strip, or a list of two triangles a cell.
std::vector<float> rectanglePositions(const DrawArea &area);
/// Six vertices a cell, cells in rows from the top; \p columns and \p rows are not 0.
std::vector<float> gridPositions(const DrawArea &area, uint64_t columns, uint64_t rows);

/// The type of a position, and its bytes.
DataFormat positionFormat();
/// Returns 32-bit little-endian floats.
std::vector<uint8_t> positionBytes(llvm::ArrayRef<float> positions);

/// Makes \p buffer of such positions the only vertex data of \p pipeline, at location 0.
void setPositions(CasePipeline &pipeline, unsigned buffer);

/// Remembers which buffer has which positions.
class PositionBuffers {
public:
  /// The buffer with exactly these positions, bit by bit.
  std::optional<unsigned> find(llvm::ArrayRef<float> positions) const;
  void add(llvm::ArrayRef<float> positions, unsigned buffer);
  size_t size() const { return m_buffers.size(); }

private:
  std::map<std::vector<uint8_t>, unsigned> m_buffers;
};

} // namespace assay::input
