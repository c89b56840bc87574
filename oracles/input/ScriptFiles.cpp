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

bool ScriptFiles::addVirtual(StringRef name, StringRef text) {
  return m_virtual.try_emplace(name, text.str()).second;
}

const std::string *ScriptFiles::findVirtual(StringRef name) const {
  auto found = m_virtual.find(name);
  return found == m_virtual.end() ? nullptr : &found->second;
}

Expected<std::string> ScriptFiles::load(StringRef name) const {
  if (const std::string *text = findVirtual(name))
    return *text;
  if (name.empty() || sys::path::is_absolute(name) || name.contains('\0'))
    return invalidInput("file '" + name + "': the name must be relative to the script");
  SmallString<256> path(m_folder);
  sys::path::append(path, name);
  // A device or a pipe would never end.
  if (!sys::fs::is_regular_file(path))
    return invalidInput("file '" + name + "' does not exist beside the script");
  return readFileText(path, maxTextBytes);
}
