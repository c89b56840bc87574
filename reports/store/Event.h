// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The events of a store: what was seen, found out and decided, one JSON line each (schema
// assay.event/1; docs/store.md has the fields).
#pragma once

#include "reports/Report.h"
#include "reports/triage/LifeCycle.h"
#include "reports/triage/Symptom.h"
#include "llvm/Support/JSON.h"
#include <variant>

namespace assay {

/// A case on one compiler and machine.
struct CaseKey {
  std::string caseId, compiler, machine;
  auto operator<=>(const CaseKey &) const = default;
};
CaseKey caseKeyOf(const Verdict &verdict);
CaseKey caseKeyOf(const Symptom &symptom);

/// A case of a night of which a verdict is bad or flaky, with all of its verdicts.
struct FindingEvent {
  std::string night;
  std::vector<Verdict> verdicts; ///< Of one case; never empty.
};

/// The end of a night, or of a shard of it.
struct NightEvent {
  std::string night;
  std::string revision; ///< Of what was tested; may be empty.
  Counts counts;
  std::vector<CaseKey> clean; ///< What ran, and passed everywhere.
  std::vector<std::pair<std::string, double>> metrics;
};

/// What was found out about a case.
struct FactsEvent {
  CaseKey about;
  Facts facts;
  std::string bundle; ///< A folder that replays it; may be empty.
};

/// A decision of a person.
struct TransitionEvent {
  std::string bucket;
  Life from = Life::New, to = Life::New;
  std::string actor, reason;
  std::string link; ///< An issue, or for Duplicate the other bucket; may be empty.
};

struct Event {
  std::string writer;
  uint64_t sequence = 0; ///< In the writer's file, from 0.
  uint64_t timeMs = 0;   ///< Since 1970, UTC.
  std::variant<FindingEvent, NightEvent, FactsEvent, TransitionEvent> body;

  /// "WRITER:SEQUENCE".
  std::string id() const;
};

/// The attribute "metrics": [{"name":...,"value":...},...].
void writeMetrics(llvm::json::OStream &json,
                  llvm::ArrayRef<std::pair<std::string, double>> metrics);
/// One line, with its line end.
std::string printEvent(const Event &event);
/// InvalidInput for anything printEvent would not have written; a newer schema is named.
llvm::Expected<Event> parseEvent(llvm::StringRef line);

} // namespace assay
