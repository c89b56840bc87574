// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/input/ScriptFiles.h"

#include "oracles/input/Limits.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace assay;
using namespace assay::input;

ScriptFiles::ScriptFiles(StringRef scriptPath) : m_folder(sys::path::parent_path(scriptPath)) {}

/// False for a name that exists already; its text stays.
bool ScriptFiles::addVirtual(StringRef name, StringRef text) {
  return m_virtual.try_emplace(name, text.str()).second;
}

/// Returns null for other names.
const std::string *ScriptFiles::findVirtual(StringRef name) const {
  auto found = m_virtual.find(name);
  return found == m_virtual.end() ? nullptr : &found->second;
}

/// Returns an empty path for absolute names and for all but regular files.
std::string ScriptFiles::pathOf(StringRef name) const {
  if (name.empty() || sys::path::is_absolute(name) || name.contains('\0'))
    return "";
  SmallString<256> path(m_folder);
  sys::path::append(path, name);
  // A device or a pipe would never end.
  return sys::fs::is_regular_file(path) ? std::string(path) : "";
}

/// Virtual files hide real ones.
bool ScriptFiles::exists(StringRef name) const {
  return findVirtual(name) || !pathOf(name).empty();
}

/// InvalidInput for names that do not exist or are absolute.
Expected<std::string> ScriptFiles::load(StringRef name) const {
  if (const std::string *text = findVirtual(name))
    return *text;
  std::string path = pathOf(name);
  if (!path.empty())
    return readFileText(path, maxTextBytes);
  if (sys::path::is_absolute(name))
    return invalidInput("file '" + name + "': the name must be relative to the script");
  return invalidInput("file '" + name + "' does not exist next to the script");
}
