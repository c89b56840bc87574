// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Does to the passes of a job what JobPasses asks for.
#pragma once

#include "compiler/driver/PassWatcher.h"
#include "harness/run/Job.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <memory>
#include <optional>

namespace assay {

/// Counts over all pipelines of the job, one compiled after the other.
class PassLedger final : public PassWatcher {
public:
  /// Environment when the file can't be made.
  static llvm::Expected<std::unique_ptr<PassLedger>> create(const Job &job);

  /// Writes an event where the stage is another one than the last.
  void enterStage(ShaderStage stage) override;
  void didLink() override { m_isLinked = true; }
  /// False from optional pass number JobPasses::limit on. Counts from 0.
  bool mayRun(llvm::StringRef pass, llvm::StringRef unit) override;
  /// Writes the begin. A front-end that begins without enterStage() belongs to a compute shader.
  void willRun(llvm::StringRef pass) override;
  /// Writes the end with whether the module has changed, and keeps texts for the snapshot.
  void didRun(llvm::StringRef pass, const llvm::Module &module) override;

  /// Whether the snapshot that is asked for lies before the next pass.
  bool isPastSnapshot() const { return m_passes.snapshot && m_ended >= *m_passes.snapshot; }
  /// The module as text where the snapshot was reached since the last call. Of a graphics
  /// pipeline always, all stages, each after a line "; stage NAME".
  std::optional<std::string> takeSnapshot();

private:
  PassLedger(const JobPasses &passes, bool keepsStages)
      : m_passes(passes), m_keepsStages(keepsStages) {}
  /// Whether \p module is not as it was when this was asked last. Passes' own word - what they
  /// preserve - is not enough: LLVM's indvars changes loops and says that it did not.
  bool hasChanged(const llvm::Module &module);
  /// Appends an event to the passes file, if the job wants one.
  void write(PassEvent::Kind kind, llvm::StringRef pass, llvm::StringRef unit);
  void keepStage(const llvm::Module &module, bool isSnapshot);

  JobPasses m_passes;
  const bool m_keepsStages;                     ///< Machine ir runs them.
  std::unique_ptr<llvm::raw_fd_ostream> m_file; ///< Null: nobody wants it.
  uint64_t m_asked = 0;                         ///< Optional passes.
  uint64_t m_ended = 0;                         ///< Passes of the middle-end.
  std::optional<std::string> m_snapshot; ///< Outside of graphics pipelines, until it is taken.
  std::optional<ShaderStage> m_stage;    ///< Of a graphics pipeline.
  bool m_hasEntered = false;             ///< It, since the last front-end began.
  bool m_isLinked = false;
  /// As they are, up to the snapshot: with the first text of a stage that comes later.
  std::map<ShaderStage, std::string> m_stages;
  std::map<std::optional<ShaderStage>, uint64_t> m_digests; ///< Of the text of each module.
};

} // namespace assay
