// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// replace-by-synonym: a use of a value names another id that earlier steps made equal to it.
// Precondition: a replaceable use (Editing.h); the other is its synonym (Context.h) and available
// there. Effect: none. Numbers: anchor of the user, operand, the other id.
#include "fuzz/transform/Editing.h"
#include "fuzz/transform/Transformations.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace assay::fuzz {

/// Returns the synonyms of the used value that are available at the use.
static std::vector<Id> synonymsAt(const Context &context, const Use &use) {
  Id value = context.at(use.place)->word(use.operand);
  Id type = context.definitions().typeOf(value);
  std::vector<Id> found;
  for (auto [a, b] : context.synonyms()) {
    Id other = a == value ? b : b == value ? a : 0;
    if (other && context.definitions().typeOf(other) == type &&
        context.isAvailable(other, context.placeOf(use)))
      found.push_back(other);
  }
  return found;
}

/// None until an earlier step has made synonyms.
std::optional<Step> ReplaceBySynonym::propose(const Context &context, Random &random) {
  if (context.synonyms().empty())
    return std::nullopt;
  std::optional<Use> use =
      pickUse(context, random, [&](const Use &each) { return !synonymsAt(context, each).empty(); });
  if (!use)
    return std::nullopt;
  Step step;
  append(step.numbers, context, *use);
  std::vector<Id> synonyms = synonymsAt(context, *use);
  step.numbers.push_back(random.pick(ArrayRef(synonyms)));
  return step;
}

bool ReplaceBySynonym::isApplicable(const Context &context, const Step &step) {
  std::optional<Use> use = useIn(context, step, 0);
  return use && is_contained(synonymsAt(context, *use), step.id(3));
}

/// Broken: the use names null.
void ReplaceBySynonym::apply(Context &context, const Step &step) {
  Use use = *useIn(context, step, 0);
  Id other = step.id(3);
  if (context.isBroken())
    other = Pool(context.edit().program).constantNull(context.definitions().typeOf(other));
  replaceUse(context.edit().program, use, other);
}

} // namespace assay::fuzz
