// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/launch/ElfImage.h"

#include "oracles/machine/gcn/launch/Layout.h"
#include "oracles/pal_elf/ArtifactViews.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

/// A target that the machine models, and its number in ELF headers.
struct MachRow {
  StringLiteral target;
  uint8_t mach; ///< EF_AMDGPU_MACH, the low byte of e_flags.
};

constexpr MachRow Machs[] = {{"gfx900", 0x2c},  {"gfx1010", 0x33}, {"gfx1030", 0x36},
                             {"gfx1100", 0x41}, {"gfx1150", 0x43}, {"gfx1201", 0x4e}};

/// R_AMDGPU_*: which part of S + A (- P) goes where (LLVM's AMDGPUUsage, "Relocation Records").
struct RelocationRow {
  uint32_t type; ///< R_AMDGPU_*.
  uint8_t bytes; ///< Of the place.
  uint8_t shift; ///< Bits of the sum that are dropped.
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

/// Error when the ELF is not of AMDGPU; unsupported for a machine that has no row.
Expected<const TargetInfo *> gcn::findElfTarget(const ElfView &elf) {
  const ElfHeader &header = elf.header();
  if (header.machine != elf::MachineAmdgpu)
    return invalidInput("this is no ELF of AMDGPU: machine " + Twine(header.machine));
  for (const MachRow &row : Machs)
    if (row.mach == (header.flags & 0xff))
      return findTarget(row.target);
  return unsupported("gcn machine: EF_AMDGPU_MACH " + Twine(header.flags & 0xff));
}

/// Fails unless the header is of a PAL ELF for \p target.
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

/// The compute stage.
static Expected<EntryPoint> readMetadata(const Artifact &artifact, const TargetInfo &target) {
  Expected<const PalMetadata &> metadata = viewMetadata(artifact);
  if (!metadata)
    return metadata.takeError();
  const HardwareStageMetadata *stage = metadata->find(".cs");
  if (!stage)
    return invalidInput("metadata: there is no hardware stage .cs");
  Expected<LaunchState> launch = launchStateFor(*stage, metadata->compute, target);
  if (!launch)
    return launch.takeError();
  return EntryPoint{stage->entryPoint, std::move(*launch)};
}

/// Gives every section that is loaded an address from ImageBase on, with unmapped bytes between
/// them. A section's bytes that the file lacks are zeros. Fails for sections that are too large or
/// would reach the tables.
static Error placeSections(const ElfView &view, CodeImage &image) {
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

/// The loaded section with this ELF index, or null.
static ImageSection *findPlaced(CodeImage &image, unsigned index) {
  auto found = find_if(image.sections, [&](const ImageSection &s) { return s.index == index; });
  return found == image.sections.end() ? nullptr : &*found;
}

/// Address of a symbol by its index in the symbol table. Fails when it is undefined or in a section
/// that is not loaded.
static Expected<uint64_t> symbolAddress(const ElfView &view, CodeImage &image, uint32_t index) {
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

/// Whether [\p offset, \p offset + \p bytes) is inside of \p section. Both come from the file.
static bool isInside(const ImageSection &section, uint64_t offset, uint64_t bytes) {
  return bytes <= section.bytes.size() && offset <= section.bytes.size() - bytes;
}

/// Writes one relocated field of \p target. Without an explicit addend, the addend is what the
/// place has; of four bytes, sign-extended.
static Error applyRelocation(const ElfView &view, CodeImage &image, const ElfRelocation &relocation,
                             ImageSection &target) {
  const auto *row =
      find_if(Relocations, [&](const RelocationRow &each) { return each.type == relocation.type; });
  if (row == std::end(Relocations))
    return unsupported("relocation type " + Twine(relocation.type));
  if (!isInside(target, relocation.offset, row->bytes))
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

/// Applies the relocations of all loaded sections; others, and R_AMDGPU_NONE, are ignored.
static Error relocate(const ElfView &view, CodeImage &image) {
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
        isInside(section, symbol.value, symbol.size))
      ranges.push_back({symbol.value, symbol.value + symbol.size});
  return ranges;
}

/// Decodes the section of the entry point, and finds its first instruction. The symbol needs a size
/// and an address divisible by 4.
static Error loadProgram(const ElfView &view, const TargetInfo &target,
                         const std::string &entryPoint, CodeImage &image) {
  const ElfSymbol *entry = view.findSymbol(entryPoint);
  if (!entry || !entry->hasSection())
    return invalidInput("there is no symbol '" + entryPoint + "'");
  ImageSection *section = findPlaced(image, entry->section);
  if (!section || entry->value % 4 || entry->size == 0 ||
      !isInside(*section, entry->value, entry->size))
    return invalidInput("symbol '" + entryPoint + "' is not inside a loaded section");
  auto program = makeProgram(image.launch, target, *section, codeRanges(view, *entry, *section));
  if (!program)
    return program.takeError();
  image.program = std::move(*program);
  image.entry = image.program->findOp(section->address + entry->value);
  return Error::success();
}

/// Verifies the ELF and its header.
static Error checkElf(const ElfView &view, const TargetInfo &target) {
  if (Error error = view.verify())
    return error;
  return checkHeader(view, target);
}

/// Loads the whole ELF for one entry point. \p view is verified.
static Expected<CodeImage> loadEntryPoint(const ElfView &view, const TargetInfo &target,
                                          const EntryPoint &entryPoint) {
  CodeImage image;
  image.launch = entryPoint.launch;
  if (Error error = placeSections(view, image))
    return std::move(error);
  if (Error error = relocate(view, image))
    return std::move(error);
  if (Error error = loadProgram(view, target, entryPoint.symbol, image))
    return std::move(error);
  return image;
}

/// Returns one image for each entry point, in order; each has sections and a program of its own.
Expected<std::vector<CodeImage>> gcn::loadEntryPoints(const ElfView &elf, const TargetInfo &target,
                                                      ArrayRef<EntryPoint> entryPoints) {
  if (Error error = checkElf(elf, target))
    return std::move(error);
  std::vector<CodeImage> images;
  for (const EntryPoint &entryPoint : entryPoints) {
    Expected<CodeImage> image = loadEntryPoint(elf, target, entryPoint);
    if (!image)
      return image.takeError();
    images.push_back(std::move(*image));
  }
  return images;
}

/// Loads the compute stage that the metadata names.
Expected<CodeImage> gcn::loadElf(const Artifact &artifact, const TargetInfo &target) {
  Expected<const ElfView &> view = viewElf(artifact);
  if (!view)
    return view.takeError();
  if (Error error = checkElf(*view, target))
    return std::move(error);
  Expected<EntryPoint> entryPoint = readMetadata(artifact, target);
  if (!entryPoint)
    return entryPoint.takeError();
  return loadEntryPoint(*view, target, *entryPoint);
}
