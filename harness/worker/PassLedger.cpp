// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/worker/PassLedger.h"

#include "support/Error.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;
using namespace assay;

/// Opens the list of passes if the job asks for one. Environment where it cannot be created.
Expected<std::unique_ptr<PassLedger>> PassLedger::create(const Job &job) {
  std::unique_ptr<PassLedger> ledger(new PassLedger(job.passes, takesIr(job.machine)));
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

/// Does nothing without a list.
void PassLedger::write(PassEvent::Kind kind, StringRef pass, StringRef unit) {
  if (m_file)
    *m_file << printPassEvent({kind, pass.str(), unit.str()});
}

/// Counts optional passes over the whole job; those after the limit are skipped.
bool PassLedger::mayRun(StringRef pass, StringRef unit) {
  write(PassEvent::Kind::Optional, pass, unit);
  return m_asked++ < m_passes.limit.value_or(UINT64_MAX);
}

/// A front end that starts without a stage of its own belongs to a compute shader: that ends the
/// last graphics stage.
void PassLedger::willRun(StringRef pass) {
  if (pass == frontEndPhase && !std::exchange(m_hasEntered, false) && m_stage) {
    m_stage = std::nullopt; // A compute shader follows a graphics pipeline.
    write(PassEvent::Kind::Stage, "", "");
  }
  write(PassEvent::Kind::Begin, pass, "");
}

/// Compares a digest of the module's text with that of the same stage after the pass before. The
/// first call for a stage returns true.
bool PassLedger::hasChanged(const Module &module) {
  std::string text;
  raw_string_ostream(text) << module;
  uint64_t now = xxh3_64bits(text);
  return std::exchange(m_digests[m_stage], now) != now;
}

/// Notes a new stage once; a repeated call for the same stage writes nothing.
void PassLedger::enterStage(ShaderStage stage) {
  if (m_stage != stage)
    write(PassEvent::Kind::Stage, getStageName(stage), "");
  m_stage = stage;
  m_hasEntered = true;
}

/// \p module is of m_stage, and \p isSnapshot says that it is what is asked for.
void PassLedger::keepStage(const Module &module, bool isSnapshot) {
  bool isPast = isPastSnapshot() && !isSnapshot;
  std::string &text = m_stages[*m_stage];
  if ((isPast && !text.empty()) || (m_isLinked && !isSnapshot))
    return;
  text.clear();
  raw_string_ostream(text) << module;
}

/// Returns the module after the chosen pass, or nothing where there were fewer passes. For graphics
/// pipelines it is the text of all stages, each after a comment line.
std::optional<std::string> PassLedger::takeSnapshot() {
  if (!m_stage)
    return std::exchange(m_snapshot, std::nullopt);
  std::string whole;
  for (const auto &[stage, text] : m_stages)
    whole += ("; stage " + getStageName(stage) + "\n" + text).str();
  m_stages.clear();
  m_stage = std::nullopt;
  m_isLinked = false;
  return whole;
}

/// Passes of the front end do not count for the snapshot.
void PassLedger::didRun(StringRef pass, const Module &module) {
  if (m_file)
    write(PassEvent::Kind::End, pass, hasChanged(module) ? StringRef(changedWord) : "");
  bool isSnapshot = pass != frontEndPhase && ++m_ended == m_passes.snapshot;
  if (m_stage && m_keepsStages)
    keepStage(module, isSnapshot);
  if (!isSnapshot || m_stage)
    return;
  m_snapshot.emplace();
  raw_string_ostream(*m_snapshot) << module;
}
