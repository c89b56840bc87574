// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mutants for the rules on the container: ELF-.
#include "oracles/pal_elf/mutants/MutationTesting.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::mutation;

/// The base with \p text for a disassembly.
static Mutant disassemblyMutant(StringRef text) {
  Mutant mutant = textMutant("ELF-24", std::vector<Replacement>{}, Severity::Note);
  mutant.disassembly = text.str();
  return mutant;
}

/// ELF-01 to ELF-11: header, sections, notes.
static std::vector<Mutant> sectionMutants() {
  using R = Replacement;
  return {
      byteMutant("ELF-01", "e_ehsize 65", [](Bytes &b) { b[52] = 65; }),
      byteMutant("ELF-01", "a wrong magic", [](Bytes &b) { b[0] = 0; }),
      byteMutant("ELF-01", "40 bytes of the header", [](Bytes &b) { b.resize(40); }),
      byteMutant("ELF-02", "OS/ABI HSA", [](Bytes &b) { b[7] = 64; }),
      byteMutant("ELF-02", "ABI version 1", [](Bytes &b) { b[8] = 1; }),
      byteMutant(
          "ELF-02", "HSA code object V4",
          [](Bytes &b) {
            b[7] = 64;
            b[8] = 2;
          },
          Severity::Warning),
      byteMutant("ELF-03", "machine x86-64", [](Bytes &b) { b[18] = 62; }),
      byteMutant("ELF-04", "an unknown chip", [](Bytes &b) { b[48] = 0xfe; }),
      byteMutant(
          "ELF-05", "e_flags bit 16", [](Bytes &b) { b[50] = 1; }, Severity::Note),
      byteMutant(
          "ELF-05", "XNACK on a chip without", [](Bytes &b) { b[49] = 1; }, Severity::Note),
      byteMutant("ELF-06", "ET_DYN with an address",
                 [](Bytes &b) {
                   b[16] = 3;
                   patchSection(b, ".text", 16, 0x1000, 8);
                 }),
      byteMutant("ELF-07", "alignment 33", [](Bytes &b) { patchSection(b, ".rodata", 48, 33, 8); }),
      byteMutant("ELF-07", "a section beyond the file",
                 [](Bytes &b) { patchSection(b, ".AMDGPU.disasm", 24, 1 << 20, 8); }),
      byteMutant("ELF-08", "code aligned to 128",
                 [](Bytes &b) { patchSection(b, ".text", 48, 128, 8); }),
      byteMutant("ELF-08", "code that is not loaded",
                 [](Bytes &b) { patchSection(b, ".text", 8, 4, 8); }),
      byteMutant(
          "ELF-08", "code that is not executable",
          [](Bytes &b) { patchSection(b, ".text", 8, 2, 8); }, Severity::Note),
      textMutant("ELF-08",
                 R{"\t.section .rodata,", "\t.section .text,\"ax\",@progbits,unique,1\n\ts_nop 0\n"
                                          "\t.section .rodata,"},
                 Severity::Note),
      byteMutant("ELF-09", "note type 33", [](Bytes &b) { b[sectionOffset(b, ".note") + 8] = 33; }),
      byteMutant(
          "ELF-10", "owner BMDGPU", [](Bytes &b) { b[sectionOffset(b, ".note") + 12] = 'B'; },
          Severity::Warning),
      byteMutant(
          "ELF-11", "padding of a note not 0",
          [](Bytes &b) { b[sectionOffset(b, ".note") + 19] = 1; }, Severity::Note),
      byteMutant("ELF-11", "a note longer than its section",
                 [](Bytes &b) { b[sectionOffset(b, ".note") + 5] = 0xff; }),
  };
}

/// ELF-12 to ELF-26: symbols, relocations, what is loaded.
static std::vector<Mutant> symbolMutants() {
  using R = Replacement;
  return {
      byteMutant("ELF-12", "first global symbol 1000",
                 [](Bytes &b) { patchSection(b, ".symtab", 44, 1000, 4); }),
      byteMutant("ELF-13", "two symbols of one name",
                 [](Bytes &b) {
                   patch(b, StringRef("_amdgpu_pipelineLink1\0", 22),
                         StringRef("_amdgpu_pipelineLink0\0", 22));
                 }),
      byteMutant("ELF-14", "symbol type 1 for a function",
                 [](Bytes &b) { b[sectionOffset(b, ".symtab") + size_t(2) * 24 + 16] = 17; }),
      byteMutant("ELF-19", "relocation type 7",
                 [](Bytes &b) { b[sectionOffset(b, ".rel.text") + 8] = 7; }),
      byteMutant("ELF-20", "a relocation beyond its section",
                 [](Bytes &b) { b[sectionOffset(b, ".rel.text") + 2] = 1; }),
      byteMutant(
          "ELF-20", "an unaligned relocation",
          [](Bytes &b) { b[sectionOffset(b, ".rel.text")] = 9; }, Severity::Note),
      byteMutant("ELF-20", "a relocation of symbol 200",
                 [](Bytes &b) { b[sectionOffset(b, ".rel.text") + 12] = 200; }),
      textMutant("ELF-15", R{"\t.size _amdgpu_cs_main, .Lend-_amdgpu_cs_main\n", ""}),
      textMutant("ELF-15", R{"\t.globl _amdgpu_cs_main\n", ""}, Severity::Note),
      textMutant("ELF-15", R{"\t.type _amdgpu_cs_main,@function\n", ""}, Severity::Note),
      textMutant("ELF-16", R{"_amdgpu_cs_main:\n", "\ts_nop 0\n_amdgpu_cs_main:\n"}),
      textMutant("ELF-17", R{".Lend-_amdgpu_cs_main", ".Lend0-_amdgpu_cs_main"}, Severity::Note),
      textMutant("ELF-18",
                 R{"_amdgpu_cs_shdr_intrl_tbl:\n", "\t.long 0\n_amdgpu_cs_shdr_intrl_tbl:\n"},
                 Severity::Note),
      graphicsMutant("ELF-18",
                     R{"\t.amdgpu_pal_metadata\n",
                       "\t.section .AMDGPU.tables,\"\",@progbits\n"
                       "\t.globl _amdgpu_ps_shdr_intrl_tbl\n_amdgpu_ps_shdr_intrl_tbl:\n\t.long 1\n"
                       "\t.size _amdgpu_ps_shdr_intrl_tbl, 4\n\t.amdgpu_pal_metadata\n"}),
      textMutant("ELF-21", {R{"tbl@rel32@lo", "tbl@rel32@lo"},
                            R{"_amdgpu_cs_shdr_intrl_tbl@rel32@hi", "_amdgpu_cs_disasm@rel32@hi"}}),
      textMutant("ELF-22", R{"_amdgpu_cs_shdr_intrl_tbl@rel32@hi", "unknown_function@rel32@hi"},
                 Severity::Warning),
      textMutant("ELF-23", R{"\t.p2align 5\n", "\t.p2align 2\n"}, Severity::Warning),
      textMutant("ELF-24", R{"; nothing", "; noth\\001ng"}, Severity::Note),
      textMutant("ELF-24", R{".ascii \"; nothing\"", ".ascii \"s_endpgm\\n\""}, Severity::Note),
      disassemblyMutant("s_getpc_b64 s[0:1]\\ns_add_u32 s0, s0, 4\\ns_addc_u32 s1, s1, 0\\n"),
      disassemblyMutant("s_getpc_b64 s[0:1] // 000000000000: BE804701\\n"),
      graphicsMutant("ELF-25",
                     R{"\t.amdgpu_pal_metadata\n", "\t.section .bss,\"aw\",@nobits\n\t.zero 16\n"
                                                   "\t.amdgpu_pal_metadata\n"}),
      textMutant("ELF-25", R{".rodata,\"a\"", ".table,\"aw\""}, Severity::Note),
      byteMutant("ELF-26", "an archive, cut off",
                 [](Bytes &b) {
                   b = makeArchive({{"a.elf", b}});
                   b.resize(b.size() - 100);
                 }),
  };
}

std::vector<Mutant> mutation::containerMutants() {
  std::vector<Mutant> mutants = sectionMutants();
  append_range(mutants, symbolMutants());
  return mutants;
}
