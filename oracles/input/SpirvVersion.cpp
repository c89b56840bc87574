// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/input/SpirvVersion.h"

#include "compiler/spirv/Module.h"
#include "oracles/input/ScriptLines.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::input;

namespace {
/// A name, and the SPIR-V version that it implies, as a word of the module header.
struct VersionRow {
  StringRef name;
  uint32_t version;
};
} // namespace

static constexpr uint32_t defaultVersion = 0x00010000; ///< Amber's.

/// Vulkan 1.x takes SPIR-V up to the version in its row.
static constexpr VersionRow environments[] = {
    {"spv1.0", 0x00010000},          {"spv1.1", 0x00010100},    {"spv1.2", 0x00010200},
    {"spv1.3", 0x00010300},          {"spv1.4", 0x00010400},    {"spv1.5", 0x00010500},
    {"spv1.6", 0x00010600},          {"vulkan1.0", 0x00010000}, {"vulkan1.1", 0x00010300},
    {"vulkan1.1spv1.4", 0x00010400}, {"vulkan1.2", 0x00010500}, {"vulkan1.3", 0x00010600},
    {"vulkan1.4", 0x00010600}};

/// What a script lists of the device, by the start of its name. The extensions in this table
/// require VK_KHR_spirv_1_4 (Vulkan 1.4 specification, appendix "Layers & Extensions").
static constexpr VersionRow requirements[] = {
    {"VK_KHR_spirv_1_4", 0x00010400},
    {"VK_KHR_ray_query", 0x00010400},
    {"VK_KHR_ray_tracing_pipeline", 0x00010400},
    {"VK_EXT_mesh_shader", 0x00010400},
    {"Vulkan11Features.", 0x00010300},
    {"Vulkan12Features.", 0x00010500},
    {"Vulkan13Features.", 0x00010600},
    {"Vulkan14Features.", 0x00010600},
};

/// Returns the version as the second word of a module has it.
Expected<uint32_t> input::parseTargetEnvironment(StringRef name) {
  for (const VersionRow &row : environments)
    if (row.name == name)
      return row.version;
  return invalidInput("unknown target environment '" + name +
                      "' (spv1.0 to spv1.6, vulkan1.0 to vulkan1.4, vulkan1.1spv1.4)");
}

/// Returns "1.3" for 0x00010300.
static std::string versionText(uint32_t version) {
  return std::to_string(version >> 16) + "." + std::to_string(version >> 8 & 0xff);
}

/// Keeps the newest version that a requirement implies.
static void noteRequirement(StringRef name, unsigned line,
                            std::optional<VersionCandidate> &newest) {
  for (const VersionRow &row : requirements)
    if (name.starts_with(row.name) && (!newest || newest->version < row.version))
      newest = {row.version, ("line " + Twine(line) + " lists " + name).str(), true};
}

/// Returns the one version of `--spirv-env`, nullopt without the option.
static std::optional<VersionCandidates> versionOfOption(const ReadOptions &options) {
  if (!options.spirvVersion)
    return std::nullopt;
  return saidVersion(*options.spirvVersion, "--spirv-env says so");
}

/// The version that the script's requirements imply, if any, then the default.
static VersionCandidates withDefault(std::optional<VersionCandidate> listed) {
  VersionCandidates candidates;
  if (listed)
    candidates.preferred.push_back(std::move(*listed));
  candidates.preferred.push_back(
      {defaultVersion, "it is Amber's default and the script lists nothing newer", false});
  return candidates;
}

/// A version that is stated is taken even if spirv-val rejects the module.
VersionCandidates input::saidVersion(uint32_t version, std::string reason) {
  return {{{version, std::move(reason), false}}, false};
}

/// Only lines that can matter are split into words: shaders are long.
VersionCandidates input::versionsForAmber(StringRef text, const ReadOptions &options) {
  if (std::optional<VersionCandidates> said = versionOfOption(options))
    return std::move(*said);
  std::optional<VersionCandidate> listed;
  ScriptLines lines(text);
  while (std::optional<StringRef> line = lines.nextPhysical()) {
    if (!line->contains("DEVICE_"))
      continue;
    SmallVector<StringRef, 8> words = splitWords(*line);
    if (words.size() > 1 && (words[0] == "DEVICE_EXTENSION" || words[0] == "DEVICE_FEATURE"))
      noteRequirement(words[1], lines.line(), listed);
  }
  return withDefault(std::move(listed));
}

/// VkRunner's "vulkan 1.1".
static void noteVulkanVersion(StringRef number, unsigned line,
                              std::optional<VersionCandidate> &newest) {
  Expected<uint32_t> version = parseTargetEnvironment(("vulkan" + number).str());
  if (!version)
    return consumeError(version.takeError());
  if (!newest || newest->version < *version)
    newest = {*version, ("line " + Twine(line) + " requires Vulkan " + number).str(), true};
}

/// The command line takes precedence over what [require] lists.
VersionCandidates input::versionsForVkScript(StringRef text, const ReadOptions &options) {
  if (std::optional<VersionCandidates> said = versionOfOption(options))
    return std::move(*said);
  std::optional<VersionCandidate> listed;
  ScriptLines lines(text);
  bool isRequire = false;
  while (std::optional<StringRef> line = lines.nextPhysical()) {
    if (line->starts_with("["))
      isRequire = line->starts_with("[require]");
    SmallVector<StringRef, 8> words;
    if (isRequire)
      words = splitWords(*line);
    if (words.empty())
      continue;
    noteRequirement(words[0], lines.line(), listed);
    if (words.size() > 1 && words[0] == "vulkan")
      noteVulkanVersion(words[1], lines.line(), listed);
  }
  return withDefault(std::move(listed));
}

/// Returns the version of a "; Version: 1.3" comment before the first instruction. Comments with an
/// unknown version are skipped.
static std::optional<uint32_t> versionOfComment(StringRef text) {
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    line = line.trim();
    if (line.empty())
      continue;
    if (!line.consume_front(";"))
      return std::nullopt;
    line = line.ltrim();
    if (!line.consume_front("Version:"))
      continue;
    Expected<uint32_t> version = parseTargetEnvironment(("spv" + line.trim()).str());
    if (version)
      return *version;
    consumeError(version.takeError());
  }
  return std::nullopt;
}

/// A comment in the text takes precedence over the command line.
VersionCandidates input::versionsForAssembly(StringRef text, const ReadOptions &options) {
  if (std::optional<uint32_t> version = versionOfComment(text))
    return saidVersion(*version, "its comment says so");
  return versionOfOption(options).value_or(VersionCandidates());
}

/// Returns the sentence that messages have about the chosen version; \p more is appended.
static VersionChoice describe(const VersionCandidate &chosen, StringRef more = "") {
  return {("SPIR-V " + versionText(chosen.version) + ", because " + chosen.reason + more).str(),
          chosen.isGuess};
}

/// Sets the version of the module and says why. Tries candidates in order, then all other versions
/// from the newest on. Where none is valid, the first candidate stays.
VersionChoice input::applyVersion(const VersionCandidates &candidates,
                                  std::vector<uint32_t> &words) {
  static constexpr uint32_t newestFirst[] = {0x00010600, 0x00010500, 0x00010400, 0x00010300,
                                             0x00010200, 0x00010100, 0x00010000};
  ArrayRef<VersionCandidate> preferred = candidates.preferred;
  if (preferred.size() == 1 && !candidates.triesOthers) {
    words[1] = preferred.front().version;
    return describe(preferred.front());
  }
  auto isAccepted = [&](uint32_t version) {
    words[1] = version;
    Error error = spirv::validate(words);
    bool accepted = !error;
    consumeError(std::move(error));
    return accepted;
  };
  for (const VersionCandidate &candidate : preferred)
    if (isAccepted(candidate.version))
      return describe(candidate);
  for (uint32_t version : newestFirst)
    if (none_of(preferred, [&](const VersionCandidate &c) { return c.version == version; }) &&
        isAccepted(version))
      return describe({version, "it is the newest version that spirv-val accepts", true});
  VersionCandidate first =
      preferred.empty() ? VersionCandidate{newestFirst[0], "it is the newest", true} : preferred[0];
  words[1] = first.version;
  return describe(first, "; spirv-val accepts no version from 1.0 to 1.6");
}
