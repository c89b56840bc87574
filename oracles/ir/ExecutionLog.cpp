// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/ir/ExecutionLog.h"

using namespace llvm;

namespace assay::ir {

/// A minimised case has a thousandth of it.
static constexpr size_t mostSteps = size_t(1) << 18;

void ExecutionLog::begin(const Memory &memory) {
  if (!m_initial.empty())
    return;
  for (const BufferMemory &buffer : memory.buffers)
    m_initial.emplace_back(buffer.address, buffer.bytes);
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

uint32_t ExecutionLog::lastMark(unsigned thread) const {
  return thread < m_marks.size() ? m_marks[thread] : noNumber;
}

void ExecutionLog::addMark(unsigned thread, uint32_t number) {
  if (m_marks.size() <= thread)
    m_marks.resize(thread + 1, noNumber);
  m_marks[thread] = number;
  add({thread, number, Mark()});
}

void ExecutionLog::addValue(unsigned thread, uint32_t number, Value value) {
  add({thread, number, std::move(value)});
}

void ExecutionLog::addWrite(unsigned thread, uint64_t address, ArrayRef<uint8_t> bytes,
                            ArrayRef<uint8_t> poison) {
  Write write;
  write.address = address;
  for (auto [byte, flags] : zip_equal(bytes, poison))
    write.bytes.push_back(flags ? -1 : byte);
  add({thread, lastMark(thread), std::move(write)});
}

void ExecutionLog::addEvent(unsigned thread, const Event &event) {
  add({thread, lastMark(thread), event});
}

void ExecutionLog::addEnd(unsigned thread, RunState state) {
  add({thread, lastMark(thread), End()});
  if (m_end == RunState::Returned)
    m_end = state;
}

} // namespace assay::ir
