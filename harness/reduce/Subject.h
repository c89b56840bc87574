// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is reduced: a case whose shaders are modules that can be changed.
#pragma once

#include "fuzz/program/Program.h"
#include "fuzz/transform/Transform.h"
#include "harness/run/CaseFiles.h"
#include "oracles/api/Case.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace assay {

struct Subject {
  /// Its pipelines' modules are stale: programs has them.
  Case input;
  /// One for each stage of each pipeline, in their order.
  std::vector<fuzz::Program> programs;
  /// Of the log of transformations that made its second pipeline, where they are known.
  std::vector<fuzz::Step> steps = {};
};

/// The programs of pipeline \p number of \p subject.
llvm::MutableArrayRef<fuzz::Program> programsOf(Subject &subject, size_t number);
llvm::ArrayRef<fuzz::Program> programsOf(const Subject &subject, size_t number);

/// Errors of readCase and of fuzz::decode; Unsupported for a case that this build can't run,
/// InvalidInput for one without a shader.
llvm::Expected<Subject> readSubject(const CaseFile &file);

/// The same for a script's text; without steps.
llvm::Expected<Subject> readSubjectFromText(llvm::StringRef text);

/// AmberScript of \p subject, once spirv-val has nothing against its modules. InvalidInput when it
/// has; Unsupported for what a script can't say.
llvm::Expected<std::string> printSubject(const Subject &subject);

/// Writes a module to \p path. Environment.
llvm::Error writeModule(const std::string &path, llvm::ArrayRef<uint32_t> words);

/// Instructions in the function bodies of all modules.
size_t countInstructions(const Subject &subject);

} // namespace assay
