// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers: AMD's register reference; LLVM, AMDGPUAsmPrinter::EmitPALMetadata has what it writes.
#include "compiler/pal/PixelMetadata.h"

#include "compiler/pal/GraphicsTable.h"
#include "compiler/pal/Metadata.h"
#include "compiler/pal/Nodes.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Module.h"

using namespace llvm;
using namespace assay;
using namespace assay::pal;

/// Dword offsets: SPI_SHADER_PGM_RSRC1_PS and RSRC2_PS, SPI_PS_INPUT_ENA and _ADDR.
static constexpr unsigned rsrc1 = 0x2c0a, rsrc2 = 0x2c0b, inputEna = 0xa1b3, inputAddr = 0xa1b4;
static constexpr StringLiteral versionKey = "amdpal.version", pipelinesKey = "amdpal.pipelines";

/// Reads \p blob into \p document and returns its map; InvalidInput where it is none.
static Expected<msgpack::MapDocNode> openRoot(msgpack::Document &document, StringRef blob) {
  if (!document.readFromBlob(blob, /*Multi=*/false) || !document.getRoot().isMap())
    return invalidInput("the metadata are no msgpack map");
  return document.getRoot().getMap();
}

/// Sets the version to 2.6, so that LLVM writes values of registers. InvalidInput without metadata.
Error pal::hideVersion(Module &module) {
  std::optional<StringRef> blob = getModuleBlob(module);
  if (!blob)
    return invalidInput("the module has no metadata");
  msgpack::Document document;
  Expected<msgpack::MapDocNode> root = openRoot(document, *blob);
  if (!root)
    return root.takeError();
  (*root)[versionKey] = makeArray(document, std::array{2u, 6u});
  std::string hidden;
  document.writeToBlob(hidden);
  setModuleBlob(module, hidden);
  return Error::success();
}

namespace {
/// The registers of a pixel shader with the values that LLVM wrote.
class RegisterValues {
public:
  explicit RegisterValues(msgpack::MapDocNode registers) : m_registers(registers) {}
  /// The value at a dword offset; 0 where there is none.
  uint32_t operator[](unsigned offset) const {
    auto found = m_registers.find(m_registers.getDocument()->getNode(offset));
    bool isNumber = found != m_registers.end() && found->second.getKind() == msgpack::Type::UInt;
    return isNumber ? static_cast<uint32_t>(found->second.getUInt()) : 0;
  }

private:
  mutable msgpack::MapDocNode m_registers;
};
} // namespace

/// Returns bit \p number of \p value, from 0.
static bool bit(uint32_t value, unsigned number) {
  return value >> number & 1;
}

/// Adds the fields of the hardware stage that LLVM wrote as bits of registers. From GFX10 on the
/// last three flags are on, as in LLVM; a pixel shader has no LDS besides the extra LDS.
static void addStageFields(msgpack::MapDocNode stage, const RegisterValues &registers,
                           const TargetInfo &target) {
  stage[".debug_mode"] = bit(registers[rsrc1], 22);
  if (target.major < 12)
    stage[".ieee_mode"] = bit(registers[rsrc1], 23);
  stage[".scratch_en"] = bit(registers[rsrc2], 0);
  for (StringRef key : {".wgp_mode", ".mem_ordered", ".forward_progress"})
    stage[key] = target.major >= 10;
  stage[".lds_size"] = 0u;
}

/// Adds the size of extra LDS and the enabled inputs, both as LLVM wrote them to registers.
static void addGraphicsFields(msgpack::MapDocNode fields, const RegisterValues &registers) {
  fields[".ps_extra_lds_size"] = registers[rsrc2] >> 8 & 0xff;
  for (const FieldRow &row : getFieldRows())
    if (row.offset == inputEna || row.offset == inputAddr)
      fields[row.map].getMap(/*Convert=*/true)[row.key] = bit(registers[row.offset], row.low);
}

/// Returns \p blob as version 3.0: values of registers become fields, '.registers' goes.
static Expected<std::string> restoreFields(StringRef blob, const TargetInfo &target) {
  msgpack::Document document;
  Expected<msgpack::MapDocNode> root = openRoot(document, blob);
  if (!root)
    return root.takeError();
  auto pipelines = root->find(pipelinesKey);
  if (pipelines == root->end() || !pipelines->second.isArray() ||
      pipelines->second.getArray().size() != 1)
    return invalidInput("the metadata do not have one pipeline");
  msgpack::MapDocNode pipeline = pipelines->second.getArray()[0].getMap(/*Convert=*/true);
  msgpack::MapDocNode values = pipeline[".registers"].getMap(/*Convert=*/true);
  RegisterValues registers(values);
  msgpack::MapDocNode stages = pipeline[".hardware_stages"].getMap(/*Convert=*/true);
  addStageFields(stages[".ps"].getMap(/*Convert=*/true), registers, target);
  addGraphicsFields(pipeline[".graphics_registers"].getMap(/*Convert=*/true), registers);
  pipeline.erase(document.getNode(".registers"));
  (*root)[versionKey] = makeArray(document, std::array{3u, 0u});
  std::string restored;
  document.writeToBlob(restored);
  return restored;
}

Expected<std::vector<uint8_t>> pal::restoreVersion(ArrayRef<uint8_t> elf,
                                                   const TargetInfo &target) {
  Expected<std::string> hidden = readMetadataNote(elf);
  if (!hidden)
    return hidden.takeError();
  Expected<std::string> restored = restoreFields(*hidden, target);
  if (!restored)
    return restored.takeError();
  return replaceMetadata(elf, *restored);
}
