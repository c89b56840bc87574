// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reports/store/StoreReport.h"

#include "reports/Escape.h"
#include "reports/VerdictJson.h"
#include "support/Json.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

/// Reads the four lists one after the other: a writer in between may make a later list newer than
/// an earlier one.
Expected<StoreView> assay::readStore(Store &store) {
  StoreView view;
  Expected<std::vector<StoredNight>> nights = store.nights();
  if (!nights)
    return nights.takeError();
  Expected<std::vector<StoredBucket>> buckets = store.buckets();
  if (!buckets)
    return buckets.takeError();
  Expected<std::vector<StoredOccurrence>> occurrences = store.occurrences();
  if (!occurrences)
    return occurrences.takeError();
  Expected<std::vector<StoredTransition>> transitions = store.transitions();
  if (!transitions)
    return transitions.takeError();
  return StoreView{std::move(*nights), std::move(*buckets), std::move(*occurrences),
                   std::move(*transitions)};
}

/// True for a bucket that was first seen in this night, is not silenced, and is no known bug.
bool assay::isNews(const StoredBucket &bucket, StringRef night) {
  return bucket.firstNight == night && !isSilenced(bucket.life) && bucket.facts.bug.empty();
}

/// True if an accepted transition to Fixed happened in the last night of the view or later.
bool assay::wasFixedLast(const StoreView &view, const StoredBucket &bucket) {
  if (view.nights.empty())
    return false;
  return bucket.life == Life::Fixed && any_of(view.transitions, [&](const StoredTransition &each) {
           return each.bucket == bucket.id && each.to == Life::Fixed && !each.isRefused &&
                  each.timeMs >= view.nights.back().timeMs;
         });
}

/// Writes id, life, title and counts on one line, with its previous entry, bug and link if it has
/// them.
static void writeBucketLine(raw_ostream &os, const StoredBucket &bucket) {
  os << bucket.id << " " << lifeName(bucket.life) << ": " << escapeLine(bucket.title) << " ("
     << bucket.occurrences << " in " << bucket.nights << (bucket.nights == 1 ? " night" : " nights")
     << ", last " << escapeLine(bucket.lastNight) << ")";
  if (!bucket.previous.empty())
    os << " returned, was " << bucket.previous;
  if (!bucket.facts.bug.empty())
    os << ", bug " << escapeLine(bucket.facts.bug);
  if (!bucket.link.empty())
    os << " " << escapeLine(bucket.link);
  os << "\n";
}

/// Lists new buckets, then known ones, then those that the night showed as fixed, and ends with the
/// counts.
void assay::writeNightText(raw_ostream &os, const StoreView &view, StringRef night) {
  unsigned news = 0;
  unsigned known = 0;
  for (bool wantsNews : {true, false})
    for (const StoredBucket &bucket : view.buckets) {
      if (bucket.lastNight != night || isNews(bucket, night) != wantsNews)
        continue;
      ++(wantsNews ? news : known);
      os << (wantsNews ? "NEW   " : "known ");
      writeBucketLine(os, bucket);
      auto last = find_if(view.occurrences, [&](const StoredOccurrence &each) {
        return each.bucket == bucket.id && each.night == night;
      });
      if (last != view.occurrences.end() && !last->rerun.empty())
        os << "    rerun: " << escapeLine(last->rerun) << "\n";
    }
  unsigned fixed = 0;
  for (const StoredBucket &bucket : view.buckets)
    if (wasFixedLast(view, bucket) && view.nights.back().name == night) {
      ++fixed;
      os << "fixed ";
      writeBucketLine(os, bucket);
    }
  os << "night " << escapeLine(night) << ": " << news << " new, " << known << " known, " << fixed
     << " fixed\n";
}

/// Orders buckets by their life, and within it as the store does.
void assay::writeStoreText(raw_ostream &os, const StoreView &view) {
  for (unsigned i = 0; i < lifeCount; ++i)
    for (const StoredBucket &bucket : view.buckets)
      if (bucket.life == static_cast<Life>(i))
        writeBucketLine(os, bucket);
  for (const StoredNight &night : view.nights) {
    os << "night " << escapeLine(night.name);
    if (!night.revision.empty())
      os << " of " << escapeLine(night.revision);
    os << ": " << night.counts.total() << " verdicts, " << night.counts[State::Pass] << " pass"
       << (night.isWhole ? "" : " (not ended)") << "\n";
  }
  os << view.buckets.size() << (view.buckets.size() == 1 ? " bucket, " : " buckets, ")
     << view.nights.size() << (view.nights.size() == 1 ? " night\n" : " nights\n");
}

/// Writes a run with its counts and metrics.
static void writeNight(json::OStream &json, const StoredNight &night) {
  json.object([&] {
    writeTextAttribute(json, "name", night.name);
    writeTextAttribute(json, "revision", night.revision);
    json.attribute("time_ms", night.timeMs);
    json.attribute("whole", night.isWhole);
    writeCounts(json, night.counts);
    writeMetrics(json, night.metrics);
  });
}

static void writeOccurrence(json::OStream &json, const StoredOccurrence &each) {
  json.object([&] {
    writeTextAttribute(json, "night", each.night);
    writeTextAttribute(json, "event", each.event);
    writeTextAttribute(json, "case", each.about.caseId);
    writeTextAttribute(json, "compiler", each.about.compiler);
    writeTextAttribute(json, "machine", each.about.machine);
    json.attribute("state", stateName(each.state));
    writeTextAttribute(json, "rule", each.rule);
    writeTextAttribute(json, "key", each.key);
    writeTextAttribute(json, "configurations", listConfigurations(each.configurations));
    writeTextAttribute(json, "reason", each.reason);
    writeTextAttribute(json, "rerun", each.rerun);
    writeTextAttribute(json, "votes", printVotes(each.votes));
    json.attribute("sum", each.sum);
  });
}

static void writeTransition(json::OStream &json, const StoredTransition &each) {
  json.object([&] {
    json.attribute("from", lifeName(each.from));
    json.attribute("to", lifeName(each.to));
    writeTextAttribute(json, "actor", each.actor);
    writeTextAttribute(json, "reason", each.reason);
    writeTextAttribute(json, "link", each.link);
    writeTextAttribute(json, "event", each.event);
    json.attribute("time_ms", each.timeMs);
    json.attribute("refused", each.isRefused);
  });
}

/// Writes a bucket with its facts, occurrences and transitions.
static void writeBucket(json::OStream &json, const StoredBucket &bucket, const StoreView &view) {
  json.object([&] {
    writeTextAttribute(json, "id", bucket.id);
    writeTextAttribute(json, "key", bucket.key);
    writeTextAttribute(json, "title", bucket.title);
    json.attribute("life", lifeName(bucket.life));
    writeTextAttribute(json, "previous", bucket.previous);
    writeTextAttribute(json, "link", bucket.link);
    writeTextAttribute(json, "first_night", bucket.firstNight);
    writeTextAttribute(json, "last_night", bucket.lastNight);
    json.attribute("nights", bucket.nights);
    json.attribute("clean_nights", bucket.cleanNights);
    writeTextAttribute(json, "pass", bucket.facts.pass);
    writeTextAttribute(json, "operation", bucket.facts.operation);
    writeTextsAttribute(json, "features", bucket.facts.features);
    writeTextsAttribute(json, "transformations", bucket.facts.transformations);
    writeTextAttribute(json, "bug", bucket.facts.bug);
    writeTextAttribute(json, "bundle", bucket.bundle);
    json.attributeArray("occurrences", [&] {
      for (const StoredOccurrence &each : view.occurrences)
        if (each.bucket == bucket.id)
          writeOccurrence(json, each);
    });
    json.attributeArray("transitions", [&] {
      for (const StoredTransition &each : view.transitions)
        if (each.bucket == bucket.id)
          writeTransition(json, each);
    });
  });
}

void assay::writeStoreJson(raw_ostream &os, const StoreView &view) {
  json::OStream json(os, /*IndentSize=*/1);
  json.object([&] {
    json.attribute("schema", "assay.store-list/1");
    json.attributeArray("nights", [&] {
      for (const StoredNight &night : view.nights)
        writeNight(json, night);
    });
    json.attributeArray("buckets", [&] {
      for (const StoredBucket &bucket : view.buckets)
        writeBucket(json, bucket, view);
    });
  });
  os << "\n";
}
