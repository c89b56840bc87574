// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pal/CombineParts.h"
#include "compiler/pal/Nodes.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace llvm;
using namespace assay;
using namespace assay::pal;

namespace {

/// A key with a number for the whole pipeline: the larger or the smaller one of its parts.
struct LimitRow {
  StringLiteral key;
  bool takesLarger;
};

/// Combines into the document of the vertex part; nodes of the fragment part are copied.
class MetadataCombiner {
public:
  /// Returns the combined metadata of both parts as msgpack. May be called once.
  Expected<std::string> combine(StringRef vertex, StringRef fragment, const Hash128 &pipeline,
                                ArrayRef<std::string> glue);
  /// Returns the metadata of one part with its glue. May be called once, instead of combine().
  Expected<std::string> finish(StringRef part, const Hash128 &pipeline, ArrayRef<std::string> glue);

private:
  /// \p place names the map in messages.
  Error join(msgpack::MapDocNode into, msgpack::MapDocNode from, const Twine &place);
  /// Fills in the parameter of each interpolant by its semantic.
  void link(msgpack::MapDocNode pipeline);
  /// Adds registers and limits of one piece of glue.
  Error addGlue(msgpack::MapDocNode pipeline, StringRef blob);

  msgpack::Document m_document, m_fragment;
};

} // namespace

static constexpr LimitRow limitRows[] = {{".user_data_limit", true}, {".spill_threshold", false}};

/// Keys of maps that both parts must have. Their entries are joined one by one.
static constexpr StringLiteral jointMaps[] = {".shaders", ".hardware_stages",
                                              ".graphics_registers"};

/// SPI_PS_INPUT_CNTL.OFFSET of an interpolant that nothing is exported for.
static constexpr unsigned useDefaultValue = 0x20;

/// The one key that parts of version 2.6 have in addition: values of registers by dword offset.
static constexpr StringLiteral registersKey = ".registers";

/// Returns the version of metadata that readPipeline() accepts.
static std::array<unsigned, 2> versionOf(msgpack::Document &document) {
  bool isHidden = document.getRoot().getMap()["amdpal.version"].getArray()[0].getUInt() == 2;
  return isHidden ? std::array{2u, 6u} : std::array{3u, 0u};
}

/// Reads \p blob into \p document and returns its one pipeline. InvalidInput where it is malformed,
/// Unsupported for versions other than 3 without the fields of 3.
static Expected<msgpack::MapDocNode> readPipeline(msgpack::Document &document, StringRef blob) {
  if (!document.readFromBlob(blob, /*Multi=*/false) || !document.getRoot().isMap())
    return invalidInput("the metadata of a part are no msgpack map");
  msgpack::DocNode &pipelines = document.getRoot().getMap()["amdpal.pipelines"];
  msgpack::DocNode &version = document.getRoot().getMap()["amdpal.version"];
  if (!pipelines.isArray() || pipelines.getArray().size() != 1 ||
      !pipelines.getArray()[0].isMap() || !version.isArray() || version.getArray().empty() ||
      version.getArray()[0].getKind() != msgpack::Type::UInt)
    return invalidInput("the metadata of a part lack a version, or one pipeline");
  uint64_t major = version.getArray()[0].getUInt();
  msgpack::MapDocNode pipeline = pipelines.getArray()[0].getMap();
  bool isHidden = major == 2 && pipeline.find(".graphics_registers") != pipeline.end() &&
                  pipeline[registersKey].isMap();
  if (major != 3 && !isHidden)
    return unsupported("parts with metadata of version " + Twine(major));
  return pipeline;
}

/// Compares two nodes of any documents by their contents; maps may be in any order.
static bool isEqual(msgpack::DocNode a, msgpack::DocNode b) {
  if (a.getKind() != b.getKind())
    return false;
  if (a.isMap()) {
    auto &left = a.getMap(), &right = b.getMap();
    return left.size() == right.size() && all_of(left, [&](auto &entry) {
             auto found = right.find(entry.first);
             return found != right.end() && isEqual(entry.second, found->second);
           });
  }
  if (a.isArray()) {
    auto &left = a.getArray(), &right = b.getArray();
    if (left.size() != right.size())
      return false;
    for (size_t i = 0; i < left.size(); ++i)
      if (!isEqual(left[i], right[i]))
        return false;
    return true;
  }
  return a == b;
}

/// Returns a deep copy of \p node that belongs to \p document. Keys of different documents can't be
/// compared. Binary and extension nodes become nil.
static msgpack::DocNode copyNode(msgpack::Document &document, msgpack::DocNode node) {
  switch (node.getKind()) {
  case msgpack::Type::Map: {
    msgpack::MapDocNode map = document.getMapNode();
    for (auto &[key, value] : node.getMap())
      map[copyNode(document, key)] = copyNode(document, value);
    return map;
  }
  case msgpack::Type::Array: {
    msgpack::ArrayDocNode array = document.getArrayNode();
    for (msgpack::DocNode &value : node.getArray())
      array.push_back(copyNode(document, value));
    return array;
  }
  case msgpack::Type::Boolean:
    return document.getNode(node.getBool());
  case msgpack::Type::UInt:
    return document.getNode(node.getUInt());
  case msgpack::Type::Int:
    return document.getNode(node.getInt());
  case msgpack::Type::Float:
    return document.getNode(node.getFloat());
  case msgpack::Type::String:
    return document.getNode(node.getString(), /*Copy=*/true);
  default:
    return document.getNode();
  }
}

/// Adds the entries of \p from to \p into. InvalidInput where both have a key with different
/// values.
Error MetadataCombiner::join(msgpack::MapDocNode into, msgpack::MapDocNode from,
                             const Twine &place) {
  for (auto &[key, value] : from) {
    auto found = into.find(key);
    if (found == into.end())
      into[key] = value;
    else if (!isEqual(found->second, value))
      return invalidInput("both parts have '" + key.toString() + "' in " + place);
  }
  return Error::success();
}

/// Returns the unsigned number at \p key, or 0.
static uint64_t numberAt(msgpack::MapDocNode map, StringRef key) {
  auto found = map.find(key);
  bool isNumber = found != map.end() && found->second.getKind() == msgpack::Type::UInt;
  return isNumber ? found->second.getUInt() : 0;
}

/// Returns the index of each exported parameter by its semantic; empty where the pipeline has none.
static std::map<uint64_t, uint64_t> readOutputs(msgpack::MapDocNode pipeline) {
  std::map<uint64_t, uint64_t> outputs;
  auto found = pipeline.find(".preraster_output_semantic");
  if (found != pipeline.end())
    for (msgpack::DocNode &output : found->second.getArray())
      outputs[numberAt(output.getMap(), ".semantic")] = numberAt(output.getMap(), ".index");
  return outputs;
}

/// Sets the offset of each interpolant to the parameter with its semantic. An interpolant without
/// one gets the default value and is not flat. Removes the semantics and the glue, which only parts
/// have.
void MetadataCombiner::link(msgpack::MapDocNode pipeline) {
  std::map<uint64_t, uint64_t> outputs = readOutputs(pipeline);
  auto inputs = pipeline.find(".ps_input_semantic");
  if (inputs != pipeline.end()) {
    msgpack::ArrayDocNode controls =
        pipeline[".graphics_registers"].getMap()[".spi_ps_input_cntl"].getArray();
    msgpack::ArrayDocNode &semantics = inputs->second.getArray();
    for (size_t i = 0; i < semantics.size() && i < controls.size(); ++i) {
      auto output = outputs.find(numberAt(semantics[i].getMap(), ".semantic"));
      msgpack::MapDocNode &control = controls[i].getMap();
      bool isMissing = output == outputs.end();
      control[".offset"] = isMissing ? useDefaultValue : static_cast<unsigned>(output->second);
      if (isMissing)
        control[".flat_shade"] = false;
    }
  }
  for (StringRef key : {".ps_input_semantic", ".preraster_output_semantic", ".glue"})
    pipeline.erase(pipeline.getDocument()->getNode(key));
}

/// Keys of hardware stages that are counts.
static constexpr StringLiteral countKeys[] = {".sgpr_count", ".vgpr_count"};

/// Dword offsets of the first resource register of PS, VS and GS.
static constexpr unsigned resourceRegisters[] = {0x2c0a, 0x2c4a, 0x2c8a};
/// Their fields that are counts, VGPRS and SGPRS, in units of the generation.
static constexpr uint32_t countFields[] = {0x3f, 0x3c0};

/// Raises the counts of registers in the resource registers of \p part to those of \p glue.
static void raiseCounts(msgpack::MapDocNode part, msgpack::MapDocNode glue) {
  for (unsigned offset : resourceRegisters) {
    msgpack::DocNode key = glue.getDocument()->getNode(offset);
    auto found = glue.find(key);
    if (found == glue.end() || part.find(key) == part.end())
      continue;
    uint64_t value = part[key].getUInt(), other = found->second.getUInt();
    for (uint32_t field : countFields)
      value = (value & ~uint64_t(field)) | std::max(value & field, other & field);
    part[key] = value;
  }
}

/// Maps of registers that the glue of a fragment part decides about.
static constexpr StringLiteral colorMaps[] = {".spi_shader_col_format", ".cb_shader_mask",
                                              ".db_shader_control"};

/// Copies the numbers and flags of \p from that are not 0 or false to \p into.
static void overwrite(msgpack::MapDocNode into, msgpack::MapDocNode from) {
  for (auto &[key, value] : from) {
    bool isNumber = value.getKind() == msgpack::Type::UInt && value.getUInt() != 0;
    bool isFlag = value.getKind() == msgpack::Type::Boolean && value.getBool();
    if (isNumber || isFlag)
      into[key] = value;
  }
}

/// Adds the metadata \p blob of glue, which describe a stage that does nothing else. Register
/// counts become the larger ones; glue of a fragment part decides on colour formats and masks.
/// Unsupported for glue that needs scratch memory.
Error MetadataCombiner::addGlue(msgpack::MapDocNode pipeline, StringRef blob) {
  msgpack::Document document;
  Expected<msgpack::MapDocNode> foreign = readPipeline(document, blob);
  if (!foreign)
    return foreign.takeError();
  msgpack::MapDocNode glue = copyNode(m_document, *foreign).getMap();
  for (auto &[name, stage] : glue[".hardware_stages"].getMap()) {
    msgpack::MapDocNode part = pipeline[".hardware_stages"].getMap()[name].getMap();
    if (numberAt(stage.getMap(), ".scratch_memory_size") != 0)
      return unsupported("glue that needs scratch memory");
    for (StringRef key : countKeys)
      part[key] = std::max(numberAt(part, key), numberAt(stage.getMap(), key));
  }
  if (glue.find(registersKey) != glue.end() && pipeline.find(registersKey) != pipeline.end())
    raiseCounts(pipeline[registersKey].getMap(), glue[registersKey].getMap());
  msgpack::MapDocNode registers = pipeline[".graphics_registers"].getMap();
  if (glue[".shaders"].getMap().find(".pixel") == glue[".shaders"].getMap().end())
    return Error::success();
  for (StringRef key : colorMaps)
    overwrite(registers[key].getMap(/*Convert=*/true),
              glue[".graphics_registers"].getMap()[key].getMap(/*Convert=*/true));
  if (glue.find(".ps_dummy_export") != glue.end() &&
      numberAt(registers, ".spi_shader_z_format") == 0)
    pipeline[".ps_dummy_export"] = true;
  return Error::success();
}

/// Joins maps, limits, and all other keys, which may not differ; then adds the glue and links
/// interpolants.
Expected<std::string> MetadataCombiner::combine(StringRef vertex, StringRef fragment,
                                                const Hash128 &pipeline,
                                                ArrayRef<std::string> glue) {
  Expected<msgpack::MapDocNode> whole = readPipeline(m_document, vertex);
  if (!whole)
    return addContext(whole.takeError(), "vertex part");
  Expected<msgpack::MapDocNode> foreign = readPipeline(m_fragment, fragment);
  if (!foreign)
    return addContext(foreign.takeError(), "fragment part");
  std::array version = versionOf(m_document);
  if (version != versionOf(m_fragment))
    return invalidInput("the parts have metadata of different versions");
  msgpack::MapDocNode other = copyNode(m_document, *foreign).getMap();
  if (version[0] == 2)
    if (Error bad = join((*whole)[registersKey].getMap(), other[registersKey].getMap(),
                         "'" + registersKey + "'"))
      return std::move(bad);
  other.erase(m_document.getNode(StringRef(registersKey)));
  for (StringRef key : jointMaps) {
    if (!(*whole)[key].isMap() || !other[key].isMap())
      return invalidInput("a part has no '" + key + "'");
    if (Error bad = join((*whole)[key].getMap(), other[key].getMap(), "'" + key + "'"))
      return std::move(bad);
    other.erase(m_document.getNode(key));
  }
  for (const LimitRow &row : limitRows) {
    uint64_t first = numberAt(*whole, row.key), second = numberAt(other, row.key);
    (*whole)[row.key] = row.takesLarger ? std::max(first, second) : std::min(first, second);
    other.erase(m_document.getNode(StringRef(row.key)));
  }
  StringRef hash = ".internal_pipeline_hash";
  (*whole)[hash] = makeHash(m_document, pipeline);
  other.erase(m_document.getNode(hash));
  other.erase(m_document.getNode(StringRef(".glue")));
  if (Error bad = join(*whole, other, "the pipeline"))
    return std::move(bad);
  for (const std::string &each : glue)
    if (Error bad = addGlue(*whole, each))
      return addContext(std::move(bad), "glue");
  link(*whole);
  return finishMetadata(m_document, *whole, version);
}

/// The semantics stay: they link the part to another one.
Expected<std::string> MetadataCombiner::finish(StringRef part, const Hash128 &pipeline,
                                               ArrayRef<std::string> glue) {
  Expected<msgpack::MapDocNode> whole = readPipeline(m_document, part);
  if (!whole)
    return addContext(whole.takeError(), "fragment part");
  std::array version = versionOf(m_document);
  for (const std::string &each : glue)
    if (Error bad = addGlue(*whole, each))
      return addContext(std::move(bad), "glue");
  (*whole)[".internal_pipeline_hash"] = makeHash(m_document, pipeline);
  whole->erase(m_document.getNode(StringRef(".glue")));
  return finishMetadata(m_document, *whole, version);
}

Expected<std::string> pal::combineMetadata(StringRef vertex, StringRef fragment,
                                           const Hash128 &pipeline, ArrayRef<std::string> glue) {
  return MetadataCombiner().combine(vertex, fragment, pipeline, glue);
}

Expected<std::string> pal::addGlueMetadata(StringRef part, const Hash128 &pipeline,
                                           ArrayRef<std::string> glue) {
  return MetadataCombiner().finish(part, pipeline, glue);
}
