// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reports/triage/LifeCycle.h"

#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <iterator>
#include <string>
#include <vector>

using namespace llvm;
using namespace assay;

/// In the order of Life; logs of events have these words.
static constexpr StringRef lifeNames[] = {
    "new",   "reproduced", "minimised",  "localised", "reported", "fix-claimed",
    "fixed", "flaky",      "incubating", "duplicate", "wont-fix",
};
static_assert(std::size(lifeNames) == lifeCount);

StringRef assay::lifeName(Life life) {
  return lifeNames[static_cast<unsigned>(life)];
}

/// Returns the state of that name, or nothing for an unknown one.
std::optional<Life> assay::parseLife(StringRef name) {
  const StringRef *found = find(lifeNames, name);
  if (found == std::end(lifeNames))
    return std::nullopt;
  return static_cast<Life>(found - std::begin(lifeNames));
}

namespace {
/// An event moves a bucket from one state to another.
struct Step {
  Life from;
  LifeEvent event;
  Life to;
};

/// A move that only a person makes.
struct Move {
  Life from, to;
};
} // namespace

/// What happens by itself. What stands nowhere here changes nothing: a reported bucket that is seen
/// again stays reported, one that is a duplicate or will not be fixed stays so for ever.
static constexpr Step steps[] = {
    {Life::New, LifeEvent::Seen, Life::Reproduced},
    {Life::New, LifeEvent::SeenFlaky, Life::Flaky},
    {Life::New, LifeEvent::Minimized, Life::Minimized},
    {Life::New, LifeEvent::Localized, Life::Localized},
    {Life::New, LifeEvent::CleanRuns, Life::Fixed},
    {Life::New, LifeEvent::Quiet, Life::Incubating},
    {Life::Reproduced, LifeEvent::SeenFlaky, Life::Flaky},
    {Life::Reproduced, LifeEvent::Minimized, Life::Minimized},
    {Life::Reproduced, LifeEvent::Localized, Life::Localized},
    {Life::Reproduced, LifeEvent::CleanRuns, Life::Fixed},
    {Life::Reproduced, LifeEvent::Quiet, Life::Incubating},
    {Life::Minimized, LifeEvent::Localized, Life::Localized},
    {Life::Minimized, LifeEvent::CleanRuns, Life::Fixed},
    {Life::Localized, LifeEvent::CleanRuns, Life::Fixed},
    {Life::Reported, LifeEvent::CleanRuns, Life::Fixed},
    {Life::FixClaimed, LifeEvent::CleanRuns, Life::Fixed},
    {Life::FixClaimed, LifeEvent::Seen, Life::Reported},
    {Life::Flaky, LifeEvent::Seen, Life::Reproduced},
    {Life::Flaky, LifeEvent::CleanRuns, Life::Fixed},
    {Life::Flaky, LifeEvent::Quiet, Life::Incubating},
    {Life::Incubating, LifeEvent::Seen, Life::Reproduced},
    {Life::Incubating, LifeEvent::SeenFlaky, Life::Flaky},
    {Life::Incubating, LifeEvent::CleanRuns, Life::Fixed},
};

/// Moves that a person may make in addition to the steps, except those to Fixed.
static constexpr Move moves[] = {
    {Life::New, Life::Reported},         {Life::Reproduced, Life::Reported},
    {Life::Minimized, Life::Reported},   {Life::Localized, Life::Reported},
    {Life::Flaky, Life::Reported},       {Life::Incubating, Life::Reported},
    {Life::New, Life::FixClaimed},       {Life::Reproduced, Life::FixClaimed},
    {Life::Minimized, Life::FixClaimed}, {Life::Localized, Life::FixClaimed},
    {Life::Reported, Life::FixClaimed},  {Life::FixClaimed, Life::Reported},
    {Life::New, Life::Duplicate},        {Life::Reproduced, Life::Duplicate},
    {Life::Minimized, Life::Duplicate},  {Life::Localized, Life::Duplicate},
    {Life::Reported, Life::Duplicate},   {Life::Flaky, Life::Duplicate},
    {Life::Incubating, Life::Duplicate}, {Life::Duplicate, Life::New},
    {Life::New, Life::WontFix},          {Life::Reproduced, Life::WontFix},
    {Life::Minimized, Life::WontFix},    {Life::Localized, Life::WontFix},
    {Life::Reported, Life::WontFix},     {Life::Flaky, Life::WontFix},
    {Life::Incubating, Life::WontFix},   {Life::WontFix, Life::New},
};

/// Nothing where the event does not change such a bucket.
std::optional<Life> assay::nextLife(Life from, LifeEvent event) {
  const Step *step =
      find_if(steps, [&](const Step &each) { return each.from == from && each.event == event; });
  return step == std::end(steps) ? std::nullopt : std::optional(step->to);
}

/// Whether a person may make this transition. Nobody may set Fixed.
bool assay::isAllowed(Life from, Life to) {
  // "Fixed" is what nights have shown, never what somebody says.
  bool isStep = to != Life::Fixed &&
                any_of(steps, [&](const Step &each) { return each.from == from && each.to == to; });
  return isStep ||
         any_of(moves, [&](const Move &each) { return each.from == from && each.to == to; });
}

/// InvalidInput lists the lives that may follow.
Error assay::verifyTransition(Life from, Life to) {
  if (isAllowed(from, to))
    return Error::success();
  std::vector<StringRef> names;
  for (unsigned i = 0; i < lifeCount; ++i)
    if (isAllowed(from, static_cast<Life>(i)))
      names.push_back(lifeNames[i]);
  return invalidInput("a bucket that is " + lifeName(from) + " cannot be made " + lifeName(to) +
                      ": what may follow is " +
                      (names.empty() ? std::string("nothing") : join(names, ", ")));
}

bool assay::isClosed(Life life) {
  return life == Life::Fixed;
}

bool assay::isSilenced(Life life) {
  return life == Life::Duplicate || life == Life::WontFix;
}
