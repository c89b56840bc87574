// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/ir/ExecutionLog.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace assay::ir {

/// A minimized case has a thousandth of it.
static constexpr size_t mostSteps = size_t(1) << 18;

/// Of a wave's number: there are at most 1024 invocations of one lane each.
static constexpr unsigned waveBits = 10;

uint64_t threadOf(const std::array<uint32_t, 3> &group, unsigned wave, unsigned lane) {
  constexpr uint64_t Coordinate = 0xffff;
  uint64_t thread = (group[2] & Coordinate) << 16 | (group[1] & Coordinate);
  thread = thread << 16 | (group[0] & Coordinate);
  return (thread << waveBits | wave) * lanesOfWave + lane;
}

unsigned waveNumberOf(uint64_t thread) {
  return thread / lanesOfWave & maskTrailingOnes<unsigned>(waveBits);
}

uint64_t groupOf(uint64_t thread) {
  return thread / lanesOfWave >> waveBits;
}

void ExecutionLog::begin(const Memory &memory) {
  if (!m_initial.empty())
    return;
  for (const BufferMemory &buffer : memory.buffers)
    m_initial.emplace_back(buffer.address, buffer.bytes);
}

std::vector<std::pair<uint64_t, uint64_t>> ExecutionLog::ranges() const {
  std::vector<std::pair<uint64_t, uint64_t>> ranges;
  for (const auto &[begin, bytes] : m_initial)
    ranges.emplace_back(begin, bytes.size());
  return ranges;
}

std::optional<uint8_t> ExecutionLog::initialByte(uint64_t address) const {
  for (const auto &[begin, bytes] : m_initial)
    if (address >= begin && address - begin < bytes.size())
      return bytes[address - begin];
  return std::nullopt;
}

void ExecutionLog::add(LogStep step) {
  m_isCut |= m_steps.size() == mostSteps;
  if (!m_isCut)
    m_steps.push_back(std::move(step));
}

uint32_t ExecutionLog::lastMark(uint64_t thread) const {
  auto found = m_marks.find(thread);
  return found == m_marks.end() ? noNumber : found->second;
}

void ExecutionLog::addMark(uint64_t thread, uint32_t number) {
  m_marks[thread] = number;
  add({thread, number, Mark()});
}

void ExecutionLog::addValue(uint64_t thread, uint32_t number, Value value) {
  add({thread, number, std::move(value)});
}

void ExecutionLog::addRead(uint64_t thread, uint64_t address, uint64_t bytes) {
  add({thread, lastMark(thread), Read{address, bytes}});
}

void ExecutionLog::addWrite(uint64_t thread, uint64_t address, ArrayRef<uint8_t> bytes,
                            ArrayRef<uint8_t> poison) {
  Write write;
  write.address = address;
  for (auto [byte, flags] : zip_equal(bytes, poison))
    write.bytes.push_back(flags ? -1 : byte);
  add({thread, lastMark(thread), std::move(write)});
}

void ExecutionLog::addEvent(uint64_t thread, const Event &event) {
  add({thread, lastMark(thread), event});
}

void ExecutionLog::addEnd(uint64_t thread, RunState state) {
  add({thread, lastMark(thread), End()});
  if (m_end == RunState::Returned)
    m_end = state;
}

} // namespace assay::ir
