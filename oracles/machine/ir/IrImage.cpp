// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of metadata: those of the compiler's dialect ("lgc.pipeline.state", "lgc.compute.mode") and
// of LLVM's amdpal convention ("amdgpu.pal.metadata.msgpack").
#include "oracles/machine/ir/IrImage.h"

#include "oracles/machine/gcn/launch/Layout.h"
#include "oracles/pal_elf/MsgPack.h"
#include "support/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;
using namespace assay;
using namespace assay::irm;
using namespace assay::gcn;

/// No register is missing to who has none.
static constexpr unsigned manyRegisters = 100;

/// Of the entry point of a graphics stage: number of the stage, flags.
static constexpr StringLiteral stageName = "lgc.stage";
/// Bits of the flags.
static constexpr unsigned earlyTestsFlag = 0, sampleShadingFlag = 3;

/// The integer constant at \p operand of \p node; nothing where there is none.
static std::optional<uint64_t> numberOf(const MDNode &node, unsigned operand) {
  auto *constant = operand < node.getNumOperands()
                       ? mdconst::dyn_extract<ConstantInt>(node.getOperand(operand))
                       : nullptr;
  return constant ? std::optional(constant->getZExtValue()) : std::nullopt;
}

/// The number of the row called \p name of the pipeline's state.
static std::optional<uint64_t> findState(const Module &module, StringRef name) {
  const NamedMDNode *rows = module.getNamedMetadata("lgc.pipeline.state");
  for (const MDNode *row :
       rows ? rows->operands() : iterator_range<NamedMDNode::const_op_iterator>({}, {})) {
    auto *text = row->getNumOperands() ? dyn_cast<MDString>(row->getOperand(0)) : nullptr;
    if (text && text->getString() == name)
      return numberOf(*row, 1);
  }
  return std::nullopt;
}

/// The first function with a body that is an entry point: by its metadata, or by its calling
/// convention once it has the signature. Null where there is none.
static Function *findEntry(Module &module) {
  for (Function &function : module)
    if (!function.isDeclaration() &&
        (function.hasMetadata("lgc.compute.mode") || function.hasMetadata(stageName) ||
         function.getCallingConv() == CallingConv::AMDGPU_CS))
      return &function;
  return nullptr;
}

/// As the ops of the dialect have it.
static Expected<LaunchState> describeLaunch(const IrImage &image, const ResourceLayout &layout) {
  LaunchState state;
  const MDNode *mode = image.entry->getMetadata("lgc.compute.mode");
  std::optional<uint64_t> waveSize = findState(*image.module, "wave-size");
  if ((!mode && !image.entry->hasMetadata(stageName)) || !waveSize)
    return invalidInput("IR: a shader without mode or wave size");
  state.waveSize = static_cast<unsigned>(*waveSize);
  if (mode)
    for (unsigned i = 0; i < 3; ++i)
      state.threads[i] = static_cast<uint32_t>(numberOf(*mode, i).value_or(1));
  else
    state.threads[0] = state.waveSize; // One full wave; whoever draws chooses its lanes.
  state.localIds = 3;
  state.vgprCount = state.sgprCount = manyRegisters;
  state.tableBase = TableBase;
  state.userSgprs.push_back({UserValue::PushPointer, 0});
  for (const DescriptorTable &table : layout.tables)
    state.userSgprs.push_back({UserValue::SetTable, static_cast<uint16_t>(table.set)});
  return state;
}

/// SPI_SHADER_PGM_RSRC1.FLOAT_MODE as the attributes of \p entry have it: denormals of f32 are kept
/// with bits 5:4 set, of f16 and f64 with 7:6.
static uint8_t denormalBits(const Function &entry) {
  auto keeps = [&](const fltSemantics &semantics) {
    return entry.getDenormalMode(semantics).Output == DenormalMode::IEEE;
  };
  return (keeps(APFloat::IEEEsingle()) ? 0x30 : 0) | (keeps(APFloat::IEEEhalf()) ? 0xc0 : 0);
}

/// What a driver would make of the metadata, and IR does not show: entries of user data from the
/// limit on are not written (PAL, Util::Abi), and the mode is one that the code was not made for.
static Error verifyMetadata(const PalMetadata &metadata, const HardwareStageMetadata &stage,
                            const Function &entry) {
  uint32_t limit = metadata.userDataLimit.value_or(0);
  for (uint32_t mapping : stage.userDataRegMap)
    if (mapping < user_data::MaxEntries && mapping >= limit)
      return invalidInput("metadata: user data entry " + Twine(mapping) +
                          " is beyond the limit of " + Twine(limit));
  if ((stage.floatMode & 0xf0) != denormalBits(entry))
    return invalidInput("metadata: the float mode is not the one of the function's attributes");
  return Error::success();
}

/// As the metadata have it; LLVM adds the number of registers only when it knows it.
static Expected<LaunchState> readLaunch(const IrImage &image, const TargetInfo &target) {
  const NamedMDNode *named = image.module->getNamedMetadata("amdgpu.pal.metadata.msgpack");
  auto *text = named && named->getNumOperands() && named->getOperand(0)->getNumOperands()
                   ? dyn_cast<MDString>(named->getOperand(0)->getOperand(0))
                   : nullptr;
  if (!text)
    return invalidInput("IR: a shader without PAL metadata");
  Expected<MsgValue> root = readMsgPack(arrayRefFromStringRef(text->getString()));
  if (!root)
    return root.takeError();
  Expected<PalMetadata> metadata = decodePalMetadata(*root);
  if (!metadata)
    return metadata.takeError();
  const HardwareStageMetadata *stage = metadata->find(".cs");
  if (!stage)
    return invalidInput("metadata: there is no hardware stage .cs");
  if (Error error = verifyMetadata(*metadata, *stage, *image.entry))
    return std::move(error);
  HardwareStageMetadata filled = *stage;
  filled.vgprCount = filled.sgprCount = manyRegisters;
  return launchStateFor(filled, metadata->compute, target);
}

/// An entry point with the calling convention of compute shaders has its signature; the PAL
/// metadata then describe its launch.
Expected<IrImage> irm::loadIr(StringRef text, const ResourceLayout &layout,
                              const TargetInfo &target) {
  IrImage image;
  image.context = std::make_unique<LLVMContext>();
  SMDiagnostic problem;
  std::string terminated = text.str(); // The parser wants a zero after it.
  image.module = parseIR(MemoryBufferRef(terminated, "IR"), problem, *image.context);
  if (!image.module)
    return invalidInput("IR, line " + Twine(problem.getLineNo()) + ": " + problem.getMessage());
  image.entry = findEntry(*image.module);
  if (!image.entry)
    return invalidInput("IR: there is no entry point");
  image.hasSignature = image.entry->getCallingConv() == CallingConv::AMDGPU_CS;
  Expected<LaunchState> state =
      image.hasSignature ? readLaunch(image, target) : describeLaunch(image, layout);
  if (!state)
    return state.takeError();
  image.code.launch = std::move(*state);
  image.code.entry = 0;
  Expected<std::unique_ptr<Program>> program =
      makeProgram(image.code.launch, target, ImageSection(), {});
  if (!program)
    return program.takeError();
  image.code.program = std::move(*program);
  return std::move(image);
}

/// Fills in what the metadata of the entry point say.
static Error readStage(StageImage &stage) {
  const MDNode *mode = stage.image.entry->getMetadata(stageName);
  std::optional<uint64_t> number = mode ? numberOf(*mode, 0) : std::nullopt;
  std::optional<uint64_t> flags = mode ? numberOf(*mode, 1) : std::nullopt;
  if (!number || !flags || *number >= getShaderStages().size())
    return invalidInput("IR: an entry point without a graphics stage");
  stage.stage = static_cast<ShaderStage>(*number);
  stage.earlyFragmentTests = (*flags >> earlyTestsFlag & 1) != 0;
  stage.sampleShading = (*flags >> sampleShadingFlag & 1) != 0;
  return readStageRows(*stage.image.module).moveInto(stage.rows);
}

/// Unsupported for a stage that has its hardware signature already.
Expected<std::vector<StageImage>> irm::loadStages(StringRef text, const ResourceLayout &layout,
                                                  const TargetInfo &target) {
  constexpr StringLiteral start = "; stage ";
  if (!text.starts_with(start))
    return invalidInput("IR: stages begin with '" + start + "NAME'");
  std::vector<StageImage> stages;
  while (!text.empty()) {
    size_t next = text.find(("\n" + start).str());
    StringRef part = text.substr(0, next);
    text = next == StringRef::npos ? StringRef() : text.substr(next + 1);
    StageImage &stage = stages.emplace_back();
    // Registers of the hardware, which only machine code has.
    if (part.contains("define amdgpu_vs ") || part.contains("define amdgpu_gs ") ||
        part.contains("define amdgpu_ps "))
      return unsupported("IR: a graphics stage whose entry point has its signature");
    if (Error error = loadIr(part, layout, target).moveInto(stage.image))
      return std::move(error);
    if (Error error = readStage(stage))
      return std::move(error);
  }
  return std::move(stages);
}
