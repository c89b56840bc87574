// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tables of the store's database, by version, and how a History gets into them and out again.
#pragma once

#include "reports/store/Database.h"
#include "reports/store/History.h"

namespace assay {

/// What this build reads and writes: the number of migrations.
unsigned latestSchema();

/// Brings the tables of \p database from the version that they have to \p version, a migration
/// after the other, each in a transaction of its own. Unsupported where they are newer.
llvm::Error migrate(Database &database, unsigned version = latestSchema());

/// Puts \p history in the place of what the tables hold, and \p stamp next to it, within the
/// transaction of the caller.
llvm::Error writeHistory(Database &database, const History &history, const std::string &stamp);
/// The stamp of the last writeHistory, or empty.
llvm::Expected<std::string> readStamp(Database &database);

llvm::Expected<std::vector<StoredNight>> readNights(Database &database);
llvm::Expected<std::vector<StoredBucket>> readBuckets(Database &database);
/// Of \p bucket, or of all where it is empty.
llvm::Expected<std::vector<StoredOccurrence>> readOccurrences(Database &database,
                                                              llvm::StringRef bucket);
llvm::Expected<std::vector<StoredTransition>> readTransitions(Database &database,
                                                              llvm::StringRef bucket);

} // namespace assay
