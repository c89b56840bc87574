// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/Coverage.h"

#include "oracles/machine/gcn/Bind.h"
#include "oracles/machine/gcn/launch/ElfImage.h"
#include "oracles/machine/gcn_isa/Decoder.h"
#include "oracles/pal_elf/ElfView.h"
#include "oracles/pal_elf/Metadata.h"
#include "oracles/radv/RadvGraphics.h"
#include "support/Error.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

/// Decodes \p ranges of the code for a wave that may use every register.
static Error decodeRanges(StaticCode &code, ArrayRef<CodeRange> ranges) {
  LaunchState everything;
  everything.waveSize = code.waveSize;
  everything.vgprCount = 256;
  everything.sgprCount = 128;
  ImageSection section;
  section.bytes = code.bytes;
  auto program = makeProgram(everything, *code.target, section, ranges);
  if (!program)
    return program.takeError();
  code.program = std::move(*program);
  return Error::success();
}

/// The code of \p shaders, one after the other.
static Expected<StaticCode> decodeShaders(ArrayRef<const radv::RadvShader *> shaders) {
  Expected<const TargetInfo *> target = findAmdTarget(shaders.front()->target);
  if (!target)
    return target.takeError();
  StaticCode code;
  code.target = *target;
  code.waveSize = shaders.front()->waveSize;
  std::vector<CodeRange> ranges;
  for (const radv::RadvShader *shader : shaders) {
    if (shader->waveSize != code.waveSize)
      return unsupported("waves of " + Twine(code.waveSize) + " and " + Twine(shader->waveSize) +
                         " lanes in one pipeline");
    code.bytes.resize(alignTo(code.bytes.size(), 256));
    ranges.push_back({code.bytes.size(), code.bytes.size() + shader->execBytes});
    append_range(code.bytes, shader->code);
  }
  if (Error error = decodeRanges(code, ranges))
    return std::move(error);
  return code;
}

/// One compute shader.
static Expected<StaticCode> decodeRadv(ArrayRef<uint8_t> bytes) {
  Expected<radv::RadvShader> shader = radv::readRadvShader(bytes);
  if (!shader)
    return shader.takeError();
  return decodeShaders({&*shader});
}

/// The vertex shader, then the fragment shader if there is one.
static Expected<StaticCode> decodeRadvGraphics(ArrayRef<uint8_t> bytes) {
  Expected<radv::RadvGraphics> pipeline = radv::readRadvGraphics(bytes);
  if (!pipeline)
    return pipeline.takeError();
  SmallVector<const radv::RadvShader *, 2> shaders = {&pipeline->vertex};
  if (pipeline->pixel)
    shaders.push_back(&*pipeline->pixel);
  return decodeShaders(shaders);
}

/// Of the first hardware stage that says it; PAL's default is 64.
static unsigned waveSizeOf(const ElfView &view) {
  Expected<PalMetadata> metadata = readPalMetadata(view);
  if (!metadata) {
    consumeError(metadata.takeError());
    return 64;
  }
  for (const HardwareStageMetadata &stage : metadata->stages)
    if (stage.wavefrontSize)
      return *stage.wavefrontSize == 32 ? 32 : 64;
  return 64;
}

/// All functions of .text, each as a range. Invalid input when there is none.
static Expected<StaticCode> decodeElf(ArrayRef<uint8_t> bytes) {
  Expected<ElfView> view = ElfView::read(bytes);
  if (!view)
    return view.takeError();
  if (Error error = view->verify())
    return std::move(error);
  Expected<const TargetInfo *> target = findElfTarget(*view);
  if (!target)
    return target.takeError();
  StaticCode code;
  code.target = *target;
  code.waveSize = (*target)->supportsWave32 ? waveSizeOf(*view) : 64;
  std::vector<CodeRange> ranges;
  const ElfSection *text = view->findSection(".text");
  for (const ElfSymbol &symbol : view->symbols())
    if (text && symbol.section == text->index && symbol.type == elf::SttFunc && symbol.size &&
        symbol.value % 4 == 0 && symbol.value <= text->bytes.size() &&
        symbol.size <= text->bytes.size() - symbol.value)
      ranges.push_back({symbol.value, symbol.value + symbol.size});
  if (ranges.empty())
    return invalidInput("the ELF has no function in .text");
  code.bytes.assign(text->bytes.begin(), text->bytes.end());
  if (Error error = decodeRanges(code, ranges))
    return std::move(error);
  return code;
}

/// Bytes that are no RADV file are read as an ELF.
Expected<StaticCode> gcn::decodeStatically(ArrayRef<uint8_t> bytes) {
  switch (detectArtifactType(bytes)) {
  case ArtifactType::RadvGraphics:
    return decodeRadvGraphics(bytes);
  case ArtifactType::RadvShader:
    return decodeRadv(bytes);
  default:
    return decodeElf(bytes);
  }
}

/// Of bytes that do not decode: they may for waves of the other size (pairs of VOPD).
static std::string explainIllegal(const StaticCode &code, const Inst &inst) {
  if (!code.target->supportsWave32)
    return "no instruction of the chip";
  unsigned other = 96 - code.waveSize;
  Inst again = cantFail(Decoder::create(code.target->name, other))->decode(code.bytes, inst.pc);
  if (!again.valid)
    return "no instruction of the chip";
  return again.text + ": for waves of " + utostr(other) + " alone";
}

/// Counts an instruction, or the halves of a dual one, that the machine cannot run. Illegal ones
/// are named by their first dword.
static void addMissing(const StaticCode &code, const MicroOp &op,
                       std::map<std::string, MissingOpcode> &missing) {
  bool isIllegal = op.run == runIllegal;
  if (isIllegal || (op.run == runUnsupported && op.dual.empty())) {
    std::string name = isIllegal ? "0x" + utohexstr(op.inst->words[0], true) : op.inst->mnemonic;
    MissingOpcode &row = missing[name];
    row.isIllegal = isIllegal;
    if (row.count++ == 0)
      row.example = isIllegal ? explainIllegal(code, *op.inst) : op.inst->text;
  }
  for (const MicroOp &half : op.dual)
    addMissing(code, half, missing);
}

/// By mnemonic.
std::map<std::string, MissingOpcode> gcn::findMissingOpcodes(const StaticCode &code) {
  std::map<std::string, MissingOpcode> missing;
  for (const MicroOp &op : code.program->ops())
    addMissing(code, op, missing);
  return missing;
}

/// One line for each instruction: offset, dwords, text.
std::string gcn::printCode(const StaticCode &code) {
  std::string text;
  raw_string_ostream os(text);
  for (const MicroOp &op : code.program->ops()) {
    if (op.run == runPastEnd)
      continue;
    os << format("%6llx:", static_cast<unsigned long long>(op.inst->pc));
    for (uint64_t at = op.inst->pc; at < op.inst->pc + op.inst->size; at += 4)
      os << format(" %02x%02x%02x%02x", code.bytes[at + 3], code.bytes[at + 2], code.bytes[at + 1],
                   code.bytes[at]);
    os.indent(op.inst->size < 16 ? 1 + 9 * ((16 - op.inst->size) / 4) : 1);
    os << (op.run == runIllegal ? "(no instruction)" : op.inst->text)
       << (op.run == runUnsupported ? "  ; no semantics" : "") << "\n";
  }
  return text;
}
