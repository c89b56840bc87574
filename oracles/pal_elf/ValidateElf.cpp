// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/pal_elf/ValidateElf.h"

#include "oracles/pal_elf/Archive.h"
#include "oracles/pal_elf/ArtifactViews.h"
#include "oracles/pal_elf/FieldMap.h"
#include "oracles/pal_elf/LegacyNote.h"
#include "oracles/pal_elf/Metadata.h"
#include "oracles/pal_elf/rules/Rules.h"
#include "support/Error.h"
#include "support/Fault.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <csignal>
#include <memory>

using namespace llvm;
using namespace assay;

static constexpr StringRef archiveRule = "ELF-26"; ///< The only rule on archives as a whole.
static constexpr unsigned maxFindingsPerRule =
    50; ///< Of one ELF: a hostile one could have millions.
static constexpr size_t maxSchemaProblems = 1000;
static constexpr size_t maxSignatureName = 80; ///< Characters.

StringRef assay::levelName(RuleLevel level) {
  static constexpr StringRef names[] = {"fatal", "error", "warning", "info"};
  return names[static_cast<unsigned>(level)];
}

StringRef assay::enforcerName(EnforcerKind kind) {
  static constexpr StringRef names[] = {"PAL", "hardware", "specification", "habit"};
  return names[static_cast<unsigned>(kind)];
}

/// Fatal and Error are both errors to a user; the level itself is in the evidence of the finding.
static Severity levelSeverity(RuleLevel level) {
  static constexpr Severity severities[] = {Severity::Error, Severity::Error, Severity::Warning,
                                            Severity::Note};
  return severities[static_cast<unsigned>(level)];
}

/// Collects the rules of all tables, in the order in which they are checked and listed.
static std::vector<const RuleInfo *> makeRuleList() {
  std::vector<const RuleInfo *> rules;
  for (ArrayRef<RuleInfo> table :
       {getContainerRules(), getMetadataRules(), getStageRules(), getResourceRules(),
        getUserDataRules(), getLaunchRules(), getRsrcRules(), getVertexRules(), getGeometryRules(),
        getPixelRules(), getCodeRules(), getIdentityRules(), getLegalityRules(), getHazardRules(),
        getModeRules(), getExportRules(), getPixelCodeRules(), getWaitRules(), getDataflowRules()})
    for (const RuleInfo &rule : table)
      rules.push_back(&rule);
  return rules;
}

ArrayRef<const RuleInfo *> assay::listRules() {
  static const std::vector<const RuleInfo *> rules = makeRuleList();
  return rules;
}

const RuleInfo *assay::findRule(StringRef id) {
  for (const RuleInfo *rule : listRules())
    if (rule->id == id)
      return rule;
  return nullptr;
}

std::string assay::offsetLocation(uint64_t offset) {
  return "offset 0x" + utohexstr(offset, true);
}

void RuleReporter::report(const Twine &location, StringRef what, const Twine &message) {
  report(m_rule.level, location, what, message);
}

/// True for rules on the pipeline that somebody still has to make of what plain LLVM gives.
static bool isAboutPipeline(StringRef id) {
  static constexpr StringLiteral prefixes[] = {"MD-02",  "MD-03", "MD-14", "TOP-",
                                               "RES-08", "UD-",   "GEO-",  "PS-"};
  return any_of(prefixes, [&](StringRef prefix) { return id.starts_with(prefix); });
}

/// A name from the file as part of a signature, which is one short line of ASCII.
static std::string plainName(StringRef name) {
  std::string plain = name.take_front(maxSignatureName).str();
  for (char &c : plain)
    if (!isPrint(c))
      c = '?';
  return plain;
}

void RuleReporter::report(RuleLevel level, const Twine &location, StringRef what,
                          const Twine &message) {
  assert((level == RuleLevel::Info || m_rule.enforcer.kind != EnforcerKind::Habit) &&
         "nobody enforces this rule");
  if (m_isPlain && isAboutPipeline(m_rule.id))
    level = RuleLevel::Info;
  if (++m_count == maxFindingsPerRule + 1)
    m_findings.back().message += " (more of the like are not listed)";
  if (m_count > maxFindingsPerRule)
    return;
  Finding finding;
  finding.rule = m_rule.id.str();
  finding.severity = levelSeverity(level);
  finding.message = message.str();
  finding.location = (m_where + location).str();
  finding.signature = (m_rule.id + ":" + plainName(what)).str();
  finding.evidence.emplace_back("level", levelName(level).str());
  m_findings.push_back(std::move(finding));
}

/// Who wrote it: SC names itself in `.api`; only LGC writes '.xgl_cache_info'.
static ElfDialect detectDialect(const MsgValue *pipeline) {
  if (!pipeline)
    return ElfDialect::Llvm;
  const MsgValue *api = pipeline->find(".api");
  if (api && api->kind == MsgKind::String && api->text.starts_with("scpc"))
    return ElfDialect::Sc;
  return pipeline->find(".xgl_cache_info") ? ElfDialect::Lgc : ElfDialect::Llvm;
}

/// What makes it pointless to ask whether the parts of the metadata go together.
static bool isStructural(const SchemaProblem &problem) {
  static constexpr SchemaProblemKind structural[] = {
      SchemaProblemKind::Duplicate, SchemaProblemKind::KeyNotString, SchemaProblemKind::Type,
      SchemaProblemKind::EnumValue, SchemaProblemKind::Length};
  return is_contained(structural, problem.kind);
}

/// Decodes \p metadata into model.launch and pairs each typed stage with its map. Leaves both empty
/// when decoding fails.
static void readLaunchState(const MsgValue &metadata, ElfModel &model) {
  Expected<PalMetadata> launch =
      model.isPlain ? decodePlainMetadata(metadata) : decodePalMetadata(metadata);
  if (!launch) {
    consumeError(launch.takeError()); // The rules on metadata say so.
    return;
  }
  model.launch = std::move(*launch);
  const MsgValue *maps = model.pipeline ? model.pipeline->find(".hardware_stages") : nullptr;
  if (!maps)
    return;
  for (const HardwareStageMetadata &stage : model.launch->stages)
    if (const MsgValue *map = maps->find(stage.name))
      model.stages.push_back({&stage, map});
}

/// LLVM writes neither version nor API of its own accord.
static bool isPlain(const MsgValue &metadata, const ElfModel &model) {
  ElfDialect dialect = model.options->dialect;
  return (dialect == ElfDialect::Auto || dialect == ElfDialect::Llvm) && model.pipeline &&
         !metadata.find("amdpal.version") && !model.pipeline->find(".api");
}

/// Takes \p root for the metadata of \p model.
static void takeMetadata(MsgValue root, ElfModel &model) {
  MsgValue &metadata = model.metadata.emplace(std::move(root));
  const MsgValue *version = metadata.find("amdpal.version");
  if (version && version->kind == MsgKind::Array && version->items.size() == 2) {
    model.major = version->items[0].asUint().value_or(0);
    model.minor = version->items[1].asUint().value_or(0);
  }
  const MsgValue *pipelines = metadata.find("amdpal.pipelines");
  if (pipelines && pipelines->kind == MsgKind::Array && pipelines->items.size() == 1 &&
      pipelines->items[0].kind == MsgKind::Map)
    model.pipeline = &pipelines->items[0];
  checkSchema(metadata, model.schemaVersion(), [&](const SchemaProblem &problem) {
    if (model.schemaProblems.size() < maxSchemaProblems)
      model.schemaProblems.push_back(problem);
  });
  model.isPlain = isPlain(metadata, model);
  if (none_of(model.schemaProblems, isStructural))
    readLaunchState(metadata, model);
  const MsgValue *registers = model.pipeline ? model.pipeline->find(".registers") : nullptr;
  if (registers && registers->kind == MsgKind::Map)
    model.decodedRegisters = decodeGraphicsRegisters(*registers);
}

/// Finds and reads the metadata of \p artifact: the current note, else the legacy note. A note that
/// is no msgpack becomes model.metadataError.
static void readMetadata(const Artifact &artifact, ElfModel &model) {
  const ElfView &elf = *model.elf;
  Expected<ArrayRef<uint8_t>> note = findMetadataNote(elf);
  if (!note) {
    consumeError(note.takeError()); // ELF-09 says so.
    if (std::optional<MsgValue> legacy = readLegacyNote(elf))
      takeMetadata(std::move(*legacy), model);
    return;
  }
  model.metadataBytes = *note;
  Expected<const MsgValue &> root = viewMetadataTree(artifact);
  if (root)
    takeMetadata(*root, model);
  else
    model.metadataError = takeError(root.takeError()).message;
}

std::string StageModel::location(StringRef key) const {
  return ".hardware_stages" + typed->name + key.str();
}

unsigned assay::getGfxMajor(const ElfModel &model) {
  return model.machine ? model.machine->major : 0;
}

bool assay::isLibrary(const ElfModel &model) {
  const MsgValue *functions = model.pipeline ? model.pipeline->find(".shader_functions") : nullptr;
  return functions && functions->kind == MsgKind::Map && functions->mapSize() != 0;
}

void assay::readElfModel(const Artifact &artifact, const ValidateOptions &options,
                         ElfModel &model) {
  model.bytes = artifact.bytes();
  model.options = &options;
  Expected<const ElfView &> elf = viewElf(artifact);
  if (!elf) {
    model.elfError = takeError(elf.takeError()).message;
    return;
  }
  const ElfView &view = *elf;
  model.elf = &view;
  model.machine = findElfMachine(static_cast<uint8_t>(view.header().flags & 0xff));
  readMetadata(artifact, model);
  model.dialect =
      options.dialect == ElfDialect::Auto ? detectDialect(model.pipeline) : options.dialect;
  if (options.code)
    model.code = readCode(model);
}

/// Returns true when \p id begins with one of \p patterns.
static bool matches(StringRef id, const std::vector<std::string> &patterns) {
  return any_of(patterns, [&](const std::string &pattern) { return id.starts_with(pattern); });
}

/// Applies `only` and `skip`. Skipping wins where both match.
static bool isChosen(StringRef id, const ValidateOptions &options) {
  return (options.only.empty() || matches(id, options.only)) && !matches(id, options.skip);
}

Error assay::checkValidateOptions(const ValidateOptions &options) {
  for (const std::vector<std::string> *list : {&options.only, &options.skip})
    for (const std::string &pattern : *list)
      if (none_of(listRules(), [&](const RuleInfo *rule) { return rule->id.starts_with(pattern); }))
        return invalidInput("no rule is called '" + Twine(pattern) + "' or begins so");
  if (!options.gfxip.empty() && !findElfMachine(options.gfxip))
    return invalidInput("unknown chip '" + Twine(options.gfxip) + "'");
  if (none_of(listRules(), [&](const RuleInfo *rule) {
        return isChosen(rule->id, options) && (options.code || rule->scope != RuleScope::Code);
      }))
    return invalidInput("no rule is left to judge by");
  return Error::success();
}

/// An ELF that no AMD driver would look into: what the other rules demand means nothing there.
static bool isForeign(const ElfModel &model) {
  if (!model.elf)
    return false; // Then they have nothing to look at.
  const ElfHeader &header = model.elf->header();
  return header.machine != elf::MachineAmdgpu || header.osAbi != elf::OsAbiPal;
}

/// Applies the chosen rules to \p model. \p where prefixes the locations: "member NAME: " in an
/// archive.
static void checkModel(const ElfModel &model, const std::string &where,
                       std::vector<Finding> &findings) {
  for (const RuleInfo *rule : listRules()) {
    if (!rule->check || !isChosen(rule->id, *model.options) ||
        (isForeign(model) && rule->scope != RuleScope::AnyElf))
      continue;
    RuleReporter reporter(*rule, where, findings, model.isPlain);
    rule->check(model, reporter);
  }
}

/// Checks each member as an ELF, then all of them together. An archive that cannot be read is one
/// finding of ELF-26.
static void validateArchive(ArrayRef<uint8_t> bytes, const ValidateOptions &options,
                            std::vector<Finding> &findings) {
  RuleReporter reporter(*findRule(archiveRule), "", findings, /*isPlain=*/false);
  Expected<std::vector<ArchiveEntry>> entries = readArchive(bytes);
  if (!entries) {
    ErrorParts parts = takeError(entries.takeError());
    if (isChosen(archiveRule, options))
      reporter.report("", "archive", parts.message);
    return;
  }
  std::vector<std::unique_ptr<ElfModel>> models;
  std::vector<MemberModel> members;
  std::vector<Artifact> artifacts;
  for (const ArchiveEntry &entry : *entries) {
    models.push_back(std::make_unique<ElfModel>());
    artifacts.emplace_back(std::vector<uint8_t>(entry.bytes.begin(), entry.bytes.end()));
    readElfModel(artifacts.back(), options, *models.back());
    members.push_back({entry.name, models.back().get()});
    checkModel(*models.back(), "member " + entry.name + ": ", findings);
  }
  if (isChosen(archiveRule, options))
    checkArchiveMembers(members, reporter);
}

Expected<std::vector<Finding>> assay::validateElf(ArrayRef<uint8_t> bytes,
                                                  const ValidateOptions &options) {
  return validateElf(Artifact(std::vector<uint8_t>(bytes.begin(), bytes.end())), options);
}

Expected<std::vector<Finding>> assay::validateElf(const Artifact &artifact,
                                                  const ValidateOptions &options) {
  if (Error error = checkValidateOptions(options))
    return std::move(error);
  if (faultPlanted(Fault::ValidateCrash))
    std::raise(SIGSEGV);
  std::vector<Finding> findings;
  if (isArchive(artifact.bytes())) {
    validateArchive(artifact.bytes(), options, findings);
  } else {
    ElfModel model;
    readElfModel(artifact, options, model);
    checkModel(model, "", findings);
  }
  if (!findings.empty() && faultPlanted(Fault::SilentRules))
    findings.clear();
  return findings;
}

void assay::printRules(raw_ostream &os) {
  for (const RuleInfo *rule : listRules())
    os << left_justify(rule->id, 8) << left_justify(levelName(rule->level), 9)
       << left_justify(enforcerName(rule->enforcer.kind), 15) << rule->title << "\n";
}

/// \p text in lines of at most 100 letters, unless a word is longer.
static std::string wrap(StringRef text) {
  constexpr size_t width = 100;
  SmallVector<StringRef, 64> words;
  SplitString(text, words);
  std::string lines;
  size_t column = 0;
  for (StringRef word : words) {
    bool fits = column + 1 + word.size() <= width;
    if (column)
      lines += fits ? ' ' : '\n';
    column = column && fits ? column + 1 + word.size() : word.size();
    lines += word;
  }
  return lines;
}

Expected<std::string> assay::explainRule(StringRef id) {
  const RuleInfo *rule = findRule(id);
  if (!rule)
    return invalidInput("no rule is called '" + id + "'");
  const Enforcer &enforcer = rule->enforcer;
  std::string demand = "Enforced by nobody. Habit of: ";
  if (enforcer.kind != EnforcerKind::Habit)
    demand = ("Enforced by " + enforcerName(enforcer.kind) + ": ").str();
  return (rule->id + " (" + levelName(rule->level) + "): " + rule->title + ".\n\n" +
          wrap(rule->doc) + "\n\n" + wrap(demand + enforcer.citation.str() + ".") + "\n")
      .str();
}
