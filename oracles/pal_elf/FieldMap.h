// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Metadata maps as rules read them: a field that is not there is not there, whatever is above it.
#pragma once

#include "oracles/pal_elf/MsgPack.h"
#include <optional>
#include <string>

namespace assay {

struct ElfModel;
struct FunctionCode;

/// A map of the metadata, or nothing. Does not own what it looks at.
class FieldMap {
public:
  explicit FieldMap(const MsgValue *map = nullptr) : m_map(map) {}

  bool exists() const { return m_map != nullptr; }
  /// The value of \p key, or null.
  const MsgValue *find(llvm::StringRef key) const { return m_map ? m_map->find(key) : nullptr; }
  bool has(llvm::StringRef key) const { return find(key) != nullptr; }
  FieldMap at(llvm::StringRef key) const;
  /// A number, or 0 and 1 of a Bool.
  std::optional<uint64_t> number(llvm::StringRef key) const;
  uint64_t numberOr(llvm::StringRef key, uint64_t missing = 0) const {
    return number(key).value_or(missing);
  }
  bool flag(llvm::StringRef key) const { return numberOr(key) != 0; }
  std::optional<double> real(llvm::StringRef key) const;
  /// The elements of an array; none when it is missing.
  llvm::ArrayRef<MsgValue> items(llvm::StringRef key) const;

private:
  const MsgValue *m_map;
};

/// `.amdpal.pipelines[0]`.
FieldMap pipelineFields(const ElfModel &model);
/// `.graphics_registers`, or the same from the `.registers` of 2.x metadata.
FieldMap graphicsRegisters(const ElfModel &model);
/// The entry \p stage (".ps") of `.hardware_stages`.
FieldMap stageFields(const ElfModel &model, llvm::StringRef stage);

/// What the metadata say of \p function: the entry of its stage, or that of `.shader_functions`.
FieldMap functionFields(const ElfModel &model, const FunctionCode &function);
/// The place of \p key in graphicsRegisters(), as findings name it.
std::string graphicsPlace(llvm::StringRef key);
/// A number, or 0 for what is none.
uint64_t numberOf(const MsgValue &value);
/// `.type` of the pipeline; empty when nothing is said.
llvm::StringRef pipelineType(const ElfModel &model);
/// True for a pipeline with a mesh shader, by its `.type`.
bool isMeshPipeline(const ElfModel &model);
/// True for an API shader (".mesh") that the pipeline has.
bool hasApiShader(const ElfModel &model, llvm::StringRef name);

/// What 3.x metadata say in `.graphics_registers`, from \p registers (dword offset -> value), by
/// the table Registers.def. Strings in it live forever.
MsgValue decodeGraphicsRegisters(const MsgValue &registers);

/// The reverse, of one register: what the keys of \p graphics (`.graphics_registers`) say of the
/// register at dword \p offset. Missing keys are 0.
uint32_t encodeGraphicsRegister(const FieldMap &graphics, uint32_t offset);

} // namespace assay
