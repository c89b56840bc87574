// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The rules ELF-01 to ELF-25: header, sections, symbols, notes and relocations. The table is at the
// end. A rule says nothing where an earlier one has already said that the thing is not there.
#include "oracles/pal_elf/rules/Rules.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"
#include <map>

using namespace llvm;
using namespace assay;

static constexpr StringRef dataSections[] = {".data", ".rodata"};
static constexpr uint64_t shaderAlign = 256; ///< Bytes, of entry points and '.text'.
static constexpr uint64_t dataAlign = 32;    ///< Bytes, of data sections and internal tables.

/// Reports the damage of one kind that reading met.
static void reportProblems(const ElfModel &model, ElfProblemKind kind, StringRef what,
                           RuleReporter &out) {
  if (!model.elf)
    return;
  for (const ElfProblem &problem : model.elf->problems())
    if (problem.kind == kind)
      out.report(offsetLocation(problem.offset), what, problem.text);
}

/// "section 2 '.text'".
static std::string sectionLocation(const ElfSection &section) {
  return ("section " + Twine(section.index) + " '" + section.name + "'").str();
}

/// "symbol 5 '_amdgpu_cs_main'".
static std::string symbolLocation(const ElfSymbol &symbol) {
  return ("symbol " + Twine(symbol.index) + " '" + symbol.name + "'").str();
}

/// The place that is patched: "relocation at .text+0x40".
static std::string relocationLocation(const ElfView &elf, const ElfRelocation &relocation) {
  return ("relocation at " + elf.sections()[relocation.target].name + "+0x" +
          utohexstr(relocation.offset, true))
      .str();
}

/// "_amdgpu_cs_main" and its like.
static bool isShaderMain(StringRef name) {
  return is_contained(getSchemaEnum(SchemaName::PipelineSymbol), name);
}

/// Returns the section of \p symbol, null for undefined, absolute and broken symbols.
static const ElfSection *sectionOf(const ElfView &elf, const ElfSymbol &symbol) {
  return symbol.hasSection() ? elf.section(symbol.section) : nullptr;
}

/// The relocations that the loader applies: those of sections that it uploads.
static std::vector<ElfRelocation> loadedRelocations(const ElfView &elf) {
  std::vector<ElfRelocation> loaded;
  for (const ElfRelocation &relocation : elf.relocations())
    if (elf.sections()[relocation.target].isAlloc())
      loaded.push_back(relocation);
  return loaded;
}

/// ELF-01. Also the only rule that says something where there is no ELF at all.
static void checkHeader(const ElfModel &model, RuleReporter &out) {
  if (!model.elf)
    out.report(offsetLocation(0), "header", model.elfError);
  reportProblems(model, ElfProblemKind::Header, "header", out);
}

/// ELF-02. HSA code objects that PAL could load are a warning.
static void checkOsAbi(const ElfModel &model, RuleReporter &out) {
  if (!model.elf)
    return;
  // EI_ABIVERSION 1 to 3 of HSA are code objects V3 to V5 (palPipelineAbi.h).
  constexpr uint8_t OsAbiHsa = 64, FirstHsa = 1, LastHsa = 3;
  const ElfHeader &header = model.elf->header();
  if (header.osAbi == OsAbiHsa && header.abiVersion >= FirstHsa && header.abiVersion <= LastHsa)
    return out.report(RuleLevel::Warning, offsetLocation(7), "hsa",
                      "this is an HSA code object; its metadata and code are not checked");
  if (header.osAbi != elf::OsAbiPal)
    out.report(offsetLocation(7), "osabi",
               "EI_OSABI is " + Twine(unsigned(header.osAbi)) + ", expected 65 (AMDGPU PAL)");
  if (header.abiVersion != 0)
    out.report(offsetLocation(8), "abiversion",
               "EI_ABIVERSION is " + Twine(unsigned(header.abiVersion)) + ", expected 0");
}

/// ELF-03. Other rules on PAL's ELFs are not applied to a file with another machine.
static void checkMachine(const ElfModel &model, RuleReporter &out) {
  if (model.elf && model.elf->header().machine != elf::MachineAmdgpu)
    out.report(offsetLocation(18), "machine",
               "e_machine is " + Twine(model.elf->header().machine) + ", expected 224 (AMDGPU)");
}

/// ELF-04. Compares with the chip of the options, if there is one; by families unless strict.
static void checkGfxIp(const ElfModel &model, RuleReporter &out) {
  if (!model.elf)
    return;
  uint32_t mach = model.elf->header().flags & 0xff;
  if (!model.machine)
    return out.report(offsetLocation(48), "mach",
                      "EF_AMDGPU_MACH 0x" + utohexstr(mach, true) + " is no chip of GFX9 to GFX12");
  const ElfMachine *wanted = findElfMachine(model.options->gfxip);
  if (!wanted)
    return;
  bool same =
      model.options->strict ? wanted == model.machine : wanted->family() == model.machine->family();
  if (!same)
    out.report(offsetLocation(48), "gfxip",
               "the ELF is for " + model.machine->name + ", expected " + wanted->name);
}

/// ELF-05. Not for unknown chips: their features are unknown too.
static void checkFlags(const ElfModel &model, RuleReporter &out) {
  if (!model.elf || !model.machine)
    return;
  uint32_t flags = model.elf->header().flags;
  if (flags >> 12)
    out.report(offsetLocation(48), "reserved",
               "e_flags 0x" + utohexstr(flags, true) + " has bits above bit 11");
  if (model.dialect == ElfDialect::Sc && !model.options->strict)
    return; // It always writes "any".
  unsigned xnack = (flags >> 8) & 3;
  unsigned sramEcc = (flags >> 10) & 3;
  if (xnack && !model.machine->supportsXnack)
    out.report(offsetLocation(48), "xnack",
               "e_flags has an XNACK setting, which " + model.machine->name + " does not know");
  if (sramEcc && !model.machine->supportsSramEcc)
    out.report(offsetLocation(48), "sramecc",
               "e_flags has an SRAM ECC setting, which " + model.machine->name + " does not know");
}

/// ELF-06. One finding, for the first loaded section that has an address.
static void checkType(const ElfModel &model, RuleReporter &out) {
  if (!model.elf || model.elf->header().type == elf::TypeRel)
    return;
  for (const ElfSection &section : model.elf->sections())
    if (section.isAlloc() && section.address != 0)
      return out.report(offsetLocation(16), "type",
                        "e_type is " + Twine(model.elf->header().type) + " and " +
                            sectionLocation(section) + " has the address 0x" +
                            utohexstr(section.address, true) +
                            ": PAL takes st_value as an offset into its section");
}

/// ELF-07. File alignment is checked in strict mode only.
static void checkSections(const ElfModel &model, RuleReporter &out) {
  reportProblems(model, ElfProblemKind::SectionTable, "section-table", out);
  if (!model.elf)
    return;
  for (const ElfSection &section : model.elf->sections()) {
    if (section.type == elf::ShtNull)
      continue;
    if (section.align > 1 && !isPowerOf2_64(section.align))
      out.report(sectionLocation(section), "align",
                 "sh_addralign " + Twine(section.align) + " is no power of two");
    else if (model.options->strict && section.align > 1 && section.offset % section.align)
      out.report(RuleLevel::Info, sectionLocation(section), "offset",
                 "sh_offset " + Twine(section.offset) + " is no multiple of sh_addralign " +
                     Twine(section.align));
  }
}

/// True when the hardware launches code in \p section. Functions that others call may be anywhere.
static bool hasEntryPoint(const ElfModel &model, const ElfSection &section) {
  if (!model.elf)
    return false;
  return any_of(model.elf->symbols(), [&](const ElfSymbol &symbol) {
    return symbol.section == section.index &&
           (isShaderMain(symbol.name) || any_of(getStages(model), [&](const StageModel &stage) {
              return stage.typed->entryPoint == symbol.name;
            }));
  });
}

/// ELF-08. Fatal without a loaded '.text' and for an alignment below 256 bytes where entry points
/// are; infos otherwise.
static void checkText(const ElfModel &model, RuleReporter &out) {
  if (!model.elf || model.elf->sections().empty())
    return;
  unsigned count = 0;
  for (const ElfSection &section : model.elf->sections()) {
    if (section.name != ".text")
      continue;
    ++count;
    // PAL uploads what has ALLOC and does not look at EXECINSTR.
    bool isLoaded = section.type == elf::ShtProgbits && section.isAlloc();
    if (!isLoaded || !(section.flags & elf::ShfExecInstr))
      out.report(isLoaded ? RuleLevel::Info : RuleLevel::Fatal, sectionLocation(section), "flags",
                 "'.text' has type " + Twine(section.type) + " and flags " + Twine(section.flags) +
                     ", expected PROGBITS, ALLOC and EXECINSTR");
    if (section.align < shaderAlign && hasEntryPoint(model, section))
      out.report(sectionLocation(section), "align",
                 "'.text' is aligned to " + Twine(section.align) + " bytes, expected 256");
    if (section.size % 4)
      out.report(RuleLevel::Info, sectionLocation(section), "size",
                 "the size of '.text', " + Twine(section.size) + ", is no multiple of 4");
  }
  if (count != 1)
    out.report(count ? RuleLevel::Info : RuleLevel::Fatal, "", "count",
               "there are " + Twine(count) + " sections '.text', expected one");
}

/// ELF-09. Silent about missing metadata where notes or sections are damaged: ELF-07 and ELF-11
/// report the cause.
static void checkNoteSection(const ElfModel &model, RuleReporter &out) {
  if (!model.elf || model.elf->sections().empty())
    return;
  auto isNoteSection = [](const ElfSection &section) {
    return section.type == elf::ShtNote && section.name == ".note";
  };
  auto first = find_if(model.elf->sections(), isNoteSection);
  if (first == model.elf->sections().end())
    return out.report("", "section", "there is no section '.note' of type SHT_NOTE");
  auto sections = count_if(model.elf->sections(), isNoteSection);
  bool firstHasIt = any_of(model.elf->notes(), [&](const ElfNote &note) {
    return note.type == elf::NoteAmdgpuMetadata && note.offset >= first->offset &&
           note.offset - first->offset < first->size;
  });
  if (sections > 1)
    return out.report(
        firstHasIt ? RuleLevel::Info : RuleLevel::Fatal, "", "section",
        "there are " + Twine(sections) + " sections '.note'; PAL " +
            (firstHasIt ? "merges their metadata" : "stops at the first, which has no metadata"));
  bool damaged = any_of(model.elf->problems(), [](const ElfProblem &problem) {
    return problem.kind == ElfProblemKind::Note || problem.kind == ElfProblemKind::SectionTable;
  });
  if (!model.metadataBytes && !damaged)
    out.report("section '.note'", "metadata", "there is no note of type 32 (NT_AMDGPU_METADATA)");
}

/// ELF-10. Looks at the notes of all sections, not only at those of '.note'.
static void checkMetadataNotes(const ElfModel &model, RuleReporter &out) {
  if (!model.elf)
    return;
  unsigned count = 0;
  for (const ElfNote &note : model.elf->notes()) {
    if (note.type == elf::NoteAmdPalMetadata && note.owner == "AMD")
      out.report(offsetLocation(note.offset), "legacy",
                 "there is a legacy note NT_AMD_PAL_METADATA, which PAL no longer reads");
    if (note.type != elf::NoteAmdgpuMetadata)
      continue;
    if (++count == 2)
      out.report(offsetLocation(note.offset), "count",
                 "there is a second metadata note; PAL reads only the first");
    if (note.owner != "AMDGPU")
      out.report(offsetLocation(note.offset), "owner",
                 "the owner of the metadata note is '" + note.owner.take_front(16) +
                     "', expected 'AMDGPU'");
  }
}

/// ELF-11. The bounds are a problem of reading; only the padding is checked here, as an info.
static void checkNoteBounds(const ElfModel &model, RuleReporter &out) {
  reportProblems(model, ElfProblemKind::Note, "bounds", out);
  if (!model.elf)
    return;
  for (const ElfNote &note : model.elf->notes())
    if (!note.paddingIsZero)
      out.report(RuleLevel::Info, offsetLocation(note.offset), "padding",
                 "the bytes that pad the note to 4 bytes are not zero");
}

/// ELF-12. What is wrong inside of the table are problems of reading. Only the first table is read,
/// so that the symbols of a second one are unknown to all rules.
static void checkSymbolTable(const ElfModel &model, RuleReporter &out) {
  reportProblems(model, ElfProblemKind::SymbolTable, "table", out);
  if (!model.elf || model.elf->sections().empty())
    return;
  unsigned tables = count_if(model.elf->sections(), [](const ElfSection &section) {
    return section.type == elf::ShtSymtab;
  });
  if (tables != 1)
    out.report("", "count", "there are " + Twine(tables) + " symbol tables, expected one");
}

/// ELF-13. Undefined symbols count as well.
static void checkUniqueSymbols(const ElfModel &model, RuleReporter &out) {
  if (!model.elf)
    return;
  StringSet<> seen;
  for (const ElfSymbol &symbol : model.elf->symbols()) {
    bool isAbi = symbol.name.starts_with("_amdgpu_") || symbol.name.starts_with("color_export_");
    if (isAbi && !seen.insert(symbol.name).second)
      out.report(symbolLocation(symbol), "abi-symbol",
                 "the ABI symbol '" + symbol.name + "' is there twice; PAL takes the last");
  }
}

/// ELF-14. Undefined, absolute, file and section symbols have no bounds.
static void checkSymbolBounds(const ElfModel &model, RuleReporter &out) {
  if (!model.elf)
    return;
  for (const ElfSymbol &symbol : model.elf->symbols()) {
    if (!symbol.hasSection())
      continue;
    const ElfSection *section = model.elf->section(symbol.section);
    if (!section) {
      out.report(symbolLocation(symbol), "section",
                 "its section index " + Twine(symbol.section) + " is no section");
      continue;
    }
    if (symbol.type == elf::SttFile || symbol.type == elf::SttSection)
      continue;
    if (symbol.value > section->size || symbol.size > section->size - symbol.value)
      out.report(symbolLocation(symbol), "bounds",
                 "it ends at " + Twine(symbol.value) + " + " + Twine(symbol.size) + " in '" +
                     section->name + "' of " + Twine(section->size) + " bytes");
  }
}

/// ELF-15. Entry points by name, not by the metadata.
static void checkMainSymbols(const ElfModel &model, RuleReporter &out) {
  if (!model.elf)
    return;
  for (const ElfSymbol &symbol : model.elf->symbols()) {
    if (!isShaderMain(symbol.name) || symbol.isUndefined())
      continue;
    const ElfSection *section = sectionOf(*model.elf, symbol);
    if (symbol.type != elf::SttFunc)
      out.report(RuleLevel::Info, symbolLocation(symbol), "type",
                 "this entry point is not of type STT_FUNC");
    if (symbol.binding != elf::StbGlobal && symbol.binding != elf::StbWeak)
      out.report(RuleLevel::Info, symbolLocation(symbol), "binding",
                 "this entry point is neither global nor weak");
    if (section && section->name != ".text")
      out.report(section->isAlloc() ? RuleLevel::Info : RuleLevel::Error, symbolLocation(symbol),
                 "section",
                 "this entry point is in '" + section->name + "'" +
                     (section->isAlloc() ? ", expected '.text'" : ", which PAL does not upload"));
    if (symbol.size == 0)
      out.report(symbolLocation(symbol), "size", "an entry point must have a size");
  }
}

/// ELF-16. Checks the offset in the section; ELF-08 checks the section's alignment.
static void checkMainAlignment(const ElfModel &model, RuleReporter &out) {
  if (!model.elf)
    return;
  for (const ElfSymbol &symbol : model.elf->symbols())
    if (isShaderMain(symbol.name) && symbol.hasSection() && symbol.value % shaderAlign)
      out.report(symbolLocation(symbol), "align",
                 "the entry point is at 0x" + utohexstr(symbol.value, true) +
                     ", expected a multiple of 256");
}

/// ELF-17. Sweeps the functions of each section in order of their offsets and compares each with
/// the one that reaches furthest so far.
static void checkOverlaps(const ElfModel &model, RuleReporter &out) {
  if (!model.elf)
    return;
  std::vector<const ElfSymbol *> functions;
  for (const ElfSymbol &symbol : model.elf->symbols())
    if (symbol.type == elf::SttFunc && symbol.hasSection() && symbol.size)
      functions.push_back(&symbol);
  sort(functions, [](const ElfSymbol *a, const ElfSymbol *b) {
    return std::tuple(a->section, a->value, a->index) < std::tuple(b->section, b->value, b->index);
  });
  const ElfSymbol *reach = nullptr; // Of those before, the one that ends last.
  for (const ElfSymbol *symbol : functions) {
    if (!reach || reach->section != symbol->section ||
        symbol->value - reach->value >= reach->size) {
      reach = symbol;
      continue;
    }
    if (reach->value != symbol->value || reach->size != symbol->size)
      out.report(symbolLocation(*symbol), "overlap",
                 "its code begins inside that of '" + reach->name + "'");
    if (symbol->size > reach->size - (symbol->value - reach->value))
      reach = symbol;
  }
}

/// ELF-18. Tables are found by the beginning and the end of their symbols' names. Undefined symbols
/// are skipped.
static void checkInternalTables(const ElfModel &model, RuleReporter &out) {
  if (!model.elf)
    return;
  for (const ElfSymbol &symbol : model.elf->symbols()) {
    bool isTable = symbol.name.starts_with("_amdgpu_") &&
                   (symbol.name.ends_with("_intrl_tbl") || symbol.name.ends_with("_intrl_data"));
    const ElfSection *section = sectionOf(*model.elf, symbol);
    if (!isTable || !section)
      continue;
    if (!section->isAlloc() || (section->flags & elf::ShfExecInstr))
      out.report(section->isAlloc() ? RuleLevel::Info : RuleLevel::Error, symbolLocation(symbol),
                 "section",
                 "this internal table is in '" + section->name +
                     "', expected a loaded data section");
    if (symbol.value % dataAlign)
      out.report(RuleLevel::Info, symbolLocation(symbol), "align",
                 "this internal table is at " + Twine(symbol.value) +
                     ", expected a multiple of 32");
  }
}

/// Bytes that a relocation type changes; 0 for the types that PAL does not support.
static unsigned relocationBytes(uint32_t type) {
  static constexpr uint8_t widths[] = {0, 4, 4, 8, 4, 8, 4, 0, 0, 0, 4, 4, 0, 0, 2};
  return type < std::size(widths) ? widths[type] : 0;
}

/// ELF-19. Type 0, which changes no bytes, is accepted.
static void checkRelocationTypes(const ElfModel &model, RuleReporter &out) {
  if (!model.elf)
    return;
  for (const ElfRelocation &relocation : loadedRelocations(*model.elf))
    if (relocation.type != 0 && relocationBytes(relocation.type) == 0)
      out.report(relocationLocation(*model.elf, relocation), "type",
                 "relocation type " + Twine(relocation.type) +
                     " is none that PAL's loader resolves");
}

/// ELF-20.
static void checkRelocationBounds(const ElfModel &model, RuleReporter &out) {
  reportProblems(model, ElfProblemKind::Relocation, "table", out);
  if (!model.elf)
    return;
  for (const ElfRelocation &relocation : loadedRelocations(*model.elf)) {
    const ElfSection &target = model.elf->sections()[relocation.target];
    uint64_t bytes = relocationBytes(relocation.type);
    if (relocation.offset > target.size || bytes > target.size - relocation.offset)
      out.report(relocationLocation(*model.elf, relocation), "bounds",
                 "it lies outside its section of " + Twine(target.size) + " bytes");
    if (relocation.offset % 4)
      out.report(RuleLevel::Info, relocationLocation(*model.elf, relocation), "align",
                 "its offset is no multiple of 4");
    if (relocation.symbol >= model.elf->symbols().size())
      out.report(relocationLocation(*model.elf, relocation), "symbol",
                 "its symbol " + Twine(relocation.symbol) + " does not exist");
  }
}

/// ELF-21. Symbol 0 and indexes that ELF-20 reports are skipped.
static void checkRelocationSymbols(const ElfModel &model, RuleReporter &out) {
  if (!model.elf)
    return;
  for (const ElfRelocation &relocation : loadedRelocations(*model.elf)) {
    if (relocation.symbol == 0 || relocation.symbol >= model.elf->symbols().size())
      continue;
    const ElfSymbol &symbol = model.elf->symbols()[relocation.symbol];
    const ElfSection *section = sectionOf(*model.elf, symbol);
    if (section && !section->isAlloc())
      out.report(relocationLocation(*model.elf, relocation), "target",
                 "its symbol '" + symbol.name + "' is in '" + section->name +
                     "', which is not loaded");
  }
}

/// ELF-22. The null symbol, which is always first, is skipped.
static void checkUndefinedSymbols(const ElfModel &model, RuleReporter &out) {
  if (!model.elf)
    return;
  for (const ElfSymbol &symbol :
       model.elf->symbols().drop_front(std::min<size_t>(1, model.elf->symbols().size())))
    if (symbol.isUndefined() && !symbol.name.starts_with("_amdgpu_pipelineLink"))
      out.report(symbolLocation(symbol), "undefined",
                 "it is not defined here and is no pipeline link");
}

/// ELF-23. Sections by name, if they are loaded. Their order and number do not matter.
static void checkDataAlignment(const ElfModel &model, RuleReporter &out) {
  if (!model.elf)
    return;
  for (const ElfSection &section : model.elf->sections())
    if (is_contained(dataSections, section.name) && section.isAlloc() && section.align < dataAlign)
      out.report(sectionLocation(section), "align",
                 "it is aligned to " + Twine(section.align) + " bytes, expected 32");
}

/// ELF-25. Sums the sizes of the loaded sections without their padding; the sum saturates.
static void checkUploadBlock(const ElfModel &model, RuleReporter &out) {
  if (!model.elf)
    return;
  uint64_t total = 0;
  for (const ElfSection &section : model.elf->sections()) {
    if (!section.isAlloc())
      continue;
    total = SaturatingAdd(total, section.size);
    if (section.type == elf::ShtNobits && section.size)
      out.report(sectionLocation(section), "nobits",
                 "it has no bytes in the file; PAL would copy " + Twine(section.size) +
                     " bytes of what follows there");
    if ((section.flags & elf::ShfWrite) && (section.flags & elf::ShfExecInstr))
      out.report(RuleLevel::Info, sectionLocation(section), "writable-code",
                 "code is marked as writable");
  }
  for (const ElfRelocation &relocation : loadedRelocations(*model.elf)) {
    const ElfSection &target = model.elf->sections()[relocation.target];
    if (!(target.flags & elf::ShfExecInstr) || relocation.symbol >= model.elf->symbols().size())
      continue;
    const ElfSection *section = sectionOf(*model.elf, model.elf->symbols()[relocation.symbol]);
    if (section && (section->flags & elf::ShfWrite))
      out.report(RuleLevel::Info, relocationLocation(*model.elf, relocation), "writable-data",
                 "code refers to the writable section '" + section->name +
                     "', of which there is one copy for all dispatches");
  }
  if (total > uint64_t(1) << 31)
    out.report("", "size",
               "the loaded sections have " + Twine(total) +
                   " bytes, pc-relative references reach 2 GiB");
}

static constexpr RuleInfo containerRules[] = {
    {"ELF-01",
     RuleLevel::Fatal,
     "The header is that of an ELF64 little-endian file",
     {EnforcerKind::Specification, "System V gABI, ELF Header; PAL: palElf.h, IsElf"},
     "Magic 7f 45 4c 46, class 64, little endian, version 1, e_ehsize 64, e_shentsize 64. Without "
     "such a header no other rule can look at the file.",
     checkHeader,
     RuleScope::AnyElf},
    {"ELF-02",
     RuleLevel::Fatal,
     "EI_OSABI is 65 and EI_ABIVERSION 0",
     {EnforcerKind::Pal, "pipelineAbiReader.cpp, MatchesAnySupportedAbi"},
     "65 is ELFOSABI_AMDGPU_PAL. PAL also loads HSA code objects (64) of V3 to V5 as compute "
     "pipelines, where the chip allows it (ComputePipeline::Init): a warning says that they are "
     "not checked.",
     checkOsAbi,
     RuleScope::AnyElf},
    {"ELF-03",
     RuleLevel::Fatal,
     "e_machine is 224 (EM_AMDGPU)",
     {EnforcerKind::Pal, "pipelineAbiReader.cpp, PipelineAbiReader::InitCodeObject"},
     "PAL refuses any other machine.",
     checkMachine,
     RuleScope::AnyElf},
    {"ELF-04",
     RuleLevel::Fatal,
     "The chip in e_flags is known and the one asked for",
     {EnforcerKind::Specification, "LLVM AMDGPUUsage, Processors (EF_AMDGPU_MACH); PAL: "
                                   "palPipelineAbiUtils.h, MachineTypeToGfxIpVersion"},
     "e_flags[7:0] is EF_AMDGPU_MACH. PAL takes an unknown number for GFX 0.0.0. gfx1200 and "
     "gfx1201 count as the same unless --strict: PAL's own GFX12 binaries say gfx1200, which PAL's "
     "table lacks.",
     checkGfxIp},
    {"ELF-05",
     RuleLevel::Info,
     "The other bits of e_flags suit the chip",
     {EnforcerKind::Specification, "LLVM AMDGPUUsage, ELF Header, code object V4"},
     "Bits 9:8 are XNACK, 11:10 SRAM ECC: 0 where the chip has none (one known compiler writes "
     "'any' everywhere and is told so with --strict only). Bits 12 and above are 0. PAL reads none "
     "of them.",
     checkFlags},
    {"ELF-06",
     RuleLevel::Error,
     "Symbol values are offsets into sections",
     {EnforcerKind::Pal, "codeObjectUploader.cpp, CodeObjectUploader::GetAbsoluteSymbolAddress; "
                         "elfReader.cpp, Reader::GetSymbol"},
     "Either e_type is ET_REL, or every loaded section has address 0: PAL adds st_value to the "
     "address of the section. What ld.lld -shared makes fails this.",
     checkType},
    {"ELF-07",
     RuleLevel::Fatal,
     "The section table and all sections lie within the file",
     {EnforcerKind::Specification,
      "System V gABI, Sections; PAL does not check: elfReader.cpp, Reader::GetSection"},
     "Table and sections end within the file, names within the string table, sh_addralign is 0 or "
     "a power of two. That sh_offset is no multiple of sh_addralign is told with --strict only: "
     "one known compiler does not align sections in the file, and PAL does not need it.",
     checkSections},
    {"ELF-08",
     RuleLevel::Fatal,
     "'.text' is loaded and aligned for its entry points",
     {EnforcerKind::Pal,
      "codeObjectUploader.cpp, CodeObjectUploader::Begin; SectionAddressCalculator::AddSection; "
      "palPipelineAbi.h, PipelineShaderBaseAddrAlignment"},
     "PAL uploads sections with SHF_ALLOC and places them by sh_addralign, which is at least 256 "
     "where an entry point is in '.text'; a library of functions has none. Infos: EXECINSTR is "
     "missing, the size is no multiple of 4, there are several sections of this name.",
     checkText},
    {"ELF-09",
     RuleLevel::Fatal,
     "'.note' has a metadata note",
     {EnforcerKind::Pal, "pipelineAbiReader.cpp, PipelineAbiReader::GetMetadata"},
     "PAL looks for the exact name '.note' with type SHT_NOTE, and in it for the first note of "
     "type 32. If there are several such sections, it stops at the first without one, and merges "
     "the others (info).",
     checkNoteSection},
    {"ELF-10",
     RuleLevel::Warning,
     "There is just one metadata note, owned by AMDGPU",
     {EnforcerKind::Specification,
      "LLVM AMDGPUUsage, Note Records; PAL: pipelineAbiReader.cpp, PipelineAbiReader::GetMetadata"},
     "PAL reads the first one and does not compare the owner; other tools do. PAL no longer reads "
     "the legacy note NT_AMD_PAL_METADATA (type 12 of AMD).",
     checkMetadataNotes},
    {"ELF-11",
     RuleLevel::Fatal,
     "Every note lies within its section",
     {EnforcerKind::Pal,
      "elfReader.cpp, NoteIterator::Next (no bounds check); System V gABI, Note Section"},
     "The ELF specification says 8 bytes of alignment for ELF64; all writers and PAL use 4. "
     "Padding that is not zero is an info.",
     checkNoteBounds},
    {"ELF-12",
     RuleLevel::Fatal,
     "There is one well-formed symbol table",
     {EnforcerKind::Specification, "System V gABI, Symbol Table; PAL: pipelineAbiReader.cpp, "
                                   "PipelineAbiReader::InitDebugValidate (assert)"},
     "One SHT_SYMTAB of 24-byte entries; sh_link is a string table, sh_info at most the number of "
     "symbols, each name ends within the string table.",
     checkSymbolTable},
    {"ELF-13",
     RuleLevel::Fatal,
     "The names of ABI symbols are unique",
     {EnforcerKind::Pal, "pipelineAbiReader.cpp, PipelineAbiReader::InitSymbolCache (assert)"},
     "ABI symbols begin with '_amdgpu_' or 'color_export_'. Of two, PAL takes the last.",
     checkUniqueSymbols},
    {"ELF-14",
     RuleLevel::Fatal,
     "Every symbol lies within its section",
     {EnforcerKind::Pal, "elfReader.cpp, Reader::GetSymbol (ErrorInvalidPipelineElf)"},
     "st_value + st_size is at most sh_size.",
     checkSymbolBounds},
    {"ELF-15",
     RuleLevel::Error,
     "Entry points are loaded and have a size",
     {EnforcerKind::Pal,
      "codeObjectUploader.cpp, CodeObjectUploader::GetAbsoluteSymbolAddress "
      "(ErrorGpuMemoryNotBound); pipeline.cpp, Pipeline::GetShaderCode (assert)"},
     "Symbols '_amdgpu_XX_main'. Infos: one is not of type STT_FUNC, neither global nor weak, or "
     "in another loaded section than '.text'. PAL looks at none of this.",
     checkMainSymbols},
    {"ELF-16",
     RuleLevel::Fatal,
     "Entry points are aligned to 256 bytes",
     {EnforcerKind::Pal, "gfx9PipelineChunkCs.cpp, PipelineChunkCs::LateInit (assert) and its like "
                         "for the other stages"},
     "The address registers hold address >> 8; the low bits are lost silently.",
     checkMainAlignment},
    {"ELF-17",
     RuleLevel::Info,
     "The code of functions does not overlap",
     {EnforcerKind::Habit, "all known compilers"},
     "Two names for exactly the same range are accepted: an alias. PAL does not compare symbols.",
     checkOverlaps},
    {"ELF-18",
     RuleLevel::Error,
     "Internal tables are loaded",
     {EnforcerKind::Pal, "codeObjectUploader.cpp, CodeObjectUploader::GetAbsoluteSymbolAddress "
                         "(ErrorGpuMemoryNotBound)"},
     "Symbols '_amdgpu_*_intrl_tbl' and '_amdgpu_*_intrl_data'. Infos: one is among code, or not "
     "aligned to 32 bytes.",
     checkInternalTables},
    {"ELF-19",
     RuleLevel::Error,
     "PAL's loader knows every relocation type",
     {EnforcerKind::Pal, "codeObjectUploader.cpp, CodeObjectUploader::ApplyRelocationSection "
                         "(assert; else the place stays as it is)"},
     "Types 0 to 6, 10, 11 and 14. The GOT relocations 7 to 9 are not resolved: there is no GOT. "
     "Only relocations of loaded sections count.",
     checkRelocationTypes},
    {"ELF-20",
     RuleLevel::Fatal,
     "Every relocation lies within its section and has a symbol",
     {EnforcerKind::Pal, "codeObjectUploader.cpp, CodeObjectUploader::ApplyRelocationSection (no "
                         "bounds check); System V gABI, Relocation"},
     "Offset and width within the target section, the symbol index below the number of symbols; "
     "sh_entsize and sh_info of the table are right. An offset that is no multiple of 4 is an "
     "info. Only relocations of loaded sections count.",
     checkRelocationBounds},
    {"ELF-21",
     RuleLevel::Fatal,
     "Every relocation refers to something that is loaded",
     {EnforcerKind::Pal, "codeObjectUploader.cpp, CodeObjectUploader::ApplyRelocationSection "
                         "(ErrorInvalidPipelineElf)"},
     "The symbol is absolute, or in a section with SHF_ALLOC. Undefined symbols are ELF-22's.",
     checkRelocationSymbols},
    {"ELF-22",
     RuleLevel::Warning,
     "Undefined symbols are pipeline links only",
     {EnforcerKind::Pal, "pipelineLoader.cpp, LoadedElf::Init (ErrorBadShaderCode)"},
     "LLVM turns an unknown intrinsic into an undefined symbol. Relocation constants of the client "
     "may be legal too, hence a warning.",
     checkUndefinedSymbols},
    {"ELF-23",
     RuleLevel::Warning,
     ".data and .rodata are aligned to 32 bytes",
     {EnforcerKind::Specification,
      "PAL pipeline ABI, palPipelineAbi.h: DataMinBaseAddrAlignment, RoDataMinBaseAddrAlignment"},
     "PAL places sections by sh_addralign alone.",
     checkDataAlignment},
    {"ELF-25",
     RuleLevel::Error,
     "What is loaded can be one block",
     {EnforcerKind::Pal, "codeObjectUploader.cpp, CodeObjectUploader::UploadUsingCpu (copies "
                         "sh_size bytes of the file), ApplyRelocationSection (Rel32: assert)"},
     "PAL copies all loaded sections into one block per pipeline. None is SHT_NOBITS, and together "
     "they are within 2 GiB, the reach of pc-relative references. Infos: code is writable, or "
     "refers to writable data, of which there is one copy for all dispatches.",
     checkUploadBlock},
    {"ELF-26",
     RuleLevel::Error,
     "The members of an archive go together",
     {EnforcerKind::Pal,
      "pipelineAbiReader.cpp, PipelineAbiReader::InitCodeObject, InitSymbolCache and GetMetadata"},
     "All members are ELFs with the same OSABI and chip. PAL merges the members of a graphics "
     "pipeline: no shader entry point is defined twice, and no scalar of the metadata has two "
     "values. Members that are all of compute shaders are pipelines of their own "
     "(ArchivePipeline::Init).",
     nullptr},
};

ArrayRef<RuleInfo> assay::getContainerRules() {
  return containerRules;
}

/// Every scalar under `amdpal.pipelines[0]` as "path" -> "value".
static void collectScalars(const MsgValue &map, const std::string &path,
                           std::map<std::string, std::string> &out) {
  for (size_t i = 0; map.kind == MsgKind::Map && i + 1 < map.items.size(); i += 2) {
    std::string key = path + map.items[i].text.str();
    const MsgValue &value = map.items[i + 1];
    if (value.kind == MsgKind::Map)
      collectScalars(value, key, out);
    else if (value.kind != MsgKind::Array)
      out[key] = describeMsgValue(value);
  }
}

/// True when each member is a pipeline or library of its own, as PAL loads archives of compute
/// shaders. The members of others are merged into one pipeline.
static bool isComputeArchive(ArrayRef<MemberModel> members) {
  return all_of(members, [](const MemberModel &member) {
    ArrayRef<StageModel> stages = getStages(*member.model);
    return member.model->launch &&
           all_of(stages, [](const StageModel &stage) { return stage.isCompute(); });
  });
}

/// Compares OSABI and chip of the members with those of the first ELF. With \p isMerged, an entry
/// point that two members define is reported as well.
static void checkMemberHeaders(ArrayRef<MemberModel> members, bool isMerged, RuleReporter &out) {
  const ElfView *first = nullptr;
  StringMap<std::string> entryPoints;
  for (const MemberModel &member : members) {
    if (!member.model->elf) {
      out.report("member " + member.name, "not-elf", "the member is no ELF");
      continue;
    }
    const ElfView &elf = *member.model->elf;
    if (!first)
      first = &elf;
    if (elf.header().osAbi != first->header().osAbi ||
        (elf.header().flags & 0xff) != (first->header().flags & 0xff))
      out.report("member " + member.name, "chip",
                 "OSABI or chip differ from those of the first member");
    for (const ElfSymbol &symbol : elf.symbols()) {
      if (!isMerged || !isShaderMain(symbol.name) || symbol.isUndefined())
        continue;
      auto [known, isNew] = entryPoints.try_emplace(symbol.name, member.name);
      if (!isNew && known->second != member.name)
        out.report("member " + member.name, "entry-point",
                   "'" + symbol.name + "' is also defined in member " + known->second);
    }
  }
}

/// Compares the members of an archive with each other. An archive of compute shaders has
/// independent members; others are parts of one pipeline, and scalars of their metadata must be
/// equal.
void assay::checkArchiveMembers(ArrayRef<MemberModel> members, RuleReporter &out) {
  if (members.empty())
    out.report("", "empty", "the archive has no members");
  bool isMerged = !isComputeArchive(members);
  checkMemberHeaders(members, isMerged, out);
  if (!isMerged)
    return;
  std::map<std::string, std::string> merged;
  for (const MemberModel &member : members) {
    if (!member.model->pipeline)
      continue;
    std::map<std::string, std::string> scalars;
    collectScalars(*member.model->pipeline, "", scalars);
    for (const auto &[path, value] : scalars) {
      auto [known, isNew] = merged.try_emplace(path, value);
      if (!isNew && known->second != value)
        out.report("member " + Twine(member.name), path,
                   "'" + Twine(path) + "' is " + value + ", an earlier member says " +
                       known->second);
    }
  }
}
