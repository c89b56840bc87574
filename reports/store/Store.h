// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The memory of the laboratory: a folder with an event log, which is the truth, and a database that
// is made of it. Any number of processes may record and read at a time; one that is killed loses
// nothing that it was told is recorded. docs/store.md has the format.
//
//   store.json        the rules (schema assay.store/1)
//   events/*.jsonl    the log, a file a writer
//   store.sqlite      what the log adds up to; made again whenever it is missing, old or damaged
#pragma once

#include "reports/store/Database.h"
#include "reports/store/EventLog.h"
#include "reports/store/History.h"

namespace assay {

/// A result as a night of a store.
struct NightRecord {
  std::string night;    ///< Its name: results of one name (shards) are one night.
  std::string revision; ///< Of what was tested; may be empty.
  std::vector<std::pair<std::string, double>> metrics;
  uint64_t timeMs = 0; ///< 0: now.
};

/// An open store. Any number of processes may have the same folder open.
class Store {
public:
  /// Opens the store in \p folder, or makes one with \p rules; an old one keeps its own.
  static llvm::Expected<Store> open(std::string folder, const StoreRules &rules = {});

  /// Records \p verdicts, and sums of their statistics as metrics. When this returns, they are
  /// safe.
  llvm::Error record(llvm::ArrayRef<Verdict> verdicts, const NightRecord &night);
  /// Records any one thing.
  llvm::Error append(Event event);
  /// Records that a person moves \p bucket to \p to. InvalidInput where there is no such bucket or
  /// the move is not allowed; the name may be shortened while it is unique.
  llvm::Error setLife(llvm::StringRef bucket, Life to, llvm::StringRef actor,
                      llvm::StringRef reason, llvm::StringRef link, uint64_t timeMs = 0);

  /// Brings the database up to date with the log; each reader below does it.
  llvm::Error sync();
  /// Makes the database from nothing.
  llvm::Error rebuild();

  /// All runs, by the time of their first event.
  llvm::Expected<std::vector<StoredNight>> nights();
  /// All buckets, by their first occurrence.
  llvm::Expected<std::vector<StoredBucket>> buckets();
  /// Of \p bucket, or of all where it is empty.
  llvm::Expected<std::vector<StoredOccurrence>> occurrences(llvm::StringRef bucket = "");
  llvm::Expected<std::vector<StoredTransition>> transitions(llvm::StringRef bucket = "");
  /// InvalidInput where none or several begin with \p name.
  llvm::Expected<StoredBucket> findBucket(llvm::StringRef name);

  /// May be missing: readers make it.
  std::string databaseFile() const { return m_folder + "/store.sqlite"; }
  std::string eventsFolder() const { return m_folder + "/events"; }

private:
  Store(std::string folder, const StoreRules &rules);
  llvm::Expected<Database> openCurrent();
  llvm::Error update(Database &database);
  /// For a file that is damaged; the log is not touched.
  llvm::Error removeDatabase();
  llvm::Expected<std::string> stamp() const;
  template <typename T> llvm::Expected<T> read(llvm::Expected<T> (*from)(Database &));
  template <typename T>
  llvm::Expected<T> readOf(llvm::StringRef bucket,
                           llvm::Expected<T> (*from)(Database &, llvm::StringRef));

  std::string m_folder;
  StoreRules m_rules;
  EventWriter m_writer;
};

} // namespace assay
