// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/ElfImage.h"

#include "oracles/machine/gcn/Layout.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

struct MachRow {
  StringLiteral target;
  uint8_t mach; ///< EF_AMDGPU_MACH, the low byte of e_flags.
};

constexpr MachRow Machs[] = {{"gfx900", 0x2c},  {"gfx1010", 0x33}, {"gfx1030", 0x36},
                             {"gfx1100", 0x41}, {"gfx1150", 0x43}, {"gfx1201", 0x4e}};

/// R_AMDGPU_*: which part of S + A (- P) goes where (LLVM's AMDGPUUsage, "Relocation Records").
struct RelocationRow {
  uint32_t type;
  uint8_t bytes;
  uint8_t shift;
  bool pcRelative;
};

constexpr RelocationRow Relocations[] = {
    {1, 4, 0, false},  // ABS32_LO
    {2, 4, 32, false}, // ABS32_HI
    {3, 8, 0, false},  // ABS64
    {4, 4, 0, true},   // REL32
    {5, 8, 0, true},   // REL64
    {6, 4, 0, false},  // ABS32
    {10, 4, 0, true},  // REL32_LO
    {11, 4, 32, true}, // REL32_HI
};

} // namespace

/// Keeps the sections below the tables, and the sum of a few below the worker's memory limit.
static constexpr uint64_t MaxSectionBytes = uint64_t(1) << 26;
/// More than any shader that was not written to be absurd; the machine allocates it all.
static constexpr uint32_t MaxScratchBytes = 1 << 20;

static Error checkHeader(const ElfView &view, const TargetInfo &target) {
  const ElfHeader &header = view.header();
  if (header.machine != elf::MachineAmdgpu || header.osAbi != elf::OsAbiPal)
    return invalidInput("this is no PAL ELF: machine " + Twine(header.machine) + ", OS ABI " +
                        Twine(header.osAbi));
  const auto *row = find_if(Machs, [&](const MachRow &each) { return each.target == target.name; });
  if (row == std::end(Machs))
    return unsupported("gcn machine: target " + target.name);
  if ((header.flags & 0xff) != row->mach)
    return invalidInput("the ELF is for EF_AMDGPU_MACH " + Twine(header.flags & 0xff) + ", " +
                        target.name + " is " + Twine(row->mach));
  return Error::success();
}

static Error checkStage(const HardwareStageMetadata &stage, unsigned waveSize,
                        const TargetInfo &target) {
  if (waveSize != 32 && waveSize != 64)
    return invalidInput("metadata: .wavefront_size " + Twine(waveSize));
  if (waveSize == 32 && !target.supportsWave32)
    return invalidInput("metadata: .wavefront_size 32, but " + target.name + " has wave64 only");
  uint64_t threads = 1;
  for (uint32_t dimension : stage.threadgroupDimensions)
    threads *= dimension;
  if (threads == 0 || threads > 1024)
    return invalidInput("metadata: .threadgroup_dimensions give " + Twine(threads) + " threads");
  if (stage.vgprCount == 0 || stage.vgprCount > 256)
    return invalidInput("metadata: .vgpr_count " + Twine(stage.vgprCount));
  if (stage.sgprCount == 0 || stage.sgprCount > 128)
    return invalidInput("metadata: .sgpr_count " + Twine(stage.sgprCount));
  if (stage.userSgprs > 16)
    return invalidInput("metadata: .user_sgprs " + Twine(stage.userSgprs) + ", compute has 16");
  if (stage.scratchMemorySize > MaxScratchBytes)
    return unsupported("scratch of " + Twine(stage.scratchMemorySize) + " bytes a lane");
  if (stage.ldsSize > 65536)
    return invalidInput("metadata: .lds_size " + Twine(stage.ldsSize));
  return Error::success();
}

static Error readMetadata(const ElfView &view, const TargetInfo &target, ElfImage &image) {
  Expected<PalMetadata> metadata = readPalMetadata(view);
  if (!metadata)
    return metadata.takeError();
  const HardwareStageMetadata *stage = metadata->find(".cs");
  if (!stage)
    return invalidInput("metadata: there is no hardware stage .cs");
  image.stage = *stage;
  image.compute = metadata->compute;
  image.waveSize = stage->wavefrontSize.value_or(64);
  return checkStage(*stage, image.waveSize, target);
}

static Error placeSections(const ElfView &view, ElfImage &image) {
  uint64_t address = ImageBase;
  for (const ElfSection &section : view.sections()) {
    if (!section.isAlloc() || !section.inFile)
      continue;
    if (section.size > MaxSectionBytes)
      return unsupported("section '" + section.name + "' of " + Twine(section.size) + " bytes");
    ImageSection placed;
    placed.index = section.index;
    placed.name = section.name.str();
    placed.bytes.assign(section.bytes.begin(), section.bytes.end());
    placed.bytes.resize(section.size);
    placed.writable = section.flags & elf::ShfWrite;
    address = alignTo(address, std::max<uint64_t>(std::min<uint64_t>(section.align, 65536), 256));
    placed.address = address;
    address += section.size + 4096;
    image.sections.push_back(std::move(placed));
  }
  if (address > TableBase)
    return unsupported("sections of " + Twine(address - ImageBase) + " bytes");
  return Error::success();
}

static ImageSection *findPlaced(ElfImage &image, unsigned index) {
  auto found = find_if(image.sections, [&](const ImageSection &s) { return s.index == index; });
  return found == image.sections.end() ? nullptr : &*found;
}

static Expected<uint64_t> symbolAddress(const ElfView &view, ElfImage &image, uint32_t index) {
  if (index >= view.symbols().size())
    return invalidInput("relocation: symbol " + Twine(index) + " does not exist");
  const ElfSymbol &symbol = view.symbols()[index];
  if (symbol.section == elf::ShnAbs)
    return symbol.value;
  ImageSection *section = symbol.hasSection() ? findPlaced(image, symbol.section) : nullptr;
  if (!section)
    return invalidInput("relocation: symbol '" + symbol.name + "' has no address");
  return section->address + symbol.value;
}

static Error applyRelocation(const ElfView &view, ElfImage &image, const ElfRelocation &relocation,
                             ImageSection &target) {
  const auto *row =
      find_if(Relocations, [&](const RelocationRow &each) { return each.type == relocation.type; });
  if (row == std::end(Relocations))
    return unsupported("relocation type " + Twine(relocation.type));
  if (relocation.offset + row->bytes > target.bytes.size())
    return invalidInput("relocation at " + Twine(relocation.offset) + " beyond its section");
  Expected<uint64_t> symbol = symbolAddress(view, image, relocation.symbol);
  if (!symbol)
    return symbol.takeError();
  uint8_t *place = target.bytes.data() + relocation.offset;
  int64_t addend = relocation.addend;
  if (!relocation.hasAddend)
    addend = row->bytes == 8 ? int64_t(support::endian::read64le(place))
                             : int64_t(int32_t(support::endian::read32le(place)));
  uint64_t value = *symbol + static_cast<uint64_t>(addend);
  if (row->pcRelative)
    value -= target.address + relocation.offset;
  value >>= row->shift;
  if (row->bytes == 8)
    support::endian::write64le(place, value);
  else
    support::endian::write32le(place, static_cast<uint32_t>(value));
  return Error::success();
}

static Error relocate(const ElfView &view, ElfImage &image) {
  for (const ElfRelocation &relocation : view.relocations()) {
    ImageSection *target = findPlaced(image, relocation.target);
    if (!target || relocation.type == 0)
      continue;
    if (Error error = applyRelocation(view, image, relocation, *target))
      return error;
  }
  return Error::success();
}

/// The bytes of every function of the section, so that what lies between them is not decoded.
static std::vector<CodeRange> codeRanges(const ElfView &view, const ElfSymbol &entry,
                                         const ImageSection &section) {
  std::vector<CodeRange> ranges = {{entry.value, entry.value + entry.size}};
  for (const ElfSymbol &symbol : view.symbols())
    if (symbol.section == entry.section && symbol.type == elf::SttFunc && symbol.size &&
        symbol.value != entry.value && symbol.value % 4 == 0 &&
        symbol.value + symbol.size <= section.bytes.size())
      ranges.push_back({symbol.value, symbol.value + symbol.size});
  return ranges;
}

static Error loadProgram(const ElfView &view, const TargetInfo &target, ElfImage &image) {
  const ElfSymbol *entry = view.findSymbol(image.stage.entryPoint);
  if (!entry || !entry->hasSection())
    return invalidInput("there is no symbol '" + image.stage.entryPoint + "'");
  ImageSection *section = findPlaced(image, entry->section);
  if (!section || entry->value % 4 || entry->size == 0 ||
      entry->value + entry->size > section->bytes.size())
    return invalidInput("symbol '" + image.stage.entryPoint + "' is not inside a loaded section");
  auto decoder = Decoder::create(target.name, image.waveSize);
  if (!decoder)
    return decoder.takeError();
  ProgramOptions options;
  options.gfxMajor = target.major;
  options.waveSize = image.waveSize;
  options.vgprCount = image.stage.vgprCount;
  options.sgprCount = image.stage.sgprCount;
  options.targetName = target.name.str();
  image.program = std::make_unique<Program>(options, **decoder, section->bytes, section->address,
                                            codeRanges(view, *entry, *section));
  image.entry = image.program->findOp(section->address + entry->value);
  return Error::success();
}

Expected<ElfImage> gcn::loadElf(ArrayRef<uint8_t> elf, const TargetInfo &target) {
  Expected<ElfView> view = ElfView::read(elf);
  if (!view)
    return view.takeError();
  if (Error error = view->verify())
    return std::move(error);
  if (Error error = checkHeader(*view, target))
    return std::move(error);
  ElfImage image;
  if (Error error = readMetadata(*view, target, image))
    return std::move(error);
  if (Error error = placeSections(*view, image))
    return std::move(error);
  if (Error error = relocate(*view, image))
    return std::move(error);
  if (Error error = loadProgram(*view, target, image))
    return std::move(error);
  return image;
}
