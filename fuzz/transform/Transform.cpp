// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The choice of steps, and their application one after the other.
#include "fuzz/transform/Transform.h"

#include "fuzz/transform/Transformations.h"
#include "support/Error.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace llvm;

namespace assay::fuzz {

/// The rows of Transformations.def, in order.
ArrayRef<Transformation> transformations() {
  static constexpr Transformation table[] = {
#define TRANSFORMATION(STRUCT, NAME, WEIGHT, KIND)                                                 \
  {NAME, WEIGHT, TransformationKind::KIND, STRUCT::propose, STRUCT::isApplicable, STRUCT::apply},
#include "fuzz/transform/Transformations.def"
  };
  return table;
}

const Transformation *findTransformation(StringRef name) {
  const Transformation *found =
      find_if(transformations(), [&](const Transformation &each) { return each.name == name; });
  return found == transformations().end() ? nullptr : found;
}

/// Returns the transformation, or InvalidInput for an unknown name.
static Expected<const Transformation *> requireTransformation(StringRef name) {
  if (const Transformation *found = findTransformation(name))
    return found;
  return invalidInput("no transformation is called '" + name + "'");
}

Expected<std::vector<std::string>> changingNames(const TransformationLog &log) {
  std::set<std::string> names;
  for (const Step &step : log.steps) {
    Expected<const Transformation *> found = requireTransformation(step.name);
    if (!found)
      return found.takeError();
    if ((*found)->kind == TransformationKind::Changing)
      names.insert(step.name);
  }
  return std::vector<std::string>(names.begin(), names.end());
}

/// Left free below each step's ids, for what it needs more when steps before it are left out.
static constexpr Id reservedIds = 64;
/// Instructions of a program that is transformed no further.
static constexpr size_t maxInstructions = 20'000;

/// Counts all instructions of the module, types and names included.
static size_t countAllInstructions(const Program &program) {
  size_t count = 0;
  forEachInstruction(program, [&](const Instruction &) { ++count; });
  return count;
}

/// Applies the step if its ids are new and its precondition holds; returns whether it was applied.
/// \p broken: the name of the transformation to apply wrongly, or empty.
static bool tryApply(Context &context, const Transformation &transformation, const Step &step,
                     StringRef broken) {
  constexpr Id MostNew = 1 << 16; // Ids that a step can need.
  if (step.fresh < context.program().bound || step.fresh > maxId - MostNew ||
      !transformation.isApplicable(context, step))
    return false;
  context.edit().program.bound = step.fresh;
  context.setBroken(broken == transformation.name);
  transformation.apply(context, step);
  context.refresh();
  return true;
}

namespace {
/// Draws transformations by their weights.
class Mix {
public:
  /// A transformation that is added twice is drawn twice as often.
  void add(const Transformation &transformation) {
    m_total += transformation.weight;
    m_choices.push_back({&transformation, m_total});
  }
  bool isEmpty() const { return m_choices.empty(); }
  /// Draws one by weight; the mix must not be empty.
  const Transformation &draw(Random &random) const {
    uint64_t at = random.below(m_total);
    return *find_if(m_choices, [&](const auto &choice) { return at < choice.second; })->first;
  }

private:
  std::vector<std::pair<const Transformation *, uint64_t>> m_choices;
  uint64_t m_total = 0;
};
} // namespace

/// Without names about half of all, as swarm testing does: what is always mixed with everything
/// hides what only shows alone.
static Expected<Mix> makeMix(const TransformOptions &options, Random &random) {
  Mix mix;
  for (const std::string &name : options.only) {
    Expected<const Transformation *> found = requireTransformation(name);
    if (!found)
      return found.takeError();
    mix.add(**found);
  }
  while (mix.isEmpty())
    for (const Transformation &each : transformations())
      if (each.kind == TransformationKind::Enabling || random.oneIn(2))
        mix.add(each);
  return mix;
}

/// Draws at most eight times as often as steps are wanted, and ends at maxInstructions.
Expected<TransformedCase> transformCase(const GeneratedCase &original,
                                        const TransformOptions &options) {
  Random random(options.seed);
  Expected<Mix> mix = makeMix(options, random);
  if (!mix)
    return mix.takeError();
  Context context(original);
  context.setDonors(options.donors);
  TransformationLog log{
      options.seed, "seed " + std::to_string(original.seed) + ", profile " + original.profile, {}};
  constexpr unsigned DrawsPerStep = 8;
  for (unsigned draw = 0; log.steps.size() < options.steps && draw < options.steps * DrawsPerStep;
       ++draw) {
    const Transformation &transformation = mix->draw(random);
    std::optional<Step> step = transformation.propose(context, random);
    if (!step)
      continue;
    step->name = transformation.name.str();
    step->fresh = context.program().bound + reservedIds;
    if (!tryApply(context, transformation, *step, options.broken))
      continue;
    log.steps.push_back(std::move(*step));
    if (countAllInstructions(context.program()) > maxInstructions)
      break;
  }
  return TransformedCase{context.generated(), std::move(log)};
}

Expected<TransformedCase> transformCase(const GeneratedCase &original, uint64_t seed,
                                        unsigned steps) {
  return transformCase(original, {.seed = seed, .steps = steps});
}

/// Needs no donors: steps have all that they need.
Expected<TransformedCase> replay(const GeneratedCase &original, const TransformationLog &log) {
  Context context(original);
  TransformationLog applied{log.seed, log.original, {}};
  for (const Step &step : log.steps) {
    Expected<const Transformation *> transformation = requireTransformation(step.name);
    if (!transformation)
      return transformation.takeError();
    if (tryApply(context, **transformation, step, ""))
      applied.steps.push_back(step);
  }
  return TransformedCase{context.generated(), std::move(applied)};
}

} // namespace assay::fuzz
