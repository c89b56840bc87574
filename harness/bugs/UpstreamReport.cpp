// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/bugs/UpstreamReport.h"

#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace assay;

namespace {
/// The headings of a project's issue form, in the order in which they are printed.
struct TrackerForm {
  StringRef project;
  StringRef versions;
  StringRef description;
  StringRef steps;
  StringRef expected;
  StringRef actual;
};
} // namespace

/// The forms of all projects. That of Mesa follows .gitlab/issue_templates/Bug Report.md. The
/// others have no form; their headings are the parts that maintainers ask for.
static constexpr TrackerForm Forms[] = {
    {"llvm", "Version", "Description", "Reproducer", "Expected", "Actual"},
    {"mesa", "System information", "Describe the issue", "Steps to reproduce", "Expected behaviour",
     "Actual behaviour"},
    {"spirv-tools", "Version", "Description", "Steps to reproduce", "Expected", "Actual"},
    {"glslang", "Version", "Description", "Steps to reproduce", "Expected", "Actual"},
};

/// Returns the language of a Markdown code block for a file of this name, or an empty text for
/// other endings.
static StringRef languageOf(StringRef file) {
  static constexpr std::pair<StringRef, StringRef> languages[] = {
      {".ll", "llvm"}, {".mir", "yaml"}, {".yaml", "yaml"}, {".comp", "glsl"}, {".s", "asm"}};
  for (const auto &[ending, language] : languages)
    if (file.ends_with(ending))
      return language;
  return "";
}

/// Returns the sorted names of the files in the bug's folder, without bug.json and README.md.
/// Environment where the folder can't be listed.
static Expected<std::vector<std::string>> findFiles(const KnownBug &bug) {
  std::vector<std::string> files;
  std::error_code problem;
  for (sys::fs::directory_iterator it(bug.folder, problem), end; it != end && !problem;
       it.increment(problem)) {
    StringRef name = sys::path::filename(it->path());
    if (name != "bug.json" && name != "README.md")
      files.push_back(name.str());
  }
  if (problem)
    return environmentError(bug.folder + ": " + problem.message());
  sort(files);
  return files;
}

/// Returns the text of README.md without its first line, up to the heading "## Reproduce".
static Expected<std::string> readAnalysis(const KnownBug &bug) {
  Expected<std::string> text = readFileText(bug.folder + "/README.md", 1 << 20);
  if (!text)
    return text;
  StringRef body = StringRef(*text).split('\n').second;
  return body.split("\n## Reproduce").first.trim().str();
}

/// Returns the issue's title with the component in front: "[component] title" for LLVM, "component:
/// title" for all others.
static std::string titleOf(const KnownBug &bug) {
  bool hasTags = bug.product == "llvm";
  return hasTags ? "[" + bug.component + "] " + bug.title : bug.component + ": " + bug.title;
}

/// Each file may have at most 1 MiB.
Expected<std::string> assay::makeUpstreamReport(const KnownBug &bug, StringRef project) {
  const TrackerForm *form =
      find_if(Forms, [&](const TrackerForm &each) { return each.project == project; });
  if (form == std::end(Forms))
    return invalidInput("--upstream '" + project + "': known are llvm, mesa, spirv-tools, glslang");
  if (bug.product != project)
    return invalidInput(bug.id + " is a bug of " + bug.product + ", not of " + project);
  Expected<std::string> analysis = readAnalysis(bug);
  if (!analysis)
    return analysis;
  Expected<std::vector<std::string>> files = findFiles(bug);
  if (!files)
    return files.takeError();
  std::string text;
  raw_string_ostream os(text);
  os << titleOf(bug) << "\n\n### " << form->versions << "\n\n"
     << bug.product << " " << bug.lastVersion;
  if (bug.firstVersion != bug.lastVersion)
    os << " (first seen with " << bug.firstVersion << ")";
  os << "\n\n### " << form->description << "\n\n"
     << *analysis << "\n\n### " << form->steps << "\n\n";
  for (const std::string &file : *files) {
    Expected<std::string> content = readFileText(bug.folder + "/" + file, 1 << 20);
    if (!content)
      return content;
    os << "`" << file << "`:\n\n```" << languageOf(file) << "\n"
       << StringRef(*content).rtrim() << "\n```\n\n";
  }
  os << "```sh\n"
     << bug.command << "\n```\n\n### " << form->expected << "\n\n"
     << bug.expected << " (" << bug.specification << ").\n\n### " << form->actual << "\n\n"
     << bug.actual << ".\n";
  for (const std::string &line : bug.reproduced.contains)
    os << "\nThe output contains:\n\n```\n" << line << "\n```\n";
  return text;
}
