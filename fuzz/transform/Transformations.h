// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The transformations' declarations, from Transformations.def, and the table of them.
#pragma once

#include "fuzz/transform/Context.h"
#include "fuzz/transform/Transform.h"
#include "support/Random.h"
#include <optional>

namespace assay::fuzz {

enum class TransformationKind : uint8_t { Changing, Enabling };

/// One way to change a case without changing what it means. All three are deterministic.
struct Transformation {
  llvm::StringRef name;
  unsigned weight; ///< Among those of a mix.
  TransformationKind kind;
  /// A step that applies, name and fresh id left to the caller; or none, where chance found no
  /// place.
  std::optional<Step> (*propose)(const Context &, Random &);
  /// Whether \p step may be applied: its precondition, which can be asked of any program.
  bool (*isApplicable)(const Context &, const Step &);
  /// Applies \p step, which is applicable. New ids come from the program's bound.
  void (*apply)(Context &, const Step &);
};
llvm::ArrayRef<Transformation> transformations();
/// What steps of optimize-module may name.
llvm::ArrayRef<const char *> optimizerPasses();
/// Whether code of \p added may come into \p generated: no pass that is to run over it stumbles on
/// it.
bool isFoldedSafely(const GeneratedCase &generated, const Program &added);
/// Null for an unknown name.
const Transformation *findTransformation(llvm::StringRef name);

#define TRANSFORMATION(STRUCT, NAME, WEIGHT, KIND)                                                 \
  struct STRUCT {                                                                                  \
    static std::optional<Step> propose(const Context &context, Random &random);                    \
    static bool isApplicable(const Context &context, const Step &step);                            \
    static void apply(Context &context, const Step &step);                                         \
  };
#include "fuzz/transform/Transformations.def"

} // namespace assay::fuzz
