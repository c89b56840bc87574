// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/worker/PassLedger.h"

#include "support/Error.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;
using namespace assay;

Expected<std::unique_ptr<PassLedger>> PassLedger::create(const Job &job) {
  std::unique_ptr<PassLedger> ledger(new PassLedger(job.passes));
  if (!job.passes.lists)
    return std::move(ledger);
  std::error_code code;
  ledger->m_file = std::make_unique<raw_fd_ostream>(job.passesFile(), code);
  if (code)
    return environmentError("'" + job.passesFile() + "': " + code.message());
  // What a worker that dies was doing must be on disk.
  ledger->m_file->SetUnbuffered();
  return std::move(ledger);
}

void PassLedger::write(PassEvent::Kind kind, StringRef pass, StringRef unit) {
  if (m_file)
    *m_file << printPassEvent({kind, pass.str(), unit.str()});
}

bool PassLedger::mayRun(StringRef pass, StringRef unit) {
  write(PassEvent::Kind::Optional, pass, unit);
  return m_asked++ < m_passes.limit.value_or(UINT64_MAX);
}

void PassLedger::willRun(StringRef pass) {
  write(PassEvent::Kind::Begin, pass, "");
}

bool PassLedger::hasChanged(const Module &module) {
  std::string text;
  raw_string_ostream(text) << module;
  uint64_t before = std::exchange(m_digest, xxh3_64bits(text));
  return m_digest != before;
}

void PassLedger::didRun(StringRef pass, const Module &module) {
  if (m_file)
    write(PassEvent::Kind::End, pass, hasChanged(module) ? StringRef(changedWord) : "");
  if (pass == frontEndPhase || ++m_ended != m_passes.snapshot)
    return;
  m_snapshot.emplace();
  raw_string_ostream(*m_snapshot) << module;
}
