// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files that an input names: virtual ones, written in the script, and real ones next to it.
#pragma once

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace assay::input {

class ScriptFiles {
public:
  /// \p scriptPath: names of real files are relative to its folder.
  explicit ScriptFiles(llvm::StringRef scriptPath);

  /// False when \p name exists already.
  bool addVirtual(llvm::StringRef name, llvm::StringRef text);
  /// The text of virtual file \p name, or null.
  const std::string *findVirtual(llvm::StringRef name) const;
  /// True when load() would find \p name.
  bool exists(llvm::StringRef name) const;
  /// Reads a virtual or else a real file. InvalidInput for an absolute name and for a file that
  /// does not exist (the script is wrong); Limit above the size of a text.
  llvm::Expected<std::string> load(llvm::StringRef name) const;

private:
  /// The path of real file \p name, or an empty string for a name that is not allowed or no file.
  std::string pathOf(llvm::StringRef name) const;

  std::string m_folder;
  llvm::StringMap<std::string> m_virtual;
};

} // namespace assay::input
