// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/peer/turnip/Guest.h"

#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace llvm;
using namespace assay;
using namespace assay::turnip;

/// For one process, with all its requests.
static constexpr unsigned SecondsAllowed = 300;

/// What the process said on its way out: its first error, else its last line.
static std::string lastWords(const std::string &errorFile) {
  Expected<std::string> text = readFileText(errorFile);
  if (!text) {
    consumeError(text.takeError());
    return "";
  }
  SmallVector<StringRef> lines;
  StringRef(*text).split(lines, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  if (lines.empty())
    return "";
  const auto *found = find_if(lines, [](StringRef line) { return line.starts_with("error"); });
  StringRef line = found == lines.end() ? lines.back() : *found;
  return (" (" + line.trim().take_front(200) + ")").str();
}

namespace {

/// A folder for requests and answers, removed at the end.
struct ExchangeFolder {
  SmallString<128> path;
  /// Removes the folder with all its files; errors are ignored.
  ~ExchangeFolder() {
    if (!path.empty())
      (void)sys::fs::remove_directories(path);
  }
  std::string requestFile(size_t index) const { return (path + "/request" + Twine(index)).str(); }
  std::string answerFile(size_t index) const { return (path + "/answer" + Twine(index)).str(); }
  std::string errorFile() const { return (path + "/errors").str(); }
};

/// How the process ended.
struct GuestEnd {
  int code = 0;
  std::string message;
};

} // namespace

/// Creates a folder with a unique name in the system's folder for temporary files. Environment.
static Error createFolder(ExchangeFolder &folder) {
  if (std::error_code code = sys::fs::createUniqueDirectory("assay-turnip", folder.path))
    return environmentError("a folder for turnip: " + code.message());
  return Error::success();
}

/// Writes \p requests into \p folder, and runs the guest program on them.
static Expected<GuestEnd> execute(const Installation &installation, ArrayRef<Request> requests,
                                  const ExchangeFolder &folder) {
  std::vector<std::string> files;
  for (auto [index, request] : enumerate(requests)) {
    files.push_back(folder.requestFile(index));
    files.push_back(folder.answerFile(index));
    if (Error error = writeFile(folder.requestFile(index), writeRequest(request)))
      return std::move(error);
  }
  SmallVector<StringRef> arguments = {installation.emulator, "-L", installation.root,
                                      installation.guest};
  append_range(arguments, files);
  // Nothing of this process's surroundings: results are those of the request alone.
  const StringRef environment[] = {"PATH=/usr/bin:/bin", "HOME=/nonexistent"};
  std::string errorFile = folder.errorFile();
  const std::optional<StringRef> redirects[] = {StringRef(""), StringRef(""), StringRef(errorFile)};
  GuestEnd end;
  bool failedToStart = false;
  end.code = sys::ExecuteAndWait(installation.emulator, arguments, environment, redirects,
                                 SecondsAllowed, /*MemoryLimit=*/0, &end.message, &failedToStart);
  if (failedToStart)
    return environmentError(installation.emulator + ": " + end.message);
  return end;
}

/// A file that is missing is an empty response, which is not complete.
static Response readAnswerFile(const std::string &file) {
  Expected<std::string> bytes = readFileText(file);
  if (bytes)
    return readResponse(reinterpret_cast<const uint8_t *>(bytes->data()), bytes->size());
  consumeError(bytes.takeError());
  return {};
}

/// A guest that dies is no error: the answer has what it wrote before, and how it died. Environment
/// where it was killed for its time.
Expected<GuestAnswer> turnip::runGuest(const Installation &installation, const Request &request) {
  ExchangeFolder folder;
  if (Error error = createFolder(folder))
    return std::move(error);
  Expected<GuestEnd> end = execute(installation, request, folder);
  if (!end)
    return end.takeError();
  GuestAnswer answer{readAnswerFile(folder.answerFile(0)), ""};
  if (StringRef(end->message).contains("timed out"))
    return environmentError("turnip: killed after " + Twine(SecondsAllowed) + " seconds");
  if (!answer.response.isComplete)
    answer.death =
        (end->message.empty() ? "exit code " + std::to_string(end->code) : end->message) +
        lastWords(folder.errorFile());
  return answer;
}

/// Runs all requests in one process. Requests without a complete answer run again, each in a
/// process of its own, so that one that dies does not affect the others.
Expected<std::vector<GuestAnswer>> turnip::runGuests(const Installation &installation,
                                                     ArrayRef<Request> requests) {
  ExchangeFolder folder;
  if (Error error = createFolder(folder))
    return std::move(error);
  Expected<GuestEnd> end = execute(installation, requests, folder);
  if (!end)
    return end.takeError();
  std::vector<GuestAnswer> answers;
  for (auto [index, request] : enumerate(requests)) {
    answers.push_back({readAnswerFile(folder.answerFile(index)), ""});
    if (answers.back().response.isComplete)
      continue;
    Expected<GuestAnswer> alone = runGuest(installation, request);
    if (!alone)
      return alone.takeError();
    answers.back() = std::move(*alone);
  }
  return answers;
}
