// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/input/DrawVertices.h"

#include "oracles/input/DataTypes.h"
#include "oracles/input/Literals.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

using namespace llvm;
using namespace assay;
using namespace assay::input;

/// From pixels of the framebuffer to normalized device coordinates.
DrawArea input::normalizeArea(DrawArea area, uint32_t frameWidth, uint32_t frameHeight) {
  auto width = static_cast<float>(frameWidth), height = static_cast<float>(frameHeight);
  area.x = ((area.x / width) * 2.0f) - 1.0f;
  area.y = ((area.y / height) * 2.0f) - 1.0f;
  area.width = (area.width / width) * 2.0f;
  area.height = (area.height / height) * 2.0f;
  return area;
}

/// Returns the four corners of a triangle strip, two floats each.
std::vector<float> input::rectanglePositions(const DrawArea &area) {
  float right = area.x + area.width, bottom = area.y + area.height;
  return {area.x, bottom, area.x, area.y, right, bottom, right, area.y};
}

/// Returns two triangles for each cell, row by row, two floats for each vertex.
std::vector<float> input::gridPositions(const DrawArea &area, uint64_t columns, uint64_t rows) {
  float cellWidth = area.width / static_cast<float>(columns);
  float cellHeight = area.height / static_cast<float>(rows);
  std::vector<float> positions;
  for (uint64_t row = 0; row < rows; ++row)
    for (uint64_t column = 0; column < columns; ++column) {
      float left = area.x + cellWidth * static_cast<float>(column);
      float top = area.y + cellHeight * static_cast<float>(row);
      float right = area.x + cellWidth * static_cast<float>(column + 1);
      float bottom = area.y + cellHeight * static_cast<float>(row + 1);
      append_values(positions, right, bottom, left, bottom, left, top, right, bottom, left, top,
                    right, top);
    }
  return positions;
}

/// Two 32-bit floats without padding.
DataFormat input::positionFormat() {
  return makeDataFormat(ScalarKind::Float32, 2, 1, BlockLayout::Std430);
}

/// Little-endian, as all buffers.
std::vector<uint8_t> input::positionBytes(ArrayRef<float> positions) {
  std::vector<uint8_t> bytes(positions.size() * sizeof(float));
  for (const auto &[index, position] : enumerate(positions))
    storeScalar(bytes, index * sizeof(float), ScalarKind::Float32, bit_cast<uint32_t>(position));
  return bytes;
}

/// Makes \p buffer the only vertex buffer of the pipeline, at location 0.
void input::setPositions(CasePipeline &pipeline, unsigned buffer) {
  DataFormat format = positionFormat();
  InputAssemblyState &input = pipeline.description.graphics.input;
  input.bindings = {{.binding = 0, .stride = format.stride}};
  input.attributes = {
      {.location = 0, .binding = 0, .format = *vectorFormat(format.scalar, format.rows)}};
  pipeline.draw.vertexBuffers = {{.binding = 0, .buffer = buffer}};
}

/// Compares positions by their bits.
std::optional<unsigned> PositionBuffers::find(ArrayRef<float> positions) const {
  auto found = m_buffers.find(positionBytes(positions));
  return found == m_buffers.end() ? std::nullopt : std::optional(found->second);
}

void PositionBuffers::add(ArrayRef<float> positions, unsigned buffer) {
  m_buffers[positionBytes(positions)] = buffer;
}
