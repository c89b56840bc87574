// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/elf/CheckMetadata.h"

#include "fuzz/elf/CheckMsgPack.h"
#include "oracles/pal_elf/Metadata.h"
#include "oracles/pal_elf/MsgPack.h"
#include "oracles/pal_elf/Schema.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::fuzz;

namespace {
/// Takes numbers from the front of some bytes.
class Fields {
public:
  explicit Fields(ArrayRef<uint8_t> bytes) : m_bytes(bytes) {}

  /// Reads sizeof(T) bytes, little endian. Bytes past the end are 0.
  template <typename T> void take(T &field) {
    uint64_t value = 0;
    for (unsigned i = 0; i < sizeof(T) && !m_bytes.empty(); ++i) {
      value |= uint64_t(m_bytes.front()) << 8 * i;
      m_bytes = m_bytes.drop_front();
    }
    field = static_cast<T>(value);
  }
  /// Reads all elements in order.
  template <typename T, size_t N> void take(std::array<T, N> &fields) {
    for (T &field : fields)
      take(field);
  }
  /// Reads 16 bytes, the low half first.
  void take(Hash128 &field) {
    take(field.low);
    take(field.high);
  }
  /// Reads one byte; its lowest bit counts.
  void take(bool &field) {
    uint8_t byte = 0;
    take(byte);
    field = byte & 1;
  }

private:
  ArrayRef<uint8_t> m_bytes;
};
} // namespace

pal::Metadata fuzz::readMetadataFields(ArrayRef<uint8_t> bytes) {
  Fields fields(bytes);
  pal::Metadata metadata;
  pal::ComputeStage &stage = metadata.compute;
  fields.take(stage.wavefrontSize);
  fields.take(stage.threadgroupDimensions);
  fields.take(stage.userSgprs);
  fields.take(stage.floatMode);
  fields.take(stage.sgprLimit);
  fields.take(stage.vgprLimit);
  fields.take(stage.workgroupIdEnabled);
  fields.take(stage.threadgroupSizeEnabled);
  fields.take(stage.localIdComponents);
  fields.take(metadata.userDataLimit);
  fields.take(metadata.spillThreshold);
  fields.take(metadata.pipelineHash);
  fields.take(metadata.shaderHash);
  fields.take(stage.userDataRegMap);
  stage.userSgprs %= pal::maxComputeUserSgprs + 1;
  stage.localIdComponents = static_cast<uint8_t>(1 + stage.localIdComponents % 3);
  return metadata;
}

/// Names what differs; each row a field of both models.
static std::string compareModels(const pal::Metadata &metadata, const PalMetadata &read) {
  const pal::ComputeStage &stage = metadata.compute;
  const HardwareStageMetadata *other = read.find(".cs");
  if (!other || read.stages.size() != 1)
    return "stages";
  const ComputeRegisters &registers = read.compute;
  const std::pair<bool, const char *> fields[] = {
      {read.major == 3 && read.minor == 0, "version"},
      {read.api == "Vulkan" && read.type == "Cs", "type"},
      {read.userDataLimit == metadata.userDataLimit, "user data limit"},
      {read.spillThreshold == metadata.spillThreshold, "spill threshold"},
      {read.registers.empty(), "registers"},
      {other->entryPoint == pal::computeEntryPoint, "entry point"},
      {other->wavefrontSize == stage.wavefrontSize, "wavefront size"},
      {other->threadgroupDimensions == stage.threadgroupDimensions, "threadgroup dimensions"},
      {other->userSgprs == stage.userSgprs, "user SGPRs"},
      {other->userDataRegMap == stage.userDataRegMap, "user data registers"},
      {other->floatMode == stage.floatMode, "float mode"},
      {other->memOrdered, "memory order"},
      {registers.tgidXEn == stage.workgroupIdEnabled && registers.tgidYEn == registers.tgidXEn &&
           registers.tgidZEn == registers.tgidXEn,
       "workgroup ids"},
      {registers.tgSizeEn == stage.threadgroupSizeEnabled, "threadgroup size"},
      {registers.tidigCompCnt + 1 == stage.localIdComponents, "local ids"},
  };
  for (const auto &[isSame, name] : fields)
    if (!isSame)
      return name;
  return "";
}

/// True if the value is an array of two integers: the low and the high half of the hash.
static bool isHash(const MsgValue *value, const Hash128 &hash) {
  return value && value->kind == MsgKind::Array && value->items.size() == 2 &&
         value->items[0].asUint() == hash.low && value->items[1].asUint() == hash.high;
}

/// The hashes and limits, which the validator's model has not.
static std::string compareTree(const pal::Metadata &metadata, const MsgValue &pipeline) {
  const MsgValue *shaders = pipeline.find(".shaders");
  const MsgValue *shader = shaders ? shaders->find(".compute") : nullptr;
  const MsgValue *stages = pipeline.find(".hardware_stages");
  const MsgValue *stage = stages ? stages->find(".cs") : nullptr;
  if (!isHash(pipeline.find(".internal_pipeline_hash"), metadata.pipelineHash))
    return "pipeline hash";
  if (!shader || !isHash(shader->find(".api_shader_hash"), metadata.shaderHash))
    return "shader hash";
  auto number = [&](StringRef key) {
    const MsgValue *value = stage ? stage->find(key) : nullptr;
    return value ? value->asUint() : std::nullopt;
  };
  if (number(".sgpr_limit") != metadata.compute.sgprLimit ||
      number(".vgpr_limit") != metadata.compute.vgprLimit)
    return "register limits";
  return "";
}

/// Checks MessagePack, schema, the model and the tree, in this order; the first problem is
/// returned.
std::string fuzz::checkMetadata(const pal::Metadata &metadata, StringRef written) {
  if (std::string wrong = checkMsgPack(arrayRefFromStringRef(written)); !wrong.empty())
    return wrong;
  Expected<MsgValue> root = readMsgPack(arrayRefFromStringRef(written));
  if (!root)
    return "METADATA-READ: " + takeError(root.takeError()).message;
  std::string message;
  checkSchema(*root, 30, [&](const SchemaProblem &problem) {
    if (problem.kind != SchemaProblemKind::Range && message.empty())
      message = problem.text;
  });
  if (!message.empty())
    return "METADATA-SCHEMA: " + message;
  Expected<PalMetadata> read = decodePalMetadata(*root);
  if (!read)
    return "METADATA-READ: " + takeError(read.takeError()).message;
  std::string wrong = compareModels(metadata, *read);
  if (wrong.empty())
    wrong = compareTree(metadata, root->find("amdpal.pipelines")->items[0]);
  return wrong.empty() ? "" : "METADATA-ROUND-TRIP: " + wrong + " came back as another value";
}
