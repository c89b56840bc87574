// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/gcn/GcnMachine.h"

#include "oracles/machine/CaseRun.h"
#include "oracles/machine/gcn/Launch.h"
#include "oracles/machine/gcn/Scheduler.h"
#include "oracles/machine/gcn/Schedules.h"
#include "oracles/machine/gcn/Trace.h"
#include "support/Error.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;
using namespace assay;
using namespace assay::gcn;

namespace {

class GcnMachine final : public Machine {
public:
  explicit GcnMachine(const TargetInfo &target) : m_target(target) {}
  StringRef name() const override { return "gcn"; }
  Expected<Outcome> run(const Case &input, ArrayRef<Artifact> artifacts,
                        const RunOptions &options) override;

private:
  Expected<bool> dispatch(const Case &input, const Dispatch &dispatch, CodeImage &image,
                          std::vector<BufferState> &buffers, Outcome &outcome, RunContext &context);
  Expected<Outcome> runOnce(const Case &input, std::vector<CodeImage> &images, RunContext &context);

  const TargetInfo &m_target;
};

} // namespace

static std::vector<uint64_t> addressesOf(const Case &input) {
  return placeBuffers(
      map_to_vector(input.buffers, [](const Buffer &buffer) { return buffer.bytes.size(); }));
}

/// Of all that a run depends on, but for its options.
static std::string digestOf(const Case &input, ArrayRef<Artifact> artifacts) {
  std::vector<uint64_t> parts;
  for (const Artifact &artifact : artifacts)
    parts.push_back(xxh3_64bits(artifact.elf));
  for (const Buffer &buffer : input.buffers)
    parts.push_back(xxh3_64bits(buffer.bytes));
  return utohexstr(xxh3_64bits(ArrayRef(reinterpret_cast<const uint8_t *>(parts.data()),
                                        parts.size() * sizeof(uint64_t))),
                   /*LowerCase=*/true, 16);
}

/// Whether \p spirv has atomic loads or stores: machine code does not say so of its own.
static bool hasAtomicMoves(ArrayRef<uint32_t> spirv) {
  static constexpr spv::Op Moves[] = {spv::Op::OpAtomicLoad, spv::Op::OpAtomicStore,
                                      spv::Op::OpAtomicFlagTestAndSet, spv::Op::OpAtomicFlagClear};
  constexpr size_t HeaderWords = 5;
  for (size_t at = HeaderWords; at < spirv.size(); at += std::max(1u, spirv[at] >> 16))
    if (is_contained(Moves, spv::Op(spirv[at] & 0xffff)))
      return true;
  return false;
}

Expected<bool> GcnMachine::dispatch(const Case &input, const Dispatch &dispatch, CodeImage &image,
                                    std::vector<BufferState> &buffers, Outcome &outcome,
                                    RunContext &context) {
  const CasePipeline &pipeline = input.pipelines[dispatch.pipeline];
  auto descriptors = makeDescriptors(input, pipeline, addressesOf(input), m_target.major,
                                     image.launch.hasPlanarLines);
  if (!descriptors)
    return descriptors.takeError();
  Launch launch(image, m_target, pipeline, *descriptors, dispatch.groups, buffers,
                context.options.seed);
  context.atomicMoves = hasAtomicMoves(pipeline.description.compute.spirv);
  DispatchResult result = runDispatch(launch, dispatch.groups, context);
  outcome.instructions += result.instructions;
  append_range(outcome.findings, result.reports);
  auto worst =
      find_if(result.reports, [](const Finding &each) { return each.severity == Severity::Error; });
  if (worst != result.reports.end() && outcome.kind == OutcomeKind::Completed) {
    outcome.kind = OutcomeKind::Hazard;
    outcome.reason = worst->rule + ": " + worst->message;
  }
  append_range(outcome.findings, result.failure.findings);
  if (result.failure.kind == OutcomeKind::Completed)
    return true;
  outcome.kind = result.failure.kind;
  outcome.reason = result.failure.reason;
  return false;
}

Expected<Outcome> GcnMachine::runOnce(const Case &input, std::vector<CodeImage> &images,
                                      RunContext &context) {
  std::vector<uint64_t> addresses = addressesOf(input);
  return runCommands(
      input,
      [&](const Dispatch &command, std::vector<BufferState> &buffers, Outcome &outcome) {
        return dispatch(input, command, images[command.pipeline], buffers, outcome, context);
      },
      [&](unsigned buffer) { return addresses[buffer]; });
}

/// What code has written into its image is gone before the next run.
static void restoreSections(std::vector<CodeImage> &images,
                            const std::vector<std::vector<ImageSection>> &sections) {
  for (auto [image, pristine] : zip_equal(images, sections))
    for (auto [section, original] : zip_equal(image.sections, pristine))
      if (section.writable)
        section.bytes = original.bytes;
}

static Outcome makeInvalid(std::string reason) {
  Outcome outcome;
  outcome.kind = OutcomeKind::Invalid;
  outcome.reason = std::move(reason);
  return outcome;
}

static unsigned widestWave(ArrayRef<CodeImage> images) {
  unsigned waveSize = 0;
  for (const CodeImage &image : images)
    waveSize = std::max(waveSize, image.launch.waveSize);
  return waveSize;
}

/// Of a run that ended well, says so when nothing was traced that was asked for.
static void checkTrace(const TraceOptions &options, uint64_t bytes, Outcome &outcome) {
  if (outcome.kind != OutcomeKind::Completed && outcome.kind != OutcomeKind::Hazard)
    return;
  if (std::string reason = explainTrace(options, bytes); !reason.empty())
    outcome = makeInvalid(std::move(reason));
}

Expected<Outcome> GcnMachine::run(const Case &input, ArrayRef<Artifact> artifacts,
                                  const RunOptions &options) {
  if (!input.unsupported.empty())
    return unsupported(input.unsupported.front().reason);
  if (artifacts.size() != input.pipelines.size())
    return invalidInput("gcn: " + Twine(input.pipelines.size()) + " pipelines, but " +
                        Twine(artifacts.size()) + " artifacts");
  std::vector<CodeImage> images;
  for (auto [pipeline, artifact] : zip(input.pipelines, artifacts)) {
    Expected<CodeImage> image = loadCode(artifact.elf, m_target);
    if (!image)
      return addContext(image.takeError(), "pipeline '" + pipeline.name + "'");
    images.push_back(std::move(*image));
  }
  bool traces = options.trace.out && !images.empty();
  if (traces)
    if (std::string reason = refuseTrace(options.trace, widestWave(images)); !reason.empty())
      return makeInvalid(std::move(reason));
  std::vector<std::vector<ImageSection>> sections;
  for (const CodeImage &image : images)
    sections.push_back(image.sections);
  std::string digest = digestOf(input, artifacts);
  auto runWith = [&](const RunOptions &each, Witness *witness) -> Expected<Outcome> {
    Expected<ScheduleLog> log = ScheduleLog::create(each, digest);
    if (!log)
      return makeInvalid(assay::takeError(log.takeError()).message);
    restoreSections(images, sections);
    RunContext context{each, std::move(*log), /*atomicMoves=*/false, witness};
    return runOnce(input, images, context);
  };
  uint64_t begin = options.trace.out ? options.trace.out->tell() : 0;
  Expected<Outcome> outcome =
      options.schedules > 1 ? runSchedules(input, options, runWith) : runWith(options, nullptr);
  if (outcome && traces)
    checkTrace(options.trace, options.trace.out->tell() - begin, *outcome);
  return outcome;
}

std::unique_ptr<Machine> assay::createGcnMachine(const TargetInfo &target) {
  return std::make_unique<GcnMachine>(target);
}
