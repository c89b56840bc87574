// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inside validate-elf: the model that rules look at, and the shape of a rule.
#pragma once

#include "oracles/pal_elf/ElfCode.h"
#include "oracles/pal_elf/ElfView.h"
#include "oracles/pal_elf/Machines.h"
#include "oracles/pal_elf/Metadata.h"
#include "oracles/pal_elf/MsgPack.h"
#include "oracles/pal_elf/Schema.h"
#include "oracles/pal_elf/ValidateElf.h"
#include "llvm/ADT/Twine.h"
#include <optional>
#include <vector>

namespace assay {

/// Fatal: PAL refuses it, or certain harm. Error: a wrong result or truncation. Both are findings
/// of severity Error; Warning and Info are Warning and Note.
enum class RuleLevel : uint8_t { Fatal, Error, Warning, Info };

/// Who makes a rule binding.
enum class EnforcerKind : uint8_t {
  Pal,           ///< PAL refuses the ELF, asserts, or takes it for something else.
  Hardware,      ///< The chip does something else.
  Specification, ///< A document demands it.
  Habit,         ///< Some writers do it, and nobody needs it. Such a rule only gives notes.
};

struct Enforcer {
  EnforcerKind kind;
  /// Pal: file and function, of the open-source PAL of April 2025. Hardware: manual and section, or
  /// register and field. Specification: document and section. Habit: the writers.
  llvm::StringRef citation;
};

/// One entry of `.hardware_stages`, as bytes and typed.
struct StageModel {
  const HardwareStageMetadata *typed = nullptr;
  const MsgValue *map = nullptr;

  llvm::StringRef name() const { return typed->name; }
  bool isCompute() const { return typed->name == ".cs"; }
  bool has(llvm::StringRef key) const { return map->find(key) != nullptr; }
  std::string location(llvm::StringRef key = "") const;
};

/// Everything known of one ELF. What could not be read is absent, and rules about it say nothing:
/// another rule already complains.
struct ElfModel {
  llvm::ArrayRef<uint8_t> bytes;
  const ElfView *elf = nullptr;
  std::string elfError; ///< Why elf is absent.
  const ElfMachine *machine = nullptr;
  std::optional<llvm::ArrayRef<uint8_t>> metadataBytes; ///< Of the first metadata note.
  std::optional<MsgValue> metadata;                     ///< Else what a legacy note says.
  std::string metadataError;          ///< Why metadata is absent, if there is a note.
  const MsgValue *pipeline = nullptr; ///< The only pipeline of the metadata.
  uint64_t major = 0;                 ///< 0: no version.
  uint64_t minor = 0;
  std::vector<SchemaProblem> schemaProblems;
  std::optional<PalMetadata> launch; ///< The typed metadata; absent when its structure is wrong.
  std::vector<StageModel> stages;    ///< Of launch and pipeline; into which it points.
  /// `.graphics_registers` of 2.x metadata, from their `.registers`.
  std::optional<MsgValue> decodedRegisters;
  /// What LLVM writes for a module whose front-end says nothing of a pipeline: no version, no API.
  bool isPlain = false;
  std::optional<ElfCode> code; ///< Absent when nobody asked for it.
  ElfDialect dialect = ElfDialect::Llvm;
  const ValidateOptions *options = nullptr;

  ElfModel() = default;
  ElfModel(const ElfModel &) = delete; ///< pipeline points into metadata.
  ElfModel &operator=(const ElfModel &) = delete;
  unsigned schemaVersion() const { return static_cast<unsigned>(major * 10 + minor); }
};

/// The stages of \p model; none when the metadata could not be read.
inline llvm::ArrayRef<StageModel> getStages(const ElfModel &model) {
  return model.stages;
}
/// GFX IP major; 0 when the chip is unknown.
unsigned getGfxMajor(const ElfModel &model);
/// True for a library of functions, which has no pipeline topology.
bool isLibrary(const ElfModel &model);

/// Fills \p model from \p artifact, which must outlive it.
void readElfModel(const Artifact &artifact, const ValidateOptions &options, ElfModel &model);

struct RuleInfo;

/// Takes the complaints of one rule.
class RuleReporter {
public:
  /// \p isPlain: of ElfModel; rules on the pipeline are then notes.
  /// \p where, the beginning of every location, must outlive it.
  RuleReporter(const RuleInfo &rule, llvm::StringRef where, std::vector<Finding> &findings,
               bool isPlain)
      : m_rule(rule), m_where(where), m_findings(findings), m_isPlain(isPlain) {}

  /// \p what: the name of the thing, for the signature; no numbers in it.
  void report(const llvm::Twine &location, llvm::StringRef what, const llvm::Twine &message);
  /// \p level: Info where the rule is a habit.
  void report(RuleLevel level, const llvm::Twine &location, llvm::StringRef what,
              const llvm::Twine &message);

private:
  const RuleInfo &m_rule;
  llvm::StringRef m_where;
  std::vector<Finding> &m_findings;
  bool m_isPlain;
  unsigned m_count = 0;
};

using RuleFunction = void (*)(const ElfModel &, RuleReporter &);

/// What a rule needs to have anything to say.
enum class RuleScope : uint8_t {
  AnyElf, ///< Is for ELFs of other machines, too.
  PalElf,
  Code, ///< Says nothing where ValidateOptions::code is off.
};

struct RuleInfo {
  llvm::StringRef id;
  RuleLevel level;
  llvm::StringRef title;
  Enforcer enforcer;
  llvm::StringRef doc; ///< Why, and what is accepted.
  RuleFunction check;  ///< Null for ELF-26, which looks at a whole archive.
  RuleScope scope = RuleScope::PalElf;
};

/// What PS-08 and GEO-01 demand of the code.
void checkDepthExports(const ElfModel &model, RuleReporter &out);
void checkPositionExports(const ElfModel &model, RuleReporter &out);

llvm::ArrayRef<RuleInfo> getContainerRules();
llvm::ArrayRef<RuleInfo> getMetadataRules();
llvm::ArrayRef<RuleInfo> getStageRules();
llvm::ArrayRef<RuleInfo> getResourceRules();
llvm::ArrayRef<RuleInfo> getUserDataRules();
llvm::ArrayRef<RuleInfo> getLaunchRules();
llvm::ArrayRef<RuleInfo> getRsrcRules();
llvm::ArrayRef<RuleInfo> getVertexRules();
llvm::ArrayRef<RuleInfo> getGeometryRules();
llvm::ArrayRef<RuleInfo> getPixelRules();
llvm::ArrayRef<RuleInfo> getCodeRules();
llvm::ArrayRef<RuleInfo> getExportRules();
llvm::ArrayRef<RuleInfo> getPixelCodeRules();
llvm::ArrayRef<RuleInfo> getIdentityRules();
llvm::ArrayRef<RuleInfo> getLegalityRules();
llvm::ArrayRef<RuleInfo> getHazardRules();
llvm::ArrayRef<RuleInfo> getModeRules();
llvm::ArrayRef<RuleInfo> getWaitRules();
llvm::ArrayRef<RuleInfo> getDataflowRules();
/// All rules, in the order of their tables.
llvm::ArrayRef<const RuleInfo *> listRules();
const RuleInfo *findRule(llvm::StringRef id);
/// "fatal", "error", "warning", "info".
llvm::StringRef levelName(RuleLevel level);
/// "PAL", "hardware", "specification", "habit".
llvm::StringRef enforcerName(EnforcerKind kind);

/// One member of an archive, read.
struct MemberModel {
  std::string name;
  const ElfModel *model = nullptr;
};

/// ELF-26 on all members of an archive.
void checkArchiveMembers(llvm::ArrayRef<MemberModel> members, RuleReporter &out);

/// "offset 0x40".
std::string offsetLocation(uint64_t offset);

} // namespace assay
