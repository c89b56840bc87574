// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reports/store/EventLog.h"

#include "support/DurableFile.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include <chrono>
#include <random>
#include <tuple>

using namespace llvm;
using namespace assay;

/// Returns 16 random hexadecimal digits, so that writers on different machines differ.
static std::string drawName() {
  std::random_device device;
  return formatv("{0:x-8}{1:x-8}", device(), device()).str();
}

/// Milliseconds since 1970, UTC, by the system clock.
static uint64_t nowMs() {
  auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

EventWriter::EventWriter(std::string folder) : m_folder(std::move(folder)), m_name(drawName()) {}

/// Sets writer, sequence number and, where it is 0, the time of each event. Times of one writer
/// never decrease, even if the clock does. The file is created by the first call with events; the
/// lines are on disk when it returns.
Error EventWriter::append(MutableArrayRef<Event> events) {
  if (events.empty())
    return Error::success();
  std::string path = m_folder + "/" + m_name + ".jsonl";
  if (m_sequence == 0)
    if (Error error = createDurably(path))
      return error;
  std::string lines;
  for (Event &event : events) {
    event.writer = m_name;
    event.sequence = m_sequence++;
    m_lastMs = std::max(m_lastMs, event.timeMs ? event.timeMs : nowMs());
    event.timeMs = m_lastMs;
    lines += printEvent(event);
  }
  return appendDurably(path, lines);
}

// Paths of the log's files, ascending.
static Expected<std::vector<std::string>> listFiles(StringRef folder) {
  std::vector<std::string> files;
  std::error_code code;
  for (sys::fs::directory_iterator it(folder, code), end; it != end && !code; it.increment(code))
    if (sys::path::extension(it->path()) == ".jsonl")
      files.push_back(it->path());
  if (code)
    return environmentError(folder + ": " + code.message());
  llvm::sort(files);
  return files;
}

/// Appends the events of all whole lines; an error names the line, counted from 1.
static Error readFile(const std::string &file, std::vector<Event> &events) {
  Expected<std::string> text = readFileText(file);
  if (!text)
    return text.takeError();
  StringRef rest = *text;
  for (unsigned number = 1; rest.contains('\n'); ++number) {
    auto [line, tail] = rest.split('\n');
    Expected<Event> event = parseEvent(line);
    if (!event)
      return addContext(event.takeError(), file + ", line " + Twine(number));
    events.push_back(std::move(*event));
    rest = tail;
  }
  return Error::success();
}

/// Returns the events of all writers, sorted by time, then by writer and sequence number.
Expected<std::vector<Event>> assay::readEvents(StringRef folder) {
  Expected<std::vector<std::string>> files = listFiles(folder);
  if (!files)
    return files.takeError();
  std::vector<Event> events;
  for (const std::string &file : *files)
    if (Error error = readFile(file, events))
      return std::move(error);
  llvm::sort(events, [](const Event &a, const Event &b) {
    return std::tie(a.timeMs, a.writer, a.sequence) < std::tie(b.timeMs, b.writer, b.sequence);
  });
  return events;
}

/// Files are only appended to, so sizes suffice.
Expected<std::string> assay::stampOf(StringRef folder) {
  Expected<std::vector<std::string>> files = listFiles(folder);
  if (!files)
    return files.takeError();
  std::string stamp;
  for (const std::string &file : *files) {
    uint64_t size = 0;
    if (std::error_code code = sys::fs::file_size(file, size))
      return environmentError(file + ": " + code.message());
    stamp += (sys::path::filename(file) + " " + Twine(size) + "\n").str();
  }
  return stamp;
}
