// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/localize/PassList.h"

#include "compiler/driver/PassWatcher.h"

using namespace llvm;
using namespace assay;

static constexpr StringLiteral middleEndPhase = "middle-end";

PassList assay::makePassList(ArrayRef<PassEvent> events) {
  PassList list;
  std::string phase;
  unsigned pipelines = 0; ///< That the front-end has done.
  for (const PassEvent &event : events) {
    switch (event.kind) {
    case PassEvent::Kind::Optional:
      list.optional.push_back({phase, event.pass, event.unit});
      break;
    case PassEvent::Kind::Begin:
      if (event.pass == frontEndPhase || event.pass == codeGenerationPhase)
        phase = event.pass;
      list.open = {phase, event.pass, ""};
      break;
    case PassEvent::Kind::End:
      if (event.pass == frontEndPhase) {
        phase = middleEndPhase.str();
        ++pipelines;
      } else {
        list.middleEnd.push_back(
            {phase, event.pass, "", event.unit == changedWord, pipelines ? pipelines - 1 : 0});
      }
      list.open = {};
      break;
    }
  }
  return list;
}
