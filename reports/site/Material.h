// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the folder of a finding has to show: the files of a campaign's finding, of its minimization
// (docs/minimize.md), of a bundle and of a localisation, wherever of the usual places they are.
#pragma once

#include "reports/Report.h"

namespace assay {

/// What localising found out (schema assay.localize/1); empty where nobody knows.
struct Localised {
  std::string phase, pass, function, instruction;
  std::vector<std::string> evidence;
  std::vector<std::string> slice; ///< Machine code after the first wrong value, nearest last.
  std::string difference;         ///< Of the module before and after the pass.
};

/// Texts; empty where there is no such file.
struct Material {
  std::string folder;                          ///< Empty where there is none.
  std::string script;                          ///< The case as a script, the smallest there is.
  bool isMinimal = false;                      ///< It was minimized.
  std::string spirv, isa;                      ///< Assembly of the module and of the code.
  std::string neighbour;                       ///< What differs from a case that passes.
  std::string commands;                        ///< A shell script.
  std::string provenance;                      ///< JSON.
  std::vector<BufferListing> expected, actual; ///< After the run.
  Localised localised;

  bool isEmpty() const { return script.empty() && spirv.empty(); }
};

/// Of a folder that is not there, or not any more, everything is empty. InvalidInput for buffers
/// and a localisation that are none.
llvm::Expected<Material> readMaterial(const std::string &folder);

/// An element of a buffer of which the two runs make different things.
struct ElementDifference {
  std::string buffer;
  size_t index = 0; ///< Among the components.
  std::string expected, actual;
};
/// At most \p limit, in order; \p count of them there are.
std::vector<ElementDifference> compareBuffers(llvm::ArrayRef<BufferListing> expected,
                                              llvm::ArrayRef<BufferListing> actual, size_t limit,
                                              uint64_t &count);

} // namespace assay
