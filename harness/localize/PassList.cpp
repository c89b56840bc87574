// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/localize/PassList.h"

#include "compiler/driver/PassWatcher.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

static constexpr StringLiteral middleEndPhase = "middle-end";

namespace {
/// Reads the events in their order.
class ListMaker {
public:
  /// Adds the event to the list.
  void take(const PassEvent &event);
  /// Complete after the last event.
  PassList list;

private:
  /// Notes the pass as open.
  void begin(const PassEvent &event);
  /// Closes the open pass, and adds it where it is of the middle-end.
  void end(const PassEvent &event);
  /// Notes that the front-end has translated a stage, which may be the first of another pipeline.
  void countPipeline();

  std::string m_phase, m_stage;
  unsigned m_pipelines = 0;              ///< Of which the front-end has done something.
  std::vector<std::string> m_translated; ///< Stages of the last one.
};
} // namespace

/// A pipeline has each stage once, and compute alone.
void ListMaker::countPipeline() {
  if (m_stage.empty() || is_contained(m_translated, m_stage) || is_contained(m_translated, "")) {
    ++m_pipelines;
    m_translated.clear();
  }
  m_pipelines = std::max(m_pipelines, 1u);
  m_translated.push_back(m_stage);
}

void ListMaker::begin(const PassEvent &event) {
  if (event.pass == frontEndPhase || event.pass == codeGenerationPhase)
    m_phase = event.pass;
  list.open = {m_phase, event.pass, "", true, 0, m_stage};
}

void ListMaker::end(const PassEvent &event) {
  list.open = {};
  if (event.pass == frontEndPhase) {
    m_phase = middleEndPhase.str();
    return countPipeline();
  }
  list.middleEnd.push_back({m_phase, event.pass, "", event.unit == changedWord,
                            m_pipelines ? m_pipelines - 1 : 0, m_stage});
}

void ListMaker::take(const PassEvent &event) {
  switch (event.kind) {
  case PassEvent::Kind::Optional:
    list.optional.push_back({m_phase, event.pass, event.unit, true, 0, m_stage});
    return;
  case PassEvent::Kind::Begin:
    return begin(event);
  case PassEvent::Kind::End:
    return end(event);
  case PassEvent::Kind::Stage:
    // Passes that follow the code generator's are of the middle-end of the next stage.
    m_phase = middleEndPhase.str();
    m_stage = event.pass;
    return;
  }
}

PassList assay::makePassList(ArrayRef<PassEvent> events) {
  ListMaker maker;
  for (const PassEvent &event : events)
    maker.take(event);
  return std::move(maker.list);
}
