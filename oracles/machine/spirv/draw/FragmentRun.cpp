// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/spirv/draw/FragmentRun.h"

#include "oracles/machine/spirv/Snapshot.h"
#include "oracles/machine/spirv/draw/PathTree.h"
#include "oracles/machine/spirv/math/FloatMath.h"
#include "support/Fault.h"
#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cmath>
#include <thread>

using namespace llvm;
using namespace assay;
using namespace assay::reference;
using spirv::TypeKind;

/// Quads that one thread runs one after the other. Part of no result.
static constexpr size_t QuadsPerChunk = 32;

/// What came of a chunk of quads.
struct FragmentRun::Chunk {
  size_t first = 0;
  uint64_t instructions = 0;
  uint64_t budget = 0; ///< Instructions that it may execute.
  Ending ending = {};
  std::string imprecision = {};
};

/// What a thread runs fragments with.
struct FragmentRun::Worker {
  std::unique_ptr<Execution> execution;
  std::unique_ptr<PathTree> paths; ///< Null where a fragment always needs a plain run.
  GroupSnapshot snapshot = {};     ///< Between quads, only its memory counts.
};

/// Runs one quad after another on one Execution.
class FragmentRun::QuadRun {
public:
  QuadRun(Worker &worker, uint32_t group, std::string &imprecision)
      : m_execution(*worker.execution), m_paths(worker.paths.get()), m_group(group),
        m_imprecision(imprecision), m_snapshot(worker.snapshot) {
    m_snapshot.tangle = 0;
  }
  ~QuadRun() { m_execution.keepSnapshots(0, nullptr); }

  using QuadOutputs = std::array<raster::FragmentOutput, 4>;
  /// The fragments in the mask \p present; false when the run was stopped.
  bool run(ArrayRef<FragmentPlace> places, uint32_t present, QuadOutputs &outputs);

private:
  raster::FragmentOutput takeFragment(Invocation &invocation);
  raster::FragmentOutput openOutput() const;
  bool runOnce(ArrayRef<FragmentPlace> places, uint32_t present, QuadOutputs &outputs);
  bool runPaths(ArrayRef<FragmentPlace> places, uint32_t present, QuadOutputs &outputs);
  bool runAllWays(ArrayRef<FragmentPlace> places, uint32_t present, QuadOutputs &outputs,
                  std::optional<uint32_t> chooser = std::nullopt);
  bool runValues(ArrayRef<FragmentPlace> places, uint32_t present, QuadOutputs &outputs);
  bool runEach(ArrayRef<FragmentPlace> places, uint32_t present, QuadOutputs &outputs,
               bool takesValues);
  bool needsValues(ArrayRef<FragmentPlace> places, const QuadOutputs *outputs) const;
  bool leavesOpen() const;
  const Program &program() const { return m_execution.program(); }

  Execution &m_execution;
  PathTree *m_paths;
  uint32_t m_group;
  std::string &m_imprecision; ///< Of the chunk: the first branch left open.
  Ways m_ways;                ///< Of the current series of runs.
  bool m_isTooMuch = false;   ///< See runAllWays().
  /// The quad before the last tangle that all ways have in common, what fragments had then ended
  /// with, and who is present in it.
  GroupSnapshot &m_snapshot;
  QuadOutputs m_keptOutputs;
  uint32_t m_keptPresent = 0;
};

/// Of isIntegerRange(): the same numbers, if the output's type has them.
static raster::Component componentOfIntegers(const Scalar &value, const InterfaceScalar &output) {
  double limit = powerOfTwo(output.isSigned ? 31 : 32);
  if (value.lo < (output.isSigned ? -limit : 0) || value.hi >= limit)
    return raster::Component::open();
  raster::Component component;
  component.range = {value.lo, value.hi};
  component.nominal = component.range.middle();
  return component;
}

/// A component that the shader wrote, for the model.
static raster::Component componentOf(const Scalar &value, const InterfaceScalar &output) {
  if (isIntegerRange(value) && output.kind != TypeKind::Float)
    return componentOfIntegers(value, output);
  if (value.isPoison())
    return raster::Component::open();
  if (output.kind != TypeKind::Float) {
    auto bits = static_cast<uint32_t>(value.bits);
    return raster::Component::point(output.isSigned ? double(static_cast<int32_t>(bits))
                                                    : double(bits));
  }
  FloatRules rules;
  rules.width = output.width;
  Interval interval = reference::intervalOf(settle(value, output.width), rules);
  raster::Component component;
  component.range = {interval.lo, interval.hi};
  // A zero of either sign is stored as implementations do: without a sign.
  if (interval.lo == 0 && interval.hi == 0 &&
      std::signbit(interval.lo) != std::signbit(interval.hi))
    component.range = raster::Range::point(0);
  component.mayBeNan = interval.nan;
  return component;
}

/// The outputs of one fragment. Components of a colour that were not written are open. Stops the
/// run for a stencil reference or a sample mask that is poison.
raster::FragmentOutput FragmentRun::QuadRun::takeFragment(Invocation &invocation) {
  using spv::BuiltIn;
  raster::FragmentOutput result;
  if (invocation.isKilled) {
    result.isKept = raster::Answer::No;
    return result;
  }
  for (const InterfaceScalar &output : program().shaderOutputs) {
    const Scalar &value = invocation.stack[output.slot];
    if (!output.builtIn) {
      auto color = find_if(result.colors, [&](const raster::ColorOutput &each) {
        return each.location == output.location && each.index == output.index;
      });
      if (color == result.colors.end()) {
        raster::ColorOutput fresh;
        fresh.location = output.location;
        fresh.index = output.index;
        fresh.value.fill(raster::Component::open());
        result.colors.push_back(fresh);
        color = std::prev(result.colors.end());
      }
      unsigned component = output.component & 3;
      if (faultPlanted(Fault::ReferenceSwapsColors) && component < 2)
        component ^= 1;
      color->value[component] = componentOf(value, output);
    } else if (*output.builtIn == BuiltIn::FragDepth) {
      result.depth = componentOf(value, output);
    } else if (*output.builtIn == BuiltIn::FragStencilRefEXT) {
      if (value.isPoison())
        m_execution.stopUnsupported("imprecise: a stencil reference that may be anything");
      result.stencilReference = static_cast<uint32_t>(value.bits);
    } else if (*output.builtIn == BuiltIn::SampleMask && !output.component) {
      if (value.isPoison())
        m_execution.stopUnsupported("imprecise: a sample mask that may be anything");
      result.sampleMask = static_cast<uint32_t>(value.bits);
    }
  }
  return result;
}

/// Runs the fragments in the mask \p present; false when the run was stopped.
bool FragmentRun::QuadRun::runOnce(ArrayRef<FragmentPlace> places, uint32_t present,
                                   QuadOutputs &outputs) {
  auto start = [&](Invocation &invocation) {
    const FragmentPlace &place = places[invocation.localIndex];
    invocation.fragment = &place;
    const raster::Fragment &fragment = place.get();
    invocation.isHelper = fragment.isHelper;
    invocation.isUncertain = !fragment.isHelper && !fragment.coverage.certain;
    for (const InterfaceScalar &input : program().shaderInputs)
      invocation.stack[input.slot] = place.inputs->getInput(input, place, invocation);
  };
  auto end = [&](Invocation &invocation) {
    if (!places[invocation.localIndex].get().isHelper)
      outputs[invocation.localIndex] = takeFragment(invocation);
  };
  if (m_snapshot.tangle && present == m_keptPresent) {
    outputs = m_keptOutputs;
    return m_execution.resumeGroup(m_group, m_snapshot, {start, end}) &&
           m_execution.ending().kind == OutcomeKind::Completed;
  }
  bool isGood = m_execution.runGroup(m_group, present, {start, end}) &&
                m_execution.ending().kind == OutcomeKind::Completed;
  if (m_snapshot.tangle && !m_keptPresent) {
    m_keptPresent = present;
    m_keptOutputs = outputs;
    m_execution.keepSnapshots(0, nullptr);
  }
  return isGood;
}

/// What is known of a fragment of which nothing is known.
raster::FragmentOutput FragmentRun::QuadRun::openOutput() const {
  raster::FragmentOutput result;
  result.isKept = raster::Answer::Maybe;
  for (const InterfaceScalar &output : program().shaderOutputs)
    if (output.builtIn == spv::BuiltIn::FragDepth)
      result.depth = raster::Component::open();
  return result;
}

/// Whether a run was stopped by what precision leaves open, and openOutput() can say so.
bool FragmentRun::QuadRun::leavesOpen() const {
  return m_execution.ending().kind == OutcomeKind::Unsupported &&
         StringRef(m_execution.ending().reason).starts_with("imprecise: ") &&
         none_of(program().shaderOutputs, [](const InterfaceScalar &output) {
           return output.builtIn == spv::BuiltIn::FragStencilRefEXT;
         });
}

/// Whether two results are the same, intervals included. Their alternatives are not compared.
static bool areEqual(const raster::FragmentOutput &a, const raster::FragmentOutput &b) {
  auto sameColor = [](const raster::ColorOutput &x, const raster::ColorOutput &y) {
    return x.location == y.location && x.index == y.index && x.value == y.value;
  };
  return a.isKept == b.isKept && a.depth == b.depth && a.stencilReference == b.stencilReference &&
         a.sampleMask == b.sampleMask &&
         std::equal(a.colors.begin(), a.colors.end(), b.colors.begin(), b.colors.end(), sameColor);
}

/// Runs of one quad, or of one fragment, before all of its outputs are open.
static constexpr unsigned MaxRuns = 16;

/// Takes all ways at open branches and, with \p chooser (as of Ways::restart()), all values that
/// this fragment may get, whose output alone is taken then, or all may. Where that takes too many
/// runs, the outputs are open; with \p chooser, they are left as they are, and m_isTooMuch is set.
bool FragmentRun::QuadRun::runAllWays(ArrayRef<FragmentPlace> places, uint32_t present,
                                      QuadOutputs &outputs, std::optional<uint32_t> chooser) {
  std::array<std::vector<raster::FragmentOutput>, 4> results;
  m_ways.restart(chooser);
  bool isOpen = false;
  for (unsigned runs = 0; !isOpen && (runs == 0 || m_ways.advance()); ++runs) {
    QuadOutputs one;
    if (runs == MaxRuns) {
      isOpen = true;
    } else if (!runOnce(places, present, one)) {
      if (m_ways.hasChosen() && m_execution.ending().kind == OutcomeKind::UndefinedBehavior) {
        m_execution.stopUnsupported("imprecise: after a branch that depends on rounding, " +
                                    std::string(m_execution.ending().reason));
        return false;
      }
      isOpen = leavesOpen();
      if (!isOpen)
        return false;
      if (m_imprecision.empty())
        m_imprecision = StringRef(m_execution.ending().reason).drop_front(11).str();
      m_execution.abandonGroup();
    }
    for (unsigned i = 0; i < 4 && !isOpen; ++i)
      if (none_of(results[i], [&](const auto &other) { return areEqual(other, one[i]); }))
        results[i].push_back(one[i]);
  }
  if (m_imprecision.empty() && m_ways.first())
    m_imprecision = describeInstruction(*m_ways.first());
  m_isTooMuch = isOpen && chooser;
  bool isTexelChoice = chooser && !m_ways.first() && !m_ways.sawIntegers();
  for (unsigned i = 0; i < 4 && !m_isTooMuch; ++i) {
    bool isWanted = !chooser || *chooser == i || *chooser == Ways::AllLanes;
    if (!(present >> i & 1) || !isWanted)
      continue;
    outputs[i] = isOpen ? openOutput() : results[i].front();
    if (!isOpen)
      outputs[i].others.assign(results[i].begin() + 1, results[i].end());
    outputs[i].othersAreTexels = isTexelChoice;
  }
  return true;
}
/// Whether values that were left open are worth another run: texels that a filter may choose, and
/// integers that left more open than themselves. \p outputs: of the run; null if it was stopped.
bool FragmentRun::QuadRun::needsValues(ArrayRef<FragmentPlace> places,
                                       const QuadOutputs *outputs) const {
  if (m_ways.sawTexels() || !m_ways.sawIntegers())
    return m_ways.sawTexels();
  if (!outputs || m_ways.first())
    return true;
  for (unsigned i = 0; i < 4; ++i)
    if (!places[i].get().isHelper)
      for (const raster::ColorOutput &color : (*outputs)[i].colors)
        if (any_of(color.value, [](const raster::Component &each) { return each.isOpen; }))
          return true;
  return false;
}

/// All ways and, with \p takesValues, values, where none of the fragments sees what another has
/// chosen: each takes its own in the same runs. False, with nothing done, where one does or a run
/// is stopped.
bool FragmentRun::QuadRun::runEach(ArrayRef<FragmentPlace> places, uint32_t present,
                                   QuadOutputs &outputs, bool takesValues) {
  uint32_t lanes = 0;
  for (uint32_t i = 0; i < 4; ++i)
    lanes |= uint32_t(present >> i & 1 && !places[i].get().isHelper) << i;
  std::array<std::vector<raster::FragmentOutput>, 4> results;
  m_ways.restartEach(lanes, takesValues);
  for (unsigned runs = 0; runs < MaxRuns && (runs == 0 || m_ways.advance()); ++runs) {
    QuadOutputs one;
    bool isGood = runOnce(places, present, one);
    if (!isGood)
      m_execution.abandonGroup();
    if (!isGood || m_execution.sharedChoices())
      return false;
    for (uint32_t i = 0; i < 4; ++i)
      if (none_of(results[i], [&](const auto &other) { return areEqual(other, one[i]); }))
        results[i].push_back(one[i]);
  }
  if (m_imprecision.empty() && m_ways.first())
    m_imprecision = describeInstruction(*m_ways.first());
  QuadOutputs plain;
  uint32_t tooMany = m_ways.advance() ? m_ways.pending() : 0;
  Ways ways = m_ways;
  if (tooMany && takesValues && !runEach(places, present, plain, false))
    return false;
  for (uint32_t i = 0; i < 4; ++i) {
    if (!(lanes >> i & 1))
      continue;
    if (tooMany >> i & 1) {
      outputs[i] = takesValues ? plain[i] : openOutput();
      continue;
    }
    outputs[i] = results[i].front();
    outputs[i].others.assign(results[i].begin() + 1, results[i].end());
    outputs[i].othersAreTexels = ways.choseTexelsAlone(i);
  }
  return true;
}

/// Each fragment by itself, with all values that it may get. Where they look at each other, those
/// of the others stay open then; where that opens their branches or is too much, all choose
/// together. If all of it is too much, values stay open.
bool FragmentRun::QuadRun::runValues(ArrayRef<FragmentPlace> places, uint32_t present,
                                     QuadOutputs &outputs) {
  bool maySeeOthers = !program().tangleSites.empty();
  bool mayChooseTogether = maySeeOthers;
  for (uint32_t i = 0; i < 4; ++i) {
    if (!(present >> i & 1) || places[i].get().isHelper)
      continue;
    uint32_t run = maySeeOthers ? present : 1u << i;
    if (!runAllWays(places, run, outputs, i))
      return false;
    bool isTooMuch = m_isTooMuch;
    if (mayChooseTogether && (isTooMuch || m_ways.first())) {
      if (!runAllWays(places, run, outputs, Ways::AllLanes))
        return false;
      if (!m_isTooMuch)
        return true;
      mayChooseTogether = false;
    }
    if (!isTooMuch)
      continue;
    QuadOutputs plain = outputs;
    if (!runAllWays(places, run, plain))
      return false;
    outputs[i] = plain[i];
  }
  return true;
}

/// Runs all fragments by the tree of paths. False: one of them requires a plain run, and nothing is
/// done.
bool FragmentRun::QuadRun::runPaths(ArrayRef<FragmentPlace> places, uint32_t present,
                                    QuadOutputs &outputs) {
  QuadOutputs results;
  uint64_t instructions = 0;
  bool isGood = true;
  for (uint32_t i = 0; i < 4 && isGood; ++i) {
    if (!(present >> i & 1))
      continue;
    Invocation *ended = m_paths->run(places[i], i);
    isGood = ended != nullptr;
    if (isGood) {
      results[i] = takeFragment(*ended);
      instructions += m_paths->instructions();
    }
  }
  isGood = isGood && m_execution.ending().kind == OutcomeKind::Completed && !m_ways.first() &&
           !m_ways.sawTexels() && !m_ways.sawIntegers() &&
           m_execution.countInstructions(instructions);
  if (isGood) {
    outputs = std::move(results);
    return true;
  }
  m_execution.abandonGroup(); // Forgets how it ended.
  m_ways.restart();
  return false;
}

/// Where a shader has effects, it runs once, and what precision leaves open ends the run.
bool FragmentRun::QuadRun::run(ArrayRef<FragmentPlace> places, uint32_t present,
                               QuadOutputs &outputs) {
  if (program().hasEffects)
    return runOnce(places, present, outputs);
  m_ways.restart();
  m_execution.setWays(&m_ways);
  if (m_paths && runPaths(places, present, outputs))
    return true;
  bool isDone = runOnce(places, present, outputs);
  bool usesValues = needsValues(places, isDone ? &outputs : nullptr);
  if (isDone && !m_ways.first() && !usesValues)
    return true;
  if (!isDone && !m_ways.first() && !usesValues && !leavesOpen())
    return false;
  if (!isDone)
    m_execution.abandonGroup();
  m_execution.keepSnapshots(m_execution.tanglesBeforeChoice(), &m_snapshot);
  if (!program().tangleSites.empty() && runEach(places, present, outputs, usesValues))
    return true;
  if (usesValues)
    return runValues(places, present, outputs);
  if (!program().tangleSites.empty()) // All four look at each other.
    return runAllWays(places, present, outputs);
  for (unsigned i = 0; i < 4; ++i)
    if (present >> i & 1 && !runAllWays(places, 1u << i, outputs))
      return false;
  return true;
}

/// Takes one execution for each worker thread; there must be at least one. A worker shares paths
/// where the shader permits it.
FragmentRun::FragmentRun(std::vector<std::unique_ptr<Execution>> executions,
                         const FragmentInputs &inputs, unsigned samples, uint64_t maxInstructions)
    : m_inputs(inputs), m_samples(samples), m_maxInstructions(maxInstructions) {
  assert(!executions.empty());
  for (std::unique_ptr<Execution> &execution : executions) {
    bool hasPaths = PathTree::isFor(*execution);
    Execution &fragments = *execution;
    m_workers.push_back(
        {std::move(execution), hasPaths ? std::make_unique<PathTree>(fragments) : nullptr});
  }
}

FragmentRun::~FragmentRun() = default;

/// All workers execute the same program.
const Program &FragmentRun::program() const {
  return m_workers.front().execution->program();
}

bool FragmentRun::sawAtomics() const {
  return m_workers.front().execution->sawAtomics();
}

/// Runs the quads from chunk.first on. Helpers are present only where some instruction needs
/// neighbours.
void FragmentRun::runChunk(const raster::FragmentPrimitive &primitive, ArrayRef<raster::Quad> quads,
                           MutableArrayRef<raster::FragmentOutput> outputs, Worker &worker,
                           Chunk &chunk) const {
  bool needsHelpers = !program().tangleSites.empty();
  Execution &execution = *worker.execution;
  execution.restartCount(chunk.budget);
  size_t end = std::min(chunk.first + QuadsPerChunk, quads.size());
  bool isGood = true;
  for (size_t i = chunk.first; i < end && isGood; ++i) {
    std::array<FragmentPlace, 4> places;
    uint32_t present = 0;
    for (unsigned f = 0; f < 4; ++f) {
      places[f] = {&primitive, &quads[i], f, m_samples, &m_inputs};
      present |= uint32_t(needsHelpers || !places[f].get().isHelper) << f;
    }
    QuadRun::QuadOutputs results;
    QuadRun run(worker, m_firstGroup + static_cast<uint32_t>(i), chunk.imprecision);
    isGood = run.run(places, present, results);
    std::move(results.begin(), results.end(), outputs.begin() + 4 * static_cast<ptrdiff_t>(i));
  }
  chunk.instructions = execution.instructions();
  chunk.ending = execution.ending();
}

/// Adds a chunk to what came before; false where the run ends.
bool FragmentRun::takeChunk(const Chunk &chunk) {
  m_instructions += chunk.instructions;
  if (m_imprecision.empty())
    m_imprecision = chunk.imprecision;
  if (m_instructions <= m_maxInstructions) {
    m_ending = chunk.ending;
  } else {
    m_instructions = m_maxInstructions;
    m_ending.kind = OutcomeKind::Timeout;
    m_ending.reason =
        "more than " + std::to_string(m_maxInstructions) + " instructions of fragments in a draw";
  }
  return m_ending.kind == OutcomeKind::Completed;
}

/// Threads take chunks in order; results are combined in order, so that they do not depend on the
/// number of threads.
bool FragmentRun::run(const raster::FragmentPrimitive &primitive, ArrayRef<raster::Quad> quads,
                      MutableArrayRef<raster::FragmentOutput> outputs) {
  std::vector<Chunk> chunks;
  for (size_t first = 0; first < quads.size(); first += QuadsPerChunk)
    chunks.push_back({first, 0, m_maxInstructions - m_instructions});
  // Chunks are taken in order, so that all before the first one that ends the run are run.
  std::atomic<size_t> next = 0;
  std::atomic<bool> isStopped = false;
  auto work = [&](Worker &worker) {
    for (size_t i; !isStopped && (i = next++) < chunks.size();) {
      runChunk(primitive, quads, outputs, worker, chunks[i]);
      if (chunks[i].ending.kind != OutcomeKind::Completed)
        isStopped = true;
    }
  };
  std::vector<std::thread> threads;
  for (size_t i = 1; i < std::min(m_workers.size(), chunks.size()); ++i)
    threads.emplace_back(work, std::ref(m_workers[i]));
  work(m_workers.front());
  for (std::thread &thread : threads)
    thread.join();
  m_firstGroup += static_cast<uint32_t>(quads.size());
  return all_of(chunks, [&](const Chunk &chunk) { return takeChunk(chunk); });
}

/// Inputs decorated Sample, SampleId and SamplePosition.
bool reference::readsSamples(const Program &fragment) {
  return any_of(fragment.shaderInputs, [](const InterfaceScalar &input) {
    return input.isSample || input.builtIn == spv::BuiltIn::SampleId ||
           input.builtIn == spv::BuiltIn::SamplePosition;
  });
}
