// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The mutation kit of validate-elf: clean pipelines as assembler text, and mutants of them, each
// wrong in one way that one rule must see and no other may. Every rule has at least one mutant; the
// table of rules in docs/validate-elf.md names it. For this folder's tests only.
#pragma once

#include "oracles/pal_elf/ValidateElf.h"
#include "llvm/ADT/StringRef.h"
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace assay::mutation {

using Bytes = std::vector<uint8_t>;
/// The first occurrence of the first text becomes the second; it must be there.
using Replacement = std::pair<llvm::StringRef, llvm::StringRef>;
using ByteEdit = std::function<void(Bytes &)>;

/// A clean pipeline, and the chip that it is assembled for unless a mutant says otherwise.
struct Base {
  llvm::StringRef text;
  llvm::StringRef chip;
};
extern const Base computeBase;  ///< A compute shader with everything that rules look at.
extern const Base graphicsBase; ///< An NGG pipeline: vertex and pixel shader.
const Base &legacyBase();       ///< The same without NGG, for chips that have a hardware VS.
const Base &geometryBase();     ///< Without NGG, with a geometry shader.
const Base &tessellationBase(); ///< NGG with hull and domain shader.
const Base &meshBase();         ///< A mesh shader instead of the vertex shader.
/// lgc/NAME.s: in the shape that LGC wrote in the year in its name, for the chip that it says.
const Base &lgcBase(llvm::StringRef name);

struct Mutant {
  llvm::StringRef rule;
  const Base *base = nullptr;
  std::vector<Replacement> edits;
  ByteEdit bytes = nullptr; ///< On the assembled ELF, where text can't say it.
  std::string what;         ///< For the table; empty: from the first edit.
  Severity severity = Severity::Error;
  llvm::StringRef chip;         ///< Empty: the base's.
  std::string code = {};        ///< Instructions put at the entry of the compute base.
  std::string pixelCode = {};   ///< Instructions put at the entry of the graphics base's .ps.
  std::string calleeCode = {};  ///< Instructions put at the entry of _amdgpu_pipelineLink0.
  std::string disassembly = {}; ///< Put into the compute base, with assembler escapes.
};

/// Rows of the tables below.
Mutant textMutant(llvm::StringRef rule, std::vector<Replacement> edits,
                  Severity severity = Severity::Error, llvm::StringRef chip = "");
Mutant textMutant(llvm::StringRef rule, Replacement edit, Severity severity = Severity::Error,
                  llvm::StringRef chip = "");
Mutant graphicsMutant(llvm::StringRef rule, std::vector<Replacement> edits,
                      Severity severity = Severity::Error, llvm::StringRef chip = "");
Mutant graphicsMutant(llvm::StringRef rule, Replacement edit, Severity severity = Severity::Error,
                      llvm::StringRef chip = "");
/// Of the graphics base in the words of GFX12.
Mutant gfx12Mutant(llvm::StringRef rule, std::vector<Replacement> edits,
                   Severity severity = Severity::Error);
/// Of a base that is neither of the two.
Mutant baseMutant(llvm::StringRef rule, const Base &base, std::vector<Replacement> edits,
                  Severity severity = Severity::Error);
Mutant byteMutant(llvm::StringRef rule, std::string what, ByteEdit edit,
                  Severity severity = Severity::Error);

/// The tables, one a file; a new one needs its line in listMutants().
std::vector<Mutant> containerMutants();
std::vector<Mutant> metadataMutants();
std::vector<Mutant> stageMutants();
std::vector<Mutant> resourceMutants();
std::vector<Mutant> userDataMutants();
std::vector<Mutant> vertexMutants();
std::vector<Mutant> geometryMutants();
std::vector<Mutant> pixelMutants();
std::vector<Mutant> codeMutants();
std::vector<Mutant> listMutants();

/// One line of plain text: what is wrong with \p mutant.
std::string describe(const Mutant &mutant);
/// The ELF of \p mutant.
Bytes build(const Mutant &mutant);

/// The labels that code begins at.
constexpr llvm::StringLiteral computeEntry = "_amdgpu_cs_main:\n";
constexpr llvm::StringLiteral calleeEntry = "_amdgpu_pipelineLink0:\n";
constexpr llvm::StringLiteral pixelEntry = "_amdgpu_ps_main:\n";

/// \p base with \p edits, assembled for \p chip (empty: the base's).
Bytes assemble(const Base &base, llvm::ArrayRef<Replacement> edits = {}, llvm::StringRef chip = "");
/// Runs an LLVM tool over \p text and gives what it writes. Fails the test when it can't.
Bytes runTool(llvm::StringRef tool, std::vector<std::string> arguments, llvm::StringRef text);

/// Replaces the first occurrence of \p from after \p begin; the lengths must be equal.
void patch(Bytes &bytes, llvm::StringRef from, llvm::StringRef to, size_t begin = 0);
/// Sets a field of a section header: \p offset bytes into it.
void patchSection(Bytes &bytes, llvm::StringRef name, unsigned offset, uint64_t value,
                  unsigned size);
/// An archive of \p members (name, bytes) in the System V form.
Bytes makeArchive(llvm::ArrayRef<std::pair<llvm::StringRef, Bytes>> members);
size_t sectionOffset(const Bytes &bytes, llvm::StringRef name);

/// Findings as text, one a line.
std::string show(llvm::ArrayRef<Finding> findings);
/// The findings on \p bytes must be of \p rule alone, all of \p severity, and there must be one.
void expectOnly(llvm::StringRef rule, const Bytes &bytes, Severity severity);

} // namespace assay::mutation
