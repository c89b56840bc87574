// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/input/Glsl.h"

#include "oracles/input/Limits.h"
#include "oracles/input/ScriptLines.h"
#include "support/Error.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"
#include <glslang/Public/ResourceLimits.h>
#include <glslang/Public/ShaderLang.h>
#include <glslang/SPIRV/GlslangToSpv.h>
#include <memory>
#include <optional>
#include <pthread.h>

using namespace llvm;
using namespace assay;
using namespace assay::input;

namespace {

/// Resolves #include through the script's files, up to a depth.
class FileIncluder : public glslang::TShader::Includer {
public:
  explicit FileIncluder(const ScriptFiles &files) : m_files(files) {}

  /// Returns null for files that are not next to the including one; glslang then calls
  /// includeSystem().
  IncludeResult *includeLocal(const char *name, const char *includer, size_t depth) override {
    // Next to the file that includes, or else (by includeSystem) next to the script.
    SmallString<128> path(sys::path::parent_path(includer));
    if (path.empty())
      return nullptr;
    sys::path::append(path, name);
    sys::path::remove_dots(path, /*remove_dot_dot=*/true);
    return m_files.exists(path) ? include(path, depth) : nullptr;
  }
  /// Next to the script. glslang also calls it when includeLocal returns null.
  IncludeResult *includeSystem(const char *name, const char *, size_t depth) override {
    return include(name, depth);
  }
  void releaseInclude(IncludeResult *) override {} // m_results owns them all.

private:
  /// Loads the file \p name. Fails above the limits on depth, number of files and total bytes.
  IncludeResult *include(StringRef name, size_t depth) {
    if (depth > maxIncludeDepth)
      return fail("#include is nested too deeply");
    Expected<std::string> text = m_files.load(name);
    if (!text)
      return fail(assay::takeError(text.takeError()).message);
    m_bytes += text->size();
    if (m_texts.size() >= maxIncludes || m_bytes > maxGlslBytes)
      return fail("too many or too big files are included");
    return keep(name, std::move(*text));
  }
  /// An empty name is glslang's sign for an error, with the message as its text.
  IncludeResult *fail(std::string message) { return keep("", std::move(message)); }
  /// Keeps name and text alive as long as the includer: glslang stores pointers to both.
  IncludeResult *keep(StringRef name, std::string text) {
    m_texts.push_back(std::make_unique<std::string>(std::move(text)));
    const std::string &kept = *m_texts.back();
    m_results.push_back(
        std::make_unique<IncludeResult>(name.str(), kept.data(), kept.size(), nullptr));
    return m_results.back().get();
  }

  const ScriptFiles &m_files;
  uint64_t m_bytes = 0; ///< Of all included files together.
  std::vector<std::unique_ptr<std::string>> m_texts;
  std::vector<std::unique_ptr<IncludeResult>> m_results;
};

} // namespace

/// glslang's tables belong to the process: made once, on first use, and kept.
static void initializeOnce() {
  [[maybe_unused]] static const bool done = glslang::InitializeProcess();
}

/// The first error of glslang's log: "ERROR: 0:7: 'x' : undeclared identifier" says that line 7 of
/// source string 0 is wrong; other strings are included files.
static Error errorFromLog(StringRef log, unsigned firstLine) {
  while (!log.empty()) {
    auto [line, rest] = log.split('\n');
    log = rest;
    StringRef message = line;
    if (!message.consume_front("ERROR: "))
      continue;
    auto [source, afterSource] = message.split(':');
    auto [number, text] = afterSource.split(':');
    unsigned lineNumber = 0;
    if (source == "0" && !number.getAsInteger(10, lineNumber) && lineNumber > 0)
      return errorAt(firstLine + lineNumber - 1, "GLSL: " + text.trim());
    return errorAt(firstLine, "GLSL: " + message.trim());
  }
  return errorAt(firstLine, "GLSL: rejected without a message");
}

/// The lines of \p text with comments taken out and continued lines joined.
static std::string withoutComments(StringRef text) {
  std::string result;
  while (!text.empty()) {
    if (text.starts_with("//")) {
      text = text.drop_until([](char c) { return c == '\n'; });
    } else if (text.starts_with("/*")) {
      size_t end = text.find("*/", 2);
      text = end == StringRef::npos ? StringRef() : text.drop_front(end + 2);
      result += ' ';
    } else if (!text.consume_front("\\\n") && !text.consume_front("\\\r\n")) {
      result += text.front();
      text = text.drop_front();
    }
  }
  return result;
}

namespace {
/// A stage, what glslang calls it, and the first versions of GLSL that have it under Vulkan.
struct StageRow {
  ShaderStage stage;
  EShLanguage language;
  unsigned firstVersion;
  unsigned firstOfEs;
};
} // namespace

static constexpr StageRow stageRows[] = {
    {ShaderStage::Compute, EShLangCompute, 420, 310},
    {ShaderStage::Vertex, EShLangVertex, 140, 310},
    {ShaderStage::TessellationControl, EShLangTessControl, 400, 310},
    {ShaderStage::TessellationEvaluation, EShLangTessEvaluation, 400, 310},
    {ShaderStage::Geometry, EShLangGeometry, 150, 310},
    {ShaderStage::Task, EShLangTask, 450, 320},
    {ShaderStage::Mesh, EShLangMesh, 450, 320},
    {ShaderStage::Fragment, EShLangFragment, 140, 310}};

/// glslang 12 can't set up its own tables for versions 110 to 140 of a compute shader, and prints
/// thousands of lines to stdout about that. No version before 310 has compute shaders; before 140,
/// and in ES before 310, SPIR-V has no shaders at all (GL_KHR_vulkan_glsl).
static Error checkVersion(const StageRow &row, StringRef text, unsigned firstLine) {
  std::string plain = withoutComments(text);
  StringRef rest = plain;
  while (!rest.empty()) {
    auto [line, after] = rest.split('\n');
    rest = after;
    line = line.trim();
    if (!line.consume_front("#"))
      continue;
    line = line.ltrim();
    unsigned version = 0;
    if (line.consume_front("version") && !(line = line.ltrim()).consumeInteger(10, version) &&
        (version < std::min(row.firstVersion, row.firstOfEs) || version == 300))
      return errorAt(firstLine, "GLSL: version " + Twine(version) + " has no " +
                                    getStageName(row.stage) + " shaders for Vulkan: the first is " +
                                    Twine(row.firstVersion) + ", of ES " + Twine(row.firstOfEs));
  }
  return Error::success();
}

/// Compiles on the calling thread for Vulkan 1.3 and SPIR-V 1.6. InvalidInput with the line of the
/// first error; lines count from \p firstLine.
static Expected<std::vector<uint32_t>> compileHere(const StageRow &row, StringRef text,
                                                   unsigned firstLine, const ScriptFiles &files) {
  glslang::TShader shader(row.language);
  const char *source = text.data();
  int length = static_cast<int>(text.size());
  shader.setStringsWithLengths(&source, &length, 1);
  // 100 is the version of the KHR_vulkan_glsl dialect.
  shader.setEnvInput(glslang::EShSourceGlsl, row.language, glslang::EShClientVulkan, 100);
  shader.setEnvClient(glslang::EShClientVulkan, glslang::EShTargetVulkan_1_3);
  shader.setEnvTarget(glslang::EShTargetSpv, glslang::EShTargetSpv_1_6);
  // glslang's flags are made to be combined.
  // NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange)
  const auto messages = static_cast<EShMessages>(EShMsgSpvRules | EShMsgVulkanRules);
  FileIncluder includer(files);
  // 450 counts only where the text has no #version.
  if (!shader.parse(GetDefaultResources(), 450, false, messages, includer))
    return errorFromLog(shader.getInfoLog(), firstLine);
  glslang::TProgram program;
  program.addShader(&shader);
  if (!program.link(messages))
    return errorFromLog(program.getInfoLog(), firstLine);
  std::vector<uint32_t> words;
  glslang::SpvOptions options;
  glslang::GlslangToSpv(*program.getIntermediate(row.language), words, &options);
  if (words.empty())
    return errorAt(firstLine, "GLSL: glslang gave no code");
  return words;
}

/// Runs \p body on a thread whose stack has \p bytes; false when there is no such thread to be had.
static bool runWithStack(size_t bytes, function_ref<void()> body) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0)
    return false;
  pthread_t thread;
  auto start = [](void *argument) -> void * {
    (*static_cast<function_ref<void()> *>(argument))();
    return nullptr;
  };
  bool started = pthread_attr_setstacksize(&attributes, bytes) == 0 &&
                 pthread_create(&thread, &attributes, start, &body) == 0;
  pthread_attr_destroy(&attributes);
  return started && pthread_join(thread, nullptr) == 0;
}

/// glslang walks its tree by recursion, and a sum of n terms is n deep: at least 20 KB of text, but
/// fewer than 100 KB, overflow a stack of 8 MiB (measured). Expansions make short texts long.
static constexpr size_t shallowBytes = 16 << 10; ///< Texts up to this use the caller's stack.
static constexpr size_t deepStackBytes = size_t(512) << 20;

/// \p firstLine is the script's line of the first line of the text, for messages. Long texts, and
/// those with macros or includes, are compiled on a stack of deepStackBytes, because glslang
/// recurses. InvalidInput for what glslang rejects, Unsupported for stages without a row, Limit for
/// texts above maxGlslBytes.
Expected<std::vector<uint32_t>> input::compileGlsl(ShaderStage stage, StringRef text,
                                                   unsigned firstLine, const ScriptFiles &files) {
  const auto *row = find_if(stageRows, [&](const StageRow &each) { return each.stage == stage; });
  if (row == std::end(stageRows))
    return unsupported("line " + Twine(firstLine) + ": GLSL of " + getStageName(stage) +
                       " shaders");
  initializeOnce();
  if (text.trim().empty())
    return errorAt(firstLine, "GLSL: the shader is empty");
  if (text.size() > maxGlslBytes)
    return limitExceeded("line " + Twine(firstLine) + ": GLSL of more than " +
                         Twine(maxGlslBytes >> 20) + " MiB");
  if (Error error = checkVersion(*row, text, firstLine))
    return error;
  bool expands = text.contains("define") || text.contains("include");
  if (text.size() <= shallowBytes && !expands)
    return compileHere(*row, text, firstLine, files);
  std::optional<Expected<std::vector<uint32_t>>> result;
  if (!runWithStack(deepStackBytes,
                    [&] { result.emplace(compileHere(*row, text, firstLine, files)); }) ||
      !result)
    return limitExceeded("no memory for the stack that GLSL of this size needs");
  return std::move(*result);
}
