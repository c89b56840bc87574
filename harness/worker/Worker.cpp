// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/worker/Worker.h"

#include "compiler/driver/Compiler.h"
#include "harness/run/WorkerGuard.h"
#include "harness/worker/CheckFatPointers.h"
#include "harness/worker/ValidateFiles.h"
#include "oracles/machine/vulkan/DriverTrial.h"
#include "support/Error.h"
#include "support/Fault.h"
#include "support/File.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace assay;

Worker::Worker() : m_compiler(std::make_unique<Compiler>()) {}
Worker::~Worker() = default;

/// Reads the job, installs the crash guard, and writes the result file last: a worker that dies
/// leaves none, and the journal says in which stage. Validate jobs plant faults per file, others
/// once.
Error Worker::run(StringRef jobFile) {
  Expected<std::string> text = readFileText(jobFile);
  if (!text)
    return text.takeError();
  StringRef folder = sys::path::parent_path(jobFile);
  Expected<Job> job = parseJob(*text, folder.empty() ? "." : folder);
  if (!job)
    return job.takeError();
  if (Error error = installWorkerGuard(job->journalFile()))
    return error;
  vulkan::keepTrialsIn(sys::path::parent_path(job->folder));
  for (const std::string &fault : job->plants)
    if (job->kind != JobKind::Validate)
      if (Error error = plantFault(fault))
        return error;
  Verdict verdict = makeVerdict(*job, State::Pass, "");
  if (job->kind == JobKind::Validate) {
    if (Error error = validateFiles(*job))
      return error;
  } else if (job->kind == JobKind::FatPointers) {
    if (Error error = checkFatPointerFiles(*job))
      return error;
  } else {
    verdict = executeJob(*job, *m_compiler);
  }
  noteStage("write");
  if (Error error = writeFile(job->resultFile(), StringRef(printResult(verdict))))
    return error;
  noteStage("done");
  return Error::success();
}
