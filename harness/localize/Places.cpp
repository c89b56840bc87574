// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/localize/Places.h"

#include "harness/run/OutcomeFile.h"
#include "oracles/execution/Scalar.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace assay;

/// Word number \p number of contents that tell where they stand: a float of some size, and no two
/// of its halves are equal in a small buffer.
static uint32_t placeWord(size_t number) {
  constexpr uint32_t Multiplier = 0x9e3779b1; // Of a golden section: spreads.
  return 0x3f000000 | ((static_cast<uint32_t>(number) + 1) * Multiplier >> 8);
}

/// What \p bytes may be loaded as, as a probe of numbers of \p kind prints it: halves of either
/// kind are widened.
static StringSet<> printParts(ScalarKind kind, ArrayRef<uint8_t> bytes) {
  StringSet<> parts;
  auto add = [&](ScalarKind own, unsigned size) {
    for (size_t at = 0; at + size <= bytes.size(); at += size)
      parts.insert(printScalar(own, loadScalarBits(&bytes[at], size)));
  };
  add(kind, scalarBytes(kind));
  if (kind == ScalarKind::Float32)
    add(ScalarKind::Float16, 2);
  if (!isFloatScalar(kind))
    add(kind, 2);
  return parts;
}

/// Whether a load from \p bytes found another part of them than it should, or none.
static bool isOfOtherPlace(ScalarKind kind, ArrayRef<uint8_t> bytes, const Difference &difference) {
  StringSet<> parts = printParts(kind, bytes);
  return parts.contains(difference.expected) &&
         (parts.contains(difference.actual) || difference.actual == printScalar(kind, 0));
}

size_t assay::markPlaces(MutableArrayRef<uint8_t> bytes, size_t before) {
  for (size_t at = 0; at + 4 <= bytes.size(); at += 4)
    support::endian::write32le(&bytes[at], placeWord(before++));
  return before;
}

/// Gives the buffers that \p load may be from contents that tell places, and returns these.
static std::vector<uint8_t> markLoaded(Case &input, const BlockLoad &load) {
  std::vector<uint8_t> contents;
  for (const BufferBinding &binding : input.pipelines.front().bindings) {
    if (binding.set != load.set || binding.binding != load.binding)
      continue;
    std::vector<uint8_t> &bytes = input.buffers[binding.buffer].bytes;
    markPlaces(bytes, contents.size() / 4);
    append_range(contents, bytes);
  }
  return contents;
}

Expected<bool> assay::isLoadedElsewhere(Subject probed, const BlockLoad &load,
                                        const RunProbe &run) {
  std::vector<uint8_t> contents = markLoaded(probed.input, load);
  ScalarKind kind = probed.input.buffers.front().format.scalar;
  Expected<std::optional<ProbeRun>> done = run(probed, probeBuffer);
  if (!done)
    return done.takeError();
  return *done && (*done)->verdict.firstDifference &&
         isOfOtherPlace(kind, contents, *(*done)->verdict.firstDifference);
}

/// Whether \p a and \p b have the same halves of words in different orders.
static bool isPermuted(ArrayRef<uint8_t> a, ArrayRef<uint8_t> b) {
  auto sortHalves = [](ArrayRef<uint8_t> bytes) {
    std::vector<uint16_t> halves;
    for (size_t at = 0; at + 2 <= bytes.size(); at += 2)
      halves.push_back(support::endian::read16le(&bytes[at]));
    sort(halves);
    return halves;
  };
  return a != b && sortHalves(a) == sortHalves(b);
}

/// The bytes of buffer number \p buffer that are not as they were, each of them unstoredByte.
static BitVector writtenBytes(const Outcome &outcome, unsigned buffer) {
  BitVector written;
  if (outcome.checkpoints.empty())
    return written;
  for (uint8_t byte : outcome.checkpoints.back()[buffer].bytes)
    written.push_back(byte != unstoredByte);
  return written;
}

Expected<bool> assay::isWrittenElsewhere(Subject input, unsigned buffer, const RunProbe &run) {
  Buffer &written = input.input.buffers[buffer];
  fill(written.bytes, unstoredByte);
  Expected<std::optional<ProbeRun>> done = run(input, written.name);
  if (!done)
    return done.takeError();
  bool isWrong = *done && (*done)->verdict.state == State::Fail;
  return isWrong ? isWrittenElsewhere((*done)->job, buffer) : false;
}

Expected<bool> assay::isWrittenElsewhere(const Job &job, unsigned buffer) {
  Expected<Outcome> machine = readOutcomeFile(job.outcomeFile(), job.limits.fileBytes);
  if (!machine)
    return machine.takeError();
  Expected<Outcome> reference = readOutcomeFile(job.ownReferenceFile(), job.limits.fileBytes);
  if (!reference)
    return reference.takeError();
  BitVector own = writtenBytes(*machine, buffer), right = writtenBytes(*reference, buffer);
  if (own.empty() || own.size() != right.size())
    return false;
  return own != right || isPermuted(machine->checkpoints.back()[buffer].bytes,
                                    reference->checkpoints.back()[buffer].bytes);
}
