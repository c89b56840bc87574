// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The event log of a store: the truth. A folder of files that are only appended to, each by one
// writer alone, so that writers on any number of machines need no lock; two logs are merged by
// putting their files into one folder.
#pragma once

#include "reports/store/Event.h"

namespace assay {

/// Appends to a file of its own, FOLDER/WRITER.jsonl, which its first event makes.
class EventWriter {
public:
  /// \p folder exists. The name is drawn by chance from the kernel.
  explicit EventWriter(std::string folder);

  /// Fills in writer, sequence and, where it is 0, the time; returns when all \p events are on
  /// disk, in their order. Environment, and then this writer must not be used again.
  llvm::Error append(llvm::MutableArrayRef<Event> events);

private:
  std::string m_folder;
  std::string m_name;
  uint64_t m_sequence = 0;
  uint64_t m_lastMs = 0; ///< Clocks go backwards; a writer's events do not.
};

/// All whole lines of all files in \p folder, by time, then writer, then sequence. Half a line at
/// the end of a file is of a writer that was killed and was told to nobody. InvalidInput names file
/// and line; Environment.
llvm::Expected<std::vector<Event>> readEvents(llvm::StringRef folder);

/// Names and sizes of the files of \p folder, as one text: equal while there is nothing new.
llvm::Expected<std::string> stampOf(llvm::StringRef folder);

} // namespace assay
