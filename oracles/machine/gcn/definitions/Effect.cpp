// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/definitions/Effect.h"

using namespace assay;
using namespace assay::gcn;

/// Completes \p effect with the registers of an atomic. The result is as wide as the data; a second
/// operand follows the first.
definitions::Effect
definitions::makeAtomicEffect(Effect effect, const AtomicMeaning &meaning,
                              std::function<void(const Request &request, World &world)> run) {
  effect.isAtomic = true;
  effect.dst = meaning.bits / 32;
  effect.data0 = effect.dst * (meaning.takesSecond ? 2 : 1);
  effect.run = std::move(run);
  return effect;
}
