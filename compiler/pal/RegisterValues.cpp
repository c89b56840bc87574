// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Metadata 2.x: the values of hardware registers. Offsets and bits: Mesa, src/amd/registers.
#include "compiler/pal/GraphicsTable.h"

using namespace llvm;
using namespace assay;
using namespace assay::pal;

namespace {

class RegisterCollector {
public:
  RegisterCollector(const GraphicsMetadata &metadata, unsigned generation)
      : m_metadata(metadata), m_generation(generation) {}
  std::map<unsigned, uint32_t> collect();

private:
  void add(unsigned offset, uint32_t value);
  void addStage(const GraphicsStage &stage);

  const GraphicsMetadata &m_metadata;
  unsigned m_generation;
  std::map<unsigned, uint32_t> m_values;
};

/// A register that is elsewhere in some generations; 0: it does not exist.
struct Move {
  unsigned offset, since, until, to;
};

} // namespace

static constexpr unsigned inputControl0 = 0xa191, positionFormat = 0xa1c3, outputPrimitive = 0xa29b,
                          iaMultiVgtParam = 0xa2aa;

static constexpr Move moves[] = {{iaMultiVgtParam, 90, 90, 0xc258},
                                 {iaMultiVgtParam, 110, 115, 0},
                                 {outputPrimitive, 110, 115, 0xc266}};

static unsigned getOffset(unsigned offset, unsigned generation) {
  for (const Move &move : moves)
    if (move.offset == offset && generation >= move.since && generation <= move.until)
      return move.to;
  return offset;
}

/// Context registers have a value in every pipeline; others are of one hardware stage.
static bool isContext(const FieldRow &row) {
  return row.offset >= 0xa000;
}

void RegisterCollector::add(unsigned offset, uint32_t value) {
  if (unsigned place = getOffset(offset, m_generation))
    m_values[place] |= value;
}

/// What LLVM's back-end does not know of RSRC2, and the user data.
void RegisterCollector::addStage(const GraphicsStage &stage) {
  const StageRow &row = getStageRow(stage.stage);
  unsigned highBit = m_generation < 100 ? 28 : 27; // USER_SGPR_MSB
  add(row.rsrc2, (stage.userSgprs & 31) << 1 | stage.userSgprs >> 5 << highBit);
  for (unsigned i = 0; i < stage.userSgprs; ++i)
    if (stage.userDataRegMap[i] != NotMapped)
      add(row.userData + i, stage.userDataRegMap[i]);
}

std::map<unsigned, uint32_t> RegisterCollector::collect() {
  const GraphicsRegisters &registers = m_metadata.registers;
  for (const FieldRow &row : getFieldRows())
    if (uint32_t value = row.read(registers);
        hasPart(m_metadata, row.part) && hasField(row, m_generation) && (value || isContext(row)))
      add(row.offset, value << row.low);
  if (hasPart(m_metadata, Part::Pixel)) {
    add(inputControl0, 0);
    for (auto [i, control] : enumerate(registers.spiPsInputCntl))
      for (const InputControlRow &row : getInputControlRows())
        if (hasField(row, m_generation))
          add(inputControl0 + i, row.read(control) << row.low);
  }
  if (hasPart(m_metadata, Part::Vertex)) {
    for (auto [i, format] : enumerate(registers.spiShaderPosFormat))
      add(positionFormat, static_cast<uint32_t>(format) << (4 * i));
    if (m_metadata.type == GraphicsPipelineType::Ngg)
      add(outputPrimitive, static_cast<uint32_t>(registers.vgtGsOutPrimType));
  }
  for (const GraphicsStage &stage : m_metadata.stages)
    addStage(stage);
  return std::move(m_values);
}

std::map<unsigned, uint32_t> pal::collectRegisterValues(const GraphicsMetadata &metadata,
                                                        unsigned generation) {
  return RegisterCollector(metadata, generation).collect();
}
