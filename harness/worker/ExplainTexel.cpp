// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/worker/ExplainTexel.h"

#include "harness/run/OutcomeFile.h"
#include "harness/run/References.h"
#include "harness/worker/Pictures.h"
#include "oracles/execution/Judge.h"
#include "oracles/execution/TexelText.h"
#include "oracles/machine/spirv/SpirvMachine.h"
#include "reports/Evidence.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace assay;

namespace {
/// The texel that is explained.
struct Subject {
  /// Index in Case::buffers.
  unsigned buffer = 0;
  TexelLocation texel = {};
};
} // namespace

/// Returns the texel that contains the first differing byte; nullopt where the buffer is no image,
/// or where no graphics pipeline draws into that level.
static std::optional<Subject> findSubject(const Case &input, const Verdict &verdict) {
  if (!verdict.firstDifference)
    return std::nullopt;
  auto buffer = find_if(input.buffers, [&](const Buffer &each) {
    return each.name == verdict.firstDifference->buffer;
  });
  if (buffer == input.buffers.end())
    return std::nullopt;
  Subject subject;
  subject.buffer = static_cast<unsigned>(buffer - input.buffers.begin());
  std::optional<TexelLocation> texel = locateTexel(*buffer, verdict.firstDifference->byteOffset);
  if (!texel || !isDrawnInto(input, subject.buffer, texel->level))
    return std::nullopt;
  subject.texel = *texel;
  return subject;
}

/// Lines of a history, the last ones.
static constexpr size_t MostLines = 64;

/// Runs the reference once more, for what it does to the texel.
static void addHistory(const Job &job, const Case &input, const Subject &subject,
                       Finding &finding) {
  const TexelLocation &texel = subject.texel;
  TexelInspection inspection{subject.buffer, texel.x,     texel.y,
                             texel.layer,    texel.level, texel.sample};
  SpirvMachineOptions machine;
  machine.inspection = &inspection;
  machine.schedules = 1;
  RunOptions options;
  options.maxInstructions = referenceInstructions(job.limits);
  options.seed = job.seed;
  options.isValidated = true;
  Expected<Outcome> outcome = createSpirvMachine(machine)->run(input, {}, options);
  if (!outcome)
    consumeError(outcome.takeError()); // What was seen until then is as good.
  ArrayRef<std::string> history = inspection.history;
  if (size_t left = history.size() - std::min(history.size(), MostLines)) {
    finding.evidence.emplace_back(historyEvidence.str(),
                                  std::to_string(left) + " earlier ones are left out");
    history = history.drop_front(left);
  }
  for (const std::string &line : history)
    finding.evidence.emplace_back(historyEvidence.str(), line);
  if (!inspection.primitive.empty())
    finding.message += "; drawn by " + inspection.primitive;
}

/// Adds \p png as a data URI under the evidence \p name. A picture that could not be made is left
/// out.
static void addPicture(StringRef name, Expected<std::string> png, Finding &finding) {
  if (!png)
    return consumeError(png.takeError());
  finding.evidence.emplace_back(name.str(), makePictureUri(*png));
}

/// Adds pictures of the image at the finding's checkpoint. Without a checkpoint or a reference
/// there is one picture, of the last checkpoint in the former case.
static void addPictures(const Job &job, const Case &input, const Outcome &outcome,
                        const Subject &subject, Finding &finding) {
  std::optional<size_t> checkpoint = getCheckpoint(finding);
  const Buffer &buffer = input.buffers[subject.buffer];
  const TexelLocation &texel = subject.texel;
  PicturePlace place{texel.layer, texel.level, texel.sample};
  const auto &last = outcome.checkpoints;
  if (last.empty() || checkpoint.value_or(0) >= last.size())
    return;
  const BufferState &actual = last[checkpoint.value_or(last.size() - 1)][subject.buffer];
  if (!checkpoint || job.referenceFile.empty())
    return addPicture(actualPicture, makePicture(buffer, actual, place), finding);
  Expected<Outcome> reference = readOutcomeFile(job.referenceFile, job.limits.fileBytes);
  if (!reference)
    return consumeError(reference.takeError());
  const BufferState &expected = reference->checkpoints[*checkpoint][subject.buffer];
  addPicture(expectedPicture, makePicture(buffer, expected, place), finding);
  addPicture(actualPicture, makePicture(buffer, actual, place), finding);
  addPicture(differencePicture, makeDifferencePicture(buffer, expected, actual, place), finding);
}

/// Adds the texel's history and pictures to the first REF-DIFF or EXPECT error. Does nothing where
/// the first difference is in no attachment.
void assay::explainTexel(const Job &job, const Case &input, const Outcome &outcome,
                         Verdict &verdict) {
  auto finding = find_if(verdict.findings, [&](const Finding &each) {
    return each.severity == Severity::Error && (each.rule == "REF-DIFF" || each.rule == "EXPECT");
  });
  std::optional<Subject> subject = findSubject(input, verdict);
  if (finding == verdict.findings.end() || !subject)
    return;
  addHistory(job, input, *subject, *finding);
  addPictures(job, input, outcome, *subject, *finding);
}
