// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a store holds, as text and as JSON.
#pragma once

#include "reports/store/Store.h"

namespace assay {

/// A store as its readers see it at one time.
struct StoreView {
  std::vector<StoredNight> nights;   ///< By time.
  std::vector<StoredBucket> buckets; ///< By first occurrence.
  std::vector<StoredOccurrence> occurrences;
  std::vector<StoredTransition> transitions;
};
/// Reads all tables one after the other; events that arrive in between may be in some of them only.
llvm::Expected<StoreView> readStore(Store &store);

/// Whether \p bucket is news in \p night: first seen then, no known bug, and nobody has
/// decided about it.
bool isNews(const StoredBucket &bucket, llvm::StringRef night);

/// Whether the last night of \p view, or its end, is what made \p bucket fixed.
bool wasFixedLast(const StoreView &view, const StoredBucket &bucket);

/// Buckets that \p night shows, news first; those that were fixed by it; the sum.
void writeNightText(llvm::raw_ostream &os, const StoreView &view, llvm::StringRef night);
/// A line a bucket, by state; then nights.
void writeStoreText(llvm::raw_ostream &os, const StoreView &view);
/// {"schema":"assay.store-list/1","nights":[...],"buckets":[...]}: each bucket with its occurrences
/// and transitions; docs/schemas/store-list.schema.json.
void writeStoreJson(llvm::raw_ostream &os, const StoreView &view);

} // namespace assay
