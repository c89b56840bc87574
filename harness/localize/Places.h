// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether an access of a buffer goes wrong by its place: what is loaded or stored may be right, and
// right where it should be.
#pragma once

#include "harness/localize/Operations.h"
#include "harness/reduce/Subject.h"
#include "harness/run/CaseFiles.h"
#include "harness/run/Job.h"
#include "oracles/api/Verdict.h"
#include <functional>

namespace assay {

/// The buffer of a probed case that probes store into.
constexpr llvm::StringLiteral probeBuffer = "probe";
/// What a buffer holds where nothing is stored: hardly a value of a shader.
constexpr uint8_t unstoredByte = 0xa5;

/// A probed case that was run.
struct ProbeRun {
  std::string text; ///< AmberScript.
  CaseFile file;
  Verdict verdict;
  Job job; ///< Its files are there until the next run; the outcome is among them.
};

/// Runs a case, judged by the buffer of that name alone (Job::judgedBuffer). Nothing where it can't
/// be said; Errors are of the environment.
using RunProbe =
    std::function<llvm::Expected<std::optional<ProbeRun>>(const Subject &, llvm::StringRef)>;

/// Fills \p bytes with words that tell where they stand; returns how many there are with the first
/// \p before of them, in other buffers.
size_t markPlaces(llvm::MutableArrayRef<uint8_t> bytes, size_t before = 0);

/// \p probed stores the value of \p load into probeBuffer. Whether it has what stands somewhere
/// else in what is bound, whose words are made to tell where they stand. False where nobody knows:
/// the words may lead the shader astray.
llvm::Expected<bool> isLoadedElsewhere(Subject probed, const BlockLoad &load, const RunProbe &run);

/// Whether \p input writes to other bytes of buffer number \p buffer than it should, or the same
/// there in another order: all of it is made unstoredByte. False where nobody knows.
llvm::Expected<bool> isWrittenElsewhere(Subject input, unsigned buffer, const RunProbe &run);
/// The same of a run that was, of a case in which buffer number \p buffer is unstoredByte.
llvm::Expected<bool> isWrittenElsewhere(const Job &job, unsigned buffer);

} // namespace assay
