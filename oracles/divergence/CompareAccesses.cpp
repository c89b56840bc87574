// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/divergence/CompareAccesses.h"

#include "oracles/divergence/CodeTrace.h"
#include "oracles/ir/Spaces.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <array>
#include <map>

using namespace llvm;
using namespace assay;

std::string assay::printAccesses(const ir::ExecutionLog &log) {
  std::string text;
  raw_string_ostream os(text);
  auto print = [&](const ir::LogStep &step, StringRef kind, uint64_t address, uint64_t bytes) {
    os << "thread " << step.thread << " " << kind << " " << format_hex(address, 0) << " " << bytes
       << "\n";
  };
  auto isGlobal = [](const auto *access) {
    return access && access->address < ir::Spaces::SharedAperture;
  };
  for (const auto &[address, bytes] : log.ranges())
    os << "memory " << format_hex(address, 0) << " " << bytes << "\n";
  for (const ir::LogStep &step : log.steps())
    if (const auto *read = std::get_if<ir::Read>(&step.what); isGlobal(read))
      print(step, "reads", read->address, read->bytes);
    else if (const auto *write = std::get_if<ir::Write>(&step.what); isGlobal(write))
      print(step, "writes", write->address, write->bytes.size());
  return text;
}

namespace {

/// Memory, and what the IR does to its bytes, by thread; or a wave, whose number is that of its
/// first thread.
struct Touched {
  std::map<uint64_t, DenseSet<uint64_t>> reads, writes, waveReads;
  DenseSet<uint64_t> readStarts; ///< Where any of them begins.
  std::vector<std::pair<uint64_t, uint64_t>> ranges;

  /// Else it is scratch, which IR has elsewhere.
  bool isMemory(uint64_t address) const {
    return any_of(ranges, [&](auto range) { return address - range.first < range.second; });
  }
};

/// Compares the steps of a trace with what the IR touches.
class Comparison {
public:
  Comparison(Touched touched, ArrayRef<TracedStep> steps)
      : m_touched(std::move(touched)), m_steps(steps) {}
  std::optional<AccessMismatch> run();

private:
  bool isRead(const TracedStep &step, const TracedAccess &access);
  /// Whether the IR writes all of these bytes. Records them as written by the code.
  bool isWritten(const TracedStep &step, const TracedAccess &access);
  bool isLost(uint64_t thread);
  /// Describes a thread by its group, wave and lane.
  std::string findPlace(uint64_t thread) const;

  Touched m_touched;
  const ArrayRef<TracedStep> m_steps;
  std::map<uint64_t, DenseSet<uint64_t>> m_written; ///< By the code; thread to bytes.
};

} // namespace

/// "0x100 12" at the end of a line.
static bool takeRange(StringRef text, uint64_t &address, uint64_t &bytes) {
  return takeHex(text, address) && !text.ltrim().getAsInteger(10, bytes);
}

/// Adds each byte of an access of \p thread, and for reads also to its wave.
static void addAccess(uint64_t thread, bool isRead, uint64_t address, uint64_t bytes,
                      Touched &touched) {
  if (isRead)
    touched.readStarts.insert(address);
  for (uint64_t byte = address; byte < address + bytes; ++byte) {
    (isRead ? touched.reads : touched.writes)[thread].insert(byte);
    if (isRead)
      touched.waveReads[thread / ir::lanesOfWave * ir::lanesOfWave].insert(byte);
  }
}

/// Reads the text of printAccesses(). Lines of another form are left out.
static Touched readIr(StringRef text) {
  Touched touched;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    uint64_t thread, address, bytes;
    if (line.consume_front("memory ") && takeRange(line, address, bytes)) {
      touched.ranges.emplace_back(address, bytes);
    } else if (line.consume_front("thread ") && !line.consumeInteger(10, thread)) {
      bool isRead = line.consume_front(" reads ");
      if ((isRead || line.consume_front(" writes ")) && takeRange(line, address, bytes))
        addAccess(thread, isRead, address, bytes, touched);
    }
  }
  return touched;
}

/// Of the first lane of the wave.
static uint64_t firstThread(const TracedStep &step) {
  std::array<uint32_t, 3> group{};
  StringRef text = step.group;
  text.consume_front("group ");
  for (uint32_t &coordinate : group) {
    text.consumeInteger(10, coordinate);
    text.consume_front(",");
  }
  return ir::threadOf(group, step.wave, /*lane=*/0);
}

/// Whether the IR reads there, too; more may be read after what begins where the IR begins. Tables
/// are read by what a launch needs, which no IR shows.
bool Comparison::isRead(const TracedStep &step, const TracedAccess &access) {
  uint64_t wave = firstThread(step);
  StringRef mnemonic = step.text.split(": ").second;
  if (mnemonic.starts_with("s_load"))
    return true;
  const DenseSet<uint64_t> &bytes =
      mnemonic.starts_with("s_") ? m_touched.waveReads[wave] : m_touched.reads[wave + access.lane];
  if (m_touched.readStarts.contains(access.addresses.front()))
    return bytes.contains(access.addresses.front());
  return all_of(access.addresses, [&](uint64_t address) {
    return any_of(seq(address, address + access.bytes),
                  [&](uint64_t byte) { return bytes.contains(byte); });
  });
}

bool Comparison::isWritten(const TracedStep &step, const TracedAccess &access) {
  uint64_t thread = firstThread(step) + access.lane;
  const DenseSet<uint64_t> &bytes = m_touched.writes[thread];
  // An exchange that fails reads.
  const DenseSet<uint64_t> &compared = m_touched.reads[thread];
  bool isSame = true;
  for (uint64_t address : access.addresses)
    for (uint64_t byte = address; byte < address + access.bytes; ++byte) {
      isSame &= bytes.contains(byte) || (access.reads && compared.contains(byte));
      m_written[thread].insert(byte);
    }
  return isSame;
}

/// Whether the IR writes something in \p thread that the code does not.
bool Comparison::isLost(uint64_t thread) {
  const DenseSet<uint64_t> &written = m_written[thread];
  return any_of(m_touched.writes[thread], [&](uint64_t byte) { return !written.contains(byte); });
}

static std::string describePlace(const TracedStep &step, uint64_t lane) {
  return (step.group + " wave " + Twine(step.wave) + " lane " + Twine(lane)).str();
}

std::string Comparison::findPlace(uint64_t thread) const {
  uint64_t lane = thread % ir::lanesOfWave;
  const auto *step =
      find_if(m_steps, [&](const TracedStep &each) { return firstThread(each) == thread - lane; });
  return step == m_steps.end() ? "a wave that did not run" : describePlace(*step, lane);
}

std::optional<AccessMismatch> Comparison::run() {
  std::optional<AccessMismatch> mismatch;
  std::optional<uint64_t> writer; ///< Thread of a mismatch that is a store.
  for (const TracedStep &step : m_steps)
    for (const TracedAccess &access : step.accesses) {
      if (!m_touched.isMemory(access.addresses.front()))
        continue;
      bool isLoadWrong = access.reads && !isRead(step, access);
      bool isStoreWrong = access.writes && !isWritten(step, access);
      if (mismatch || (!isLoadWrong && !isStoreWrong))
        continue;
      mismatch = {describePlace(step, access.lane), step.text.str(),
                  isLoadWrong ? "load address" : "extra store"};
      if (!isLoadWrong)
        writer = firstThread(step) + access.lane;
    }
  if (writer && isLost(*writer))
    mismatch->wrong = "store address";
  if (mismatch)
    return mismatch;
  for (const auto &[thread, bytes] : m_touched.writes)
    if (isLost(thread))
      return AccessMismatch{findPlace(thread), "", "lost store"};
  return std::nullopt;
}

std::optional<AccessMismatch> assay::compareAccesses(StringRef ir, StringRef code) {
  std::vector<TracedStep> steps = readCodeTrace(code);
  return Comparison(readIr(ir), steps).run();
}
