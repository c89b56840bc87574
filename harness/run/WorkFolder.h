// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the jobs of a run keep their files.
#pragma once

#include "harness/run/Child.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace assay {

/// A folder for jobs. One of its own below the system's temporary folder goes away with this; one
/// that was named stays.
class WorkFolder {
public:
  /// What the files in a temporary folder are like. Few and small ones, of jobs that come and go by
  /// the thousand, may lie in memory: making and removing a file on a disk takes longer than such a
  /// job needs to read it.
  enum class Files { Any, FewAndSmall };

  /// \p path empty: a new temporary folder. Environment when it can't be made.
  static llvm::Expected<std::unique_ptr<WorkFolder>> create(llvm::StringRef path,
                                                            Files files = Files::Any);
  ~WorkFolder();
  WorkFolder(const WorkFolder &) = delete;
  WorkFolder &operator=(const WorkFolder &) = delete;

  /// Removes the temporary folders of FewAndSmall files in \p parent whose processes are gone: of
  /// one that was killed, they would take memory for good. create() does so once a process.
  static void removeAbandoned(llvm::StringRef parent);

  /// The folder of job number \p index of stage \p stage; not made yet.
  std::string jobFolder(llvm::StringRef stage, size_t index) const;

private:
  WorkFolder() = default;
  llvm::SmallString<128> m_path;
  bool m_temporary = false;
  Descriptor m_lock; ///< Of a folder in memory: locked as long as this process lives.
};

} // namespace assay
