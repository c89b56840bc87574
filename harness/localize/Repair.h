// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which instruction of the machine code is wrong, or which key of its metadata, and how: one is
// changed after the other, in all ways of a table, until the case does what it should.
#pragma once

#include "harness/localize/Trials.h"

namespace assay {

/// A change that makes the case pass.
struct CodeRepair {
  unsigned row = 0;        ///< CodeChange::row.
  size_t order = 0;        ///< In which the instructions ran.
  std::string kind;        ///< CodeChange::kind.
  std::string instruction; ///< "pc 0x40: v_cmp_le_u32_e32 vcc, v0, v1", as the trace prints it.
  std::string changed;     ///< The instruction in its place.
};

/// Another value of a key of the metadata that does so.
struct SettingRepair {
  std::string key;        ///< SettingChange::key.
  std::string changed;    ///< SettingChange::changed.
  std::string stage = ""; ///< SettingChange::stage.
};

/// What was tried, and what came of it: one of both, or none.
struct RepairSearch {
  std::optional<SettingRepair> setting;
  std::optional<CodeRepair> repair;
};

/// What may be wrong.
enum class RepairScope : uint8_t {
  Settings, ///< What the launch follows.
  All       ///< That, or one instruction.
};

/// The likeliest of \p repairs: of the first row, and of these the first that runs. Nothing where
/// there is none, or so many kinds of them that none says anything.
std::optional<CodeRepair> chooseRepair(llvm::ArrayRef<CodeRepair> repairs);

constexpr unsigned variantCount = 24;
/// \p value, of \p bytes bytes at number \p index of a buffer, in variant \p variant of a case,
/// which is less than variantCount.
uint64_t varyValue(uint64_t value, unsigned bytes, uint64_t index, unsigned variant);

/// Tries what the case of \p file compiles to as \p predicate has it, on machine gcn: settings
/// first, of which any may be the one; of several changes of instructions that repair it, those are
/// left that repair it with other contents of its buffers as well, and where more invocations run.
/// Nothing is found for a case with several pipelines, where the ELF alone does not show what the
/// predicate asks for, and where time is up. \p runs counts worker processes asked. Errors are of
/// the environment.
llvm::Expected<RepairSearch> repairCode(const CaseFile &file, const Predicate &predicate,
                                        RepairScope scope, const PoolOptions &pool,
                                        const WorkFolder &folder, unsigned &runs);

} // namespace assay
