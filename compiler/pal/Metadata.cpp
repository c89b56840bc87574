// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pal/Metadata.h"

#include "compiler/pal/Nodes.h"
#include "support/Error.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/Object/ELF.h"

using namespace llvm;
using namespace assay;
using namespace assay::pal;

/// Named metadata of a module, which LLVM copies into the ELF's note.
static constexpr StringLiteral metadataName = "amdgpu.pal.metadata.msgpack";

/// '.hardware_stages.cs', without the keys that LLVM writes.
static msgpack::DocNode makeHardwareStage(msgpack::Document &document,
                                          const pal::ComputeStage &stage) {
  msgpack::MapDocNode map = document.getMapNode();
  map[".entry_point"] = pal::computeEntryPoint;
  map[".entry_point_symbol"] = pal::computeEntryPoint;
  map[".wavefront_size"] = stage.wavefrontSize;
  map[".threadgroup_dimensions"] = makeArray(document, stage.threadgroupDimensions);
  map[".user_sgprs"] = stage.userSgprs;
  map[".user_data_reg_map"] = makeArray(document, stage.userDataRegMap);
  map[".float_mode"] = unsigned(stage.floatMode);
  map[".sgpr_limit"] = stage.sgprLimit;
  map[".vgpr_limit"] = stage.vgprLimit;
  map[".mem_ordered"] = true;
  return map;
}

/// '.compute_registers'. The count of local id components is stored less one.
static msgpack::DocNode makeRegisters(msgpack::Document &document, const pal::ComputeStage &stage) {
  msgpack::MapDocNode map = document.getMapNode();
  for (StringRef key : {".tgid_x_en", ".tgid_y_en", ".tgid_z_en"})
    map[key] = stage.workgroupIdEnabled;
  map[".tg_size_en"] = stage.threadgroupSizeEnabled;
  map[".tidig_comp_cnt"] = unsigned(stage.localIdComponents - 1);
  return map;
}

/// '.shaders': the one API shader and its hardware stage.
static msgpack::DocNode makeShaders(msgpack::Document &document, const pal::Metadata &metadata) {
  msgpack::MapDocNode shader = document.getMapNode();
  shader[".api_shader_hash"] = makeHash(document, metadata.shaderHash);
  msgpack::ArrayDocNode mapping = document.getArrayNode();
  mapping.push_back(document.getNode(".cs"));
  shader[".hardware_mapping"] = mapping;
  msgpack::MapDocNode shaders = document.getMapNode();
  shaders[".compute"] = shader;
  return shaders;
}

/// The counts must be within the limits of the hardware.
std::string pal::writeMetadata(const Metadata &metadata) {
  assert(metadata.compute.localIdComponents >= 1 && metadata.compute.localIdComponents <= 3);
  assert(metadata.compute.userSgprs <= maxComputeUserSgprs);
  msgpack::Document document;
  msgpack::MapDocNode pipeline = document.getMapNode();
  pipeline[".api"] = "Vulkan";
  pipeline[".type"] = "Cs";
  pipeline[".internal_pipeline_hash"] = makeHash(document, metadata.pipelineHash);
  pipeline[".user_data_limit"] = metadata.userDataLimit;
  pipeline[".spill_threshold"] = metadata.spillThreshold;
  pipeline[".shaders"] = makeShaders(document, metadata);
  msgpack::MapDocNode stages = document.getMapNode();
  stages[".cs"] = makeHardwareStage(document, metadata.compute);
  pipeline[".hardware_stages"] = stages;
  pipeline[".compute_registers"] = makeRegisters(document, metadata.compute);

  return finishMetadata(document, pipeline, {3, 0});
}

/// Makes \p pipeline the only one of \p document and returns the document as msgpack.
std::string pal::finishMetadata(msgpack::Document &document, msgpack::DocNode pipeline,
                                std::array<unsigned, 2> version) {
  msgpack::ArrayDocNode pipelines = document.getArrayNode();
  pipelines.push_back(pipeline);
  msgpack::MapDocNode root = document.getRoot().getMap(/*Convert=*/true);
  root["amdpal.version"] = makeArray(document, version);
  root["amdpal.pipelines"] = pipelines;
  std::string blob;
  document.writeToBlob(blob);
  return blob;
}

/// The text belongs to the module's context.
std::optional<StringRef> pal::getModuleBlob(const Module &module) {
  const NamedMDNode *named = module.getNamedMetadata(metadataName);
  if (!named || named->getNumOperands() == 0 || named->getOperand(0)->getNumOperands() == 0)
    return std::nullopt;
  const auto *text = dyn_cast<MDString>(named->getOperand(0)->getOperand(0));
  return text ? std::optional(text->getString()) : std::nullopt;
}

/// Replaces the metadata that the module has.
void pal::setModuleBlob(Module &module, StringRef blob) {
  NamedMDNode *named = module.getOrInsertNamedMetadata(metadataName);
  named->clearOperands();
  LLVMContext &context = module.getContext();
  named->addOperand(MDNode::get(context, MDString::get(context, blob)));
}

void pal::setModuleMetadata(Module &module, const Metadata &metadata) {
  setModuleBlob(module, writeMetadata(metadata));
}

/// Returns the descriptor of the last metadata note in \p section, or nothing where there is none.
/// InvalidInput for a malformed note.
static Expected<std::optional<StringRef>> findNote(const object::ELF64LEFile &file,
                                                   const object::ELF64LEFile::Elf_Shdr &section) {
  std::optional<StringRef> found;
  Error error = Error::success();
  for (object::ELF64LEFile::Elf_Note note : file.notes(section, error))
    if (note.getName() == "AMDGPU" && note.getType() == ELF::NT_AMDGPU_METADATA)
      found = toStringRef(note.getDesc(section.sh_addralign));
  if (error)
    return invalidInput(toString(std::move(error)));
  return found;
}

/// Reads the first note section that has metadata. InvalidInput where there is none.
Expected<std::string> pal::readMetadataNote(ArrayRef<uint8_t> elf) {
  Expected<object::ELF64LEFile> file = object::ELF64LEFile::create(toStringRef(elf));
  if (!file)
    return invalidInput(toString(file.takeError()));
  auto sections = file->sections();
  if (!sections)
    return invalidInput(toString(sections.takeError()));
  for (const auto &section : *sections) {
    if (section.sh_type != ELF::SHT_NOTE)
      continue;
    Expected<std::optional<StringRef>> note = findNote(*file, section);
    if (!note)
      return note.takeError();
    if (*note)
      return (*note)->str();
  }
  return invalidInput("the ELF has no PAL metadata note");
}

/// Returns msgpack as YAML with hexadecimal numbers.
static Expected<std::string> printBlob(StringRef blob) {
  msgpack::Document document;
  if (!document.readFromBlob(blob, /*Multi=*/false))
    return invalidInput("the metadata note is no msgpack");
  document.setHexMode();
  std::string text;
  raw_string_ostream os(text);
  document.toYAML(os);
  return text;
}

Expected<std::string> pal::printElfMetadata(ArrayRef<uint8_t> elf) {
  Expected<std::string> note = readMetadataNote(elf);
  return note ? printBlob(*note) : note.takeError();
}
