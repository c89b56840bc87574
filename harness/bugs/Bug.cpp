// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/bugs/Bug.h"

#include "support/Error.h"
#include "support/Json.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"

using namespace llvm;
using namespace assay;

static constexpr StringRef SchemaName = "assay.bug/1";

namespace {
/// The values that a text field of a bug may have.
struct Choice {
  StringRef field;
  std::string KnownBug::*value;
  std::initializer_list<StringRef> known;
};
} // namespace

/// Values outside of these lists make a file invalid.
static const Choice choices[] = {
    {"product", &KnownBug::product, {"llvm", "mesa", "spirv-tools", "glslang"}},
    {"kind",
     &KnownBug::kind,
     {"wrong-code", "wrong-output", "invalid-output", "crash", "hang", "rejects-valid",
      "accepts-invalid"}},
    {"severity", &KnownBug::severity, {"high", "medium", "low"}},
    {"evidence", &KnownBug::evidence, {"hardware", "execution", "manual"}},
};
/// The values of BugStatus::state.
static constexpr StringRef States[] = {"open", "reported", "fixed", "wont-fix"};

/// Returns InvalidInput for the first field that has an unknown value, with the known ones in the
/// message.
static Error checkChoices(const KnownBug &bug) {
  for (const Choice &choice : choices)
    if (!is_contained(choice.known, bug.*choice.value))
      return invalidInput(bug.folder + ": '" + choice.field + "' is '" + bug.*choice.value +
                          "': known are " + join(ArrayRef(choice.known), ", "));
  if (!is_contained(States, bug.status.state))
    return invalidInput(bug.folder + ": 'status.state' is '" + bug.status.state + "': known are " +
                        join(ArrayRef(States), ", "));
  return Error::success();
}

/// Returns whether \p name has only lower-case letters, digits and hyphens, and does not begin with
/// a hyphen.
static bool isId(StringRef name) {
  return !name.empty() && name.front() != '-' &&
         all_of(name, [](char c) { return isDigit(c) || (c >= 'a' && c <= 'z') || c == '-'; });
}

/// Checks what readBug() has read: id, choices, command, a condition in `reproduced` that not every
/// command fulfils, the regular expression, and that the input and README.md are in the folder.
/// InvalidInput names the first problem.
static Error checkBug(const KnownBug &bug) {
  if (bug.id != sys::path::filename(bug.folder) || !isId(bug.id))
    return invalidInput(bug.folder + ": the id '" + bug.id +
                        "' must be the folder's name, of lower-case letters, digits and hyphens");
  if (Error error = checkChoices(bug))
    return error;
  if (bug.command.empty())
    return invalidInput(bug.folder + ": 'command' is empty");
  const Reproduction &shown = bug.reproduced;
  if (!shown.exit.value_or(0) && shown.contains.empty() && shown.lacks.empty())
    return invalidInput(bug.folder + ": 'reproduced' holds for any command that succeeds");
  for (const std::string &file : {bug.input, std::string("README.md")}) {
    SmallString<128> path(bug.folder);
    sys::path::append(path, file);
    if (!sys::fs::is_regular_file(path))
      return invalidInput(bug.folder + ": the file '" + file + "' is not there");
  }
  std::string problem;
  if (bug.recognizer && !bug.recognizer->message.empty() &&
      !Regex(bug.recognizer->message).isValid(problem))
    return invalidInput(bug.folder + ": 'recognizer.message': " + problem);
  return Error::success();
}

/// Calls \p read with the object \p name of \p fields. Does nothing where it is optional and
/// missing. InvalidInput where it is required and missing, or where \p read has failed. \p what is
/// the file's name for messages.
static Error readObject(JsonFields &fields, StringRef name, StringRef what, bool isOptional,
                        function_ref<void(JsonFields &)> read) {
  const json::Value *value = fields.find(name);
  if (!value && isOptional)
    return Error::success();
  if (!value)
    return invalidInput(what + " lacks the object '" + name + "'");
  std::string place = (what + ": '" + name + "'").str();
  JsonFields part(*value, place);
  read(part);
  return part.takeError();
}

/// Reads the array \p name, if there is one, into \p texts.
static void readTexts(JsonFields &fields, StringRef name, std::vector<std::string> &texts) {
  if (fields.find(name))
    fields.read(name, texts);
}

/// Reads the conditions by which a bug shows. Each is optional here; checkBug() requires one that
/// not every command fulfils.
static void readReproduction(JsonFields &fields, Reproduction &reproduced) {
  if (fields.find("exit")) {
    int status = 0;
    fields.readNumber("exit", status);
    reproduced.exit = status;
  }
  readTexts(fields, "contains", reproduced.contains);
  readTexts(fields, "lacks", reproduced.lacks);
}

/// Reads the members of the recognizer. All of them are optional.
static void readRecognizer(JsonFields &fields, BugRecognizer &recognizer) {
  readTexts(fields, "compilers", recognizer.compilers);
  readTexts(fields, "targets", recognizer.targets);
  fields.readIfThere("symptom", recognizer.symptom);
  fields.readIfThere("message", recognizer.message);
  readTexts(fields, "operations", recognizer.operations);
  fields.readIfThere("trigger", recognizer.trigger);
}

/// Reads the members of the file that are no objects. All are required; the first that is missing
/// is kept as the error of \p fields.
static void readTop(JsonFields &fields, KnownBug &bug) {
  fields.read("id", bug.id);
  fields.read("title", bug.title);
  fields.read("product", bug.product);
  fields.read("component", bug.component);
  fields.read("kind", bug.kind);
  fields.read("severity", bug.severity);
  fields.read("evidence", bug.evidence);
  fields.read("specification", bug.specification);
  fields.read("expected", bug.expected);
  fields.read("actual", bug.actual);
  fields.read("requires", bug.needs);
  fields.read("command", bug.command);
  fields.read("input", bug.input);
  const json::Value *minimized = fields.find("minimized");
  if (std::optional<bool> value = minimized ? minimized->getAsBoolean() : std::nullopt)
    bug.minimized = *value;
  else
    fields.fail("lacks the boolean 'minimized'");
}

/// The file may have at most 1 MiB. Nested objects are not read after the first error.
Expected<KnownBug> assay::readBug(const std::string &folder) {
  SmallString<128> path(folder);
  sys::path::append(path, "bug.json");
  Expected<json::Value> value = readJsonFile(std::string(path), 1 << 20);
  if (!value)
    return value.takeError();
  KnownBug bug;
  bug.folder = folder;
  JsonFields fields(*value, path);
  std::string schema;
  fields.read("schema", schema);
  if (schema != SchemaName)
    fields.fail("has the schema '" + schema + "', not '" + SchemaName + "'");
  readTop(fields, bug);
  Error error = fields.takeError();
  auto part = [&](StringRef name, bool isOptional, function_ref<void(JsonFields &)> read) {
    if (!error)
      error = readObject(fields, name, path, isOptional, read);
  };
  part("status", false, [&](JsonFields &status) {
    status.read("state", bug.status.state);
    status.read("upstream", bug.status.upstream);
    status.read("note", bug.status.note);
  });
  part("versions", false, [&](JsonFields &versions) {
    versions.read("first", bug.firstVersion);
    versions.read("last", bug.lastVersion);
  });
  part("reproduced", false,
       [&](JsonFields &reproduced) { readReproduction(reproduced, bug.reproduced); });
  if (fields.find("recognizer"))
    bug.recognizer.emplace();
  part("recognizer", true,
       [&](JsonFields &recognizer) { readRecognizer(recognizer, *bug.recognizer); });
  if (!error)
    error = checkBug(bug);
  if (error)
    return std::move(error);
  return bug;
}

/// Files next to the folders are ignored. Environment where \p folder can't be listed.
Expected<std::vector<KnownBug>> assay::readBugs(const std::string &folder) {
  std::vector<KnownBug> bugs;
  std::error_code problem;
  for (sys::fs::directory_iterator it(folder, problem), end; it != end && !problem;
       it.increment(problem)) {
    if (!sys::fs::is_directory(it->path()))
      continue;
    Expected<KnownBug> bug = readBug(it->path());
    if (!bug)
      return bug.takeError();
    bugs.push_back(std::move(*bug));
  }
  if (problem)
    return environmentError(folder + ": " + problem.message());
  sort(bugs, [](const KnownBug &a, const KnownBug &b) { return a.id < b.id; });
  return bugs;
}
