// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/reduce/TriedCandidates.h"

#include "support/DurableFile.h"
#include "support/File.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace assay;

/// The first line, by which a file of another program is recognized.
static std::string printHeader(StringRef key) {
  json::Value header = json::Object{{"schema", "assay.tried/1"}, {"key", key}};
  return formatv("{0}\n", header).str();
}

/// A line, or nothing where it is none: the last one of a process that was killed.
static std::optional<std::pair<uint64_t, Judged>> parseLine(StringRef line) {
  Expected<json::Value> value = json::parse(line);
  if (!value) {
    consumeError(value.takeError());
    return std::nullopt;
  }
  const json::Object *object = value->getAsObject();
  std::optional<StringRef> hash = object ? object->getString("case") : std::nullopt;
  std::optional<StringRef> name = object ? object->getString("judged") : std::nullopt;
  std::optional<Judged> judged = name ? parseJudged(*name) : std::nullopt;
  uint64_t number = 0;
  if (!hash || !judged || hash->getAsInteger(16, number))
    return std::nullopt;
  return std::pair(number, *judged);
}

Expected<TriedCandidates> TriedCandidates::open(std::string path, StringRef key) {
  TriedCandidates tried(std::move(path));
  std::string header = printHeader(key), text;
  if (sys::fs::exists(tried.m_path)) {
    Expected<std::string> read = readFileText(tried.m_path);
    if (!read)
      return read.takeError();
    text = std::move(*read);
  }
  StringRef rest = text;
  std::string kept = header;
  if (rest.consume_front(header))
    while (rest.contains('\n')) {
      auto [line, next] = rest.split('\n');
      rest = next;
      if (std::optional<std::pair<uint64_t, Judged>> entry = parseLine(line)) {
        tried.m_results.insert(*entry);
        kept += line.str() + "\n";
      }
    }
  if (kept != text)
    if (Error error = writeFile(tried.m_path, StringRef(kept)))
      return std::move(error);
  return std::move(tried);
}

std::optional<Judged> TriedCandidates::find(uint64_t hash) const {
  auto found = m_results.find(hash);
  return found == m_results.end() ? std::nullopt : std::optional(found->second);
}

Error TriedCandidates::add(ArrayRef<TriedCandidate> results) {
  std::string lines;
  for (const auto &[hash, judged, reduction] : results) {
    m_results.emplace(hash, judged);
    json::Value line = json::Object{{"case", utohexstr(hash, /*LowerCase=*/true, /*Width=*/16)},
                                    {"judged", judgedName(judged)},
                                    {"reduction", reduction}};
    lines += formatv("{0}\n", line).str();
  }
  return appendDurably(m_path, lines);
}
