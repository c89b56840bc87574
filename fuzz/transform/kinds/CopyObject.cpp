// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// copy-object: a use of a value names a copy of it, made in front of the user.
// Precondition: a replaceable use (Editing.h). Effect: value and copy are synonyms. Numbers: anchor
// of the user, operand.
#include "fuzz/transform/Editing.h"
#include "fuzz/transform/Transformations.h"

namespace assay::fuzz {

std::optional<Step> CopyObject::propose(const Context &context, Random &random) {
  std::optional<Use> use = pickUse(context, random, [](const Use &) { return true; });
  if (!use)
    return std::nullopt;
  Step step;
  append(step.numbers, context, *use);
  return step;
}

bool CopyObject::isApplicable(const Context &context, const Step &step) {
  return useIn(context, step, 0).has_value();
}

/// Broken: the copy is of null.
void CopyObject::apply(Context &context, const Step &step) {
  Use use = *useIn(context, step, 0);
  Id value = context.at(use.place)->word(use.operand), type = context.definitions().typeOf(value);
  Emitter emitter(context);
  Id from = context.isBroken() ? emitter.pool().constantNull(type) : value;
  Id copy = emitter.emit(spv::Op::OpCopyObject, type, {id(from)});
  context.addSynonyms(value, copy);
  substitute(context, use, copy, emitter);
}

} // namespace assay::fuzz
