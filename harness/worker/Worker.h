// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What happens inside a worker process: a job becomes a verdict.
#pragma once

#include "harness/run/Job.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>

namespace assay {

class Compiler;

/// The life of a worker process: jobs, one after the other, with a compiler that stays warm.
class Worker {
public:
  Worker();
  ~Worker();

  /// Reads the job at \p jobFile, guards the process, plants the job's faults (for the rest of the
  /// process), executes, and writes the result file. Environment when one of the files can't be
  /// read or written; InvalidInput for a broken job.
  llvm::Error run(llvm::StringRef jobFile);

private:
  std::unique_ptr<Compiler> m_compiler;
};

/// Executes \p job in this process, by \p compiler where it is the one to use, and judges what
/// came of it.
Verdict executeJob(const Job &job, Compiler &compiler);

} // namespace assay
