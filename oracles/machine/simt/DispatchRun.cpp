// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/simt/DispatchRun.h"

#include "support/Fault.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>

using namespace llvm;
using namespace assay;
using namespace assay::simt;

/// A cohort that runs before its turn may wait for what only an earlier one will write. It is given
/// up once it has run so many times as long as the first one of the batch, and a little longer.
static constexpr uint64_t SpeculativeInstructions = 1 << 16;
static constexpr uint64_t SpeculativeFactor = 4;
/// Nor does it keep a longer trace; in its turn it is written as it comes.
static constexpr size_t SpeculativeTrace = size_t(16) << 20;
/// Cohorts that run at the same time, for each thread, before their writes are made.
static constexpr uint64_t BatchPerThread = 4;
/// Cohorts that run one after the other once those of a batch were found to depend on each other.
static constexpr uint64_t FirstSerialRun = 16;
static constexpr uint64_t MaxSerialRun = 4096;
/// A chosen schedule has up to this many workgroups in flight, and not more waves than that.
static constexpr uint64_t MaxGroupsInFlight = 4;
static constexpr uint64_t MaxWavesInFlight = 64;

DispatchModel::~DispatchModel() = default;

namespace {

class DispatchRunner {
public:
  DispatchRunner(DispatchModel &model, const uint32_t groups[3], RunContext &context);
  DispatchResult run();

private:
  /// A cohort that runs before its turn.
  struct Speculation {
    std::unique_ptr<CohortMemory> memory;
    CohortResult result;
    RaceBuffer races;
    std::string trace;
  };

  SmallVector<uint64_t, 4> groupsOf(uint64_t cohort) const;
  uint64_t seedOf(uint64_t cohort) const;
  CohortResult runOne(uint64_t cohort, CohortMemory &memory, RaceSink *races, raw_ostream *trace,
                      function_ref<bool(uint64_t)> mayContinue = nullptr);
  std::unique_ptr<CohortMemory> makeMemory(bool overlaid) {
    return std::make_unique<CohortMemory>(m_model.memory(), m_model.privateRange(),
                                          m_groupsInFlight, overlaid);
  }
  uint64_t budget() const { return m_options.maxInstructions - m_result.instructions; }
  bool runSerially();
  bool runBatch();
  void speculate(uint64_t count);
  bool isGood(uint64_t place) const;
  bool finish(uint64_t cohort, CohortResult &result);

  DispatchModel &m_model;
  uint32_t m_groups[3];
  RunContext &m_context;
  const RunOptions &m_options;
  ScheduleLog &m_log;
  uint64_t m_groupCount;
  Order m_order;
  uint64_t m_groupsInFlight = 1;
  uint64_t m_cohorts = 0;
  uint64_t m_next = 0;   ///< Cohort.
  uint64_t m_serial = 0; ///< Cohorts that are to run one after the other.
  uint64_t m_serialRun = FirstSerialRun;
  std::unique_ptr<CohortMemory> m_memory;
  std::unique_ptr<RaceDetector> m_races; ///< Null: they are not looked for.
  std::vector<Speculation> m_batch;
  std::unique_ptr<DefaultThreadPool> m_pool;
  DispatchResult m_result;
};

} // namespace

/// A schedule seed draws how many groups are in flight; without one it is one at a time. Races are
/// looked for only where two waves exist.
DispatchRunner::DispatchRunner(DispatchModel &model, const uint32_t groups[3], RunContext &context)
    : m_model(model), m_groups{groups[0], groups[1], groups[2]}, m_context(context),
      m_options(context.options), m_log(context.log),
      m_groupCount(uint64_t(groups[0]) * groups[1] * groups[2]),
      m_order(m_groupCount, scheduleHeaderOf(m_options).scheduleSeed) {
  if (uint64_t seed = scheduleHeaderOf(m_options).scheduleSeed) {
    uint64_t waves = std::max(1u, model.wavesPerGroup());
    m_groupsInFlight = 1 + Random(seed ^ m_log.dispatch()).next() % MaxGroupsInFlight;
    m_groupsInFlight =
        std::max<uint64_t>(1, std::min({m_groupsInFlight, MaxWavesInFlight / waves, m_groupCount}));
  }
  if (m_options.sanitize && m_groupCount * model.wavesPerGroup() > 1)
    m_races = std::make_unique<RaceDetector>(model.raceOptions());
  m_cohorts = divideCeil(m_groupCount, m_groupsInFlight);
}

/// Returns the numbers of the groups in the order of the schedule.
SmallVector<uint64_t, 4> DispatchRunner::groupsOf(uint64_t cohort) const {
  SmallVector<uint64_t, 4> groups;
  uint64_t end = std::min((cohort + 1) * m_groupsInFlight, m_groupCount);
  for (uint64_t turn = cohort * m_groupsInFlight; turn < end; ++turn)
    groups.push_back(m_order[turn]);
  return groups;
}

/// 0 where nothing is chosen; else another one for each cohort.
uint64_t DispatchRunner::seedOf(uint64_t cohort) const {
  uint64_t seed = scheduleHeaderOf(m_options).scheduleSeed;
  if (!seed)
    return 0;
  Random random(seed ^ uint64_t(m_log.dispatch()) << 40 ^ cohort << 1);
  return random.next() | 1;
}

/// Resets \p memory first. \p mayContinue may stop the run early.
CohortResult DispatchRunner::runOne(uint64_t cohort, CohortMemory &memory, RaceSink *races,
                                    raw_ostream *trace, function_ref<bool(uint64_t)> mayContinue) {
  SmallVector<uint64_t, 4> groups = groupsOf(cohort);
  memory.reset();
  CohortTask task{m_context,
                  m_log.dispatch(),
                  {m_groups[0], m_groups[1], m_groups[2]},
                  groups,
                  budget(),
                  m_log.choicesFor(cohort, groups, seedOf(cohort)),
                  races,
                  trace,
                  mayContinue};
  return runCohort(task, *m_model.createCohort(task, memory));
}

/// Appends those that say something new: workgroups tend to object alike.
static void addReports(std::vector<Finding> &reports, ArrayRef<Finding> more) {
  for (const Finding &finding : more) {
    bool known = any_of(reports, [&](const Finding &other) {
      return other.signature == finding.signature && other.location == finding.location;
    });
    if (!known)
      reports.push_back(finding);
  }
}

/// Takes over what came of \p cohort, in its turn. False: the dispatch ends with it.
bool DispatchRunner::finish(uint64_t cohort, CohortResult &result) {
  m_result.instructions += result.instructions;
  addReports(m_result.reports, result.reports);
  if (m_races)
    addReports(m_result.reports, m_races->takeReports());
  m_log.note(cohort, groupsOf(cohort), result.choices);
  m_result.failure = std::move(result.failure);
  if (result.isOff)
    m_result.failure = {
        OutcomeKind::Invalid, "schedule log: its choices are not those of this code and input", {}};
  return m_result.failure.kind == OutcomeKind::Completed;
}

/// Runs the next cohort on the memory itself. False ends the dispatch.
bool DispatchRunner::runSerially() {
  if (!m_memory)
    m_memory = makeMemory(/*overlaid=*/false);
  CohortResult result = runOne(m_next, *m_memory, m_races.get(), m_options.trace.out);
  return finish(m_next++, result);
}

/// Runs \p count cohorts from m_next on, on what memory holds now.
void DispatchRunner::speculate(uint64_t count) {
  while (m_batch.size() < count)
    m_batch.push_back({makeMemory(/*overlaid=*/true), {}, {}, {}});
  std::atomic<uint64_t> next = 0;
  std::atomic<uint64_t> first = 0; ///< Instructions of the one whose turn it is.
  auto work = [&] {
    for (uint64_t place; (place = next++) < count;) {
      Speculation &each = m_batch[place];
      auto mayContinue = [&](uint64_t instructions) {
        if (place == 0)
          first = instructions;
        bool isLong = instructions > SpeculativeInstructions + SpeculativeFactor * first;
        return (place == 0 || !isLong) && each.trace.size() <= SpeculativeTrace;
      };
      each.races = RaceBuffer();
      each.trace.clear();
      raw_string_ostream trace(each.trace);
      each.result = runOne(m_next + place, *each.memory, m_races ? &each.races : nullptr,
                           m_options.trace.out ? &trace : nullptr, mayContinue);
    }
  };
  for (unsigned thread = 0; thread < m_options.threads; ++thread)
    m_pool->async(work);
  m_pool->wait();
}

/// Whether \p place of the batch would have run the same in its turn, which is now.
bool DispatchRunner::isGood(uint64_t place) const {
  const CohortResult &result = m_batch[place].result;
  if (m_batch[place].races.isFull() || result.wasStopped)
    return false;
  if (place == 0)
    return true;
  if (result.failure.kind == OutcomeKind::Timeout || result.instructions > budget())
    return false;
  if (faultPlanted(Fault::ThreadsBlind))
    return true;
  return none_of(ArrayRef(m_batch).take_front(place), [&](const Speculation &earlier) {
    return m_batch[place].memory->overlay().reads(earlier.memory->overlay());
  });
}

/// Runs some cohorts at the same time, then makes their writes in their order; one that read what
/// an earlier one has written runs again. False: the dispatch has ended.
bool DispatchRunner::runBatch() {
  uint64_t count = std::min(m_options.threads * BatchPerThread, m_cohorts - m_next);
  speculate(count);
  uint64_t again = 0;
  for (uint64_t place = 0; place < count; ++place, ++m_next) {
    Speculation &each = m_batch[place];
    if (isGood(place)) {
      if (m_races)
        each.races.drainInto(*m_races);
      if (m_options.trace.out)
        *m_options.trace.out << each.trace;
    } else {
      ++again;
      each.result = runOne(m_next, *each.memory, m_races.get(), m_options.trace.out);
    }
    if (faultPlanted(Fault::ThreadsCount))
      m_result.instructions += each.result.instructions;
    each.memory->overlay().commit();
    if (!finish(m_next, each.result))
      return false;
  }
  bool dependsMuch = again > count / 4;
  m_serial = dependsMuch ? m_serialRun : 0;
  m_serialRun = dependsMuch ? std::min(m_serialRun * 2, MaxSerialRun) : FirstSerialRun;
  return true;
}

/// Runs batches of cohorts on threads. Without threads, while m_serial is not 0, and for the last
/// cohort, it runs one at a time.
DispatchResult DispatchRunner::run() {
  if (m_options.threads > 1 && m_cohorts > 1)
    m_pool = std::make_unique<DefaultThreadPool>(hardware_concurrency(m_options.threads));
  while (m_next < m_cohorts) {
    bool isSerial = !m_pool || m_serial || m_next + 1 == m_cohorts;
    m_serial -= m_serial ? 1 : 0;
    if (!(isSerial ? runSerially() : runBatch()))
      break;
  }
  return std::move(m_result);
}

/// Unsupported for more than 2^26 workgroups.
DispatchResult simt::runDispatch(DispatchModel &model, const uint32_t groups[3],
                                 RunContext &context) {
  uint64_t count = SaturatingMultiply(uint64_t(groups[0]) * groups[1], uint64_t(groups[2]));
  if (count > (uint64_t(1) << 26)) {
    DispatchResult result;
    result.failure = {
        OutcomeKind::Unsupported, "a dispatch of " + utostr(count) + " workgroups", {}};
    return result;
  }
  context.log.beginDispatch();
  return DispatchRunner(model, groups, context).run();
}
