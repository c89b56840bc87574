// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "harness/peer/turnip/Guest.h"

#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace llvm;
using namespace assay;
using namespace assay::turnip;

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

Expected<GuestAnswer> turnip::runGuest(const Installation &installation, const Request &request) {
  SmallString<128> folder;
  if (std::error_code code = sys::fs::createUniqueDirectory("assay-turnip", folder))
    return environmentError("a folder for turnip: " + code.message());
  scope_exit removeFolder([&] { (void)sys::fs::remove_directories(folder); });
  std::string requestFile = (folder + "/request").str(), answerFile = (folder + "/answer").str(),
              errorFile = (folder + "/errors").str();
  if (Error error = writeFile(requestFile, writeRequest(request)))
    return std::move(error);
  const StringRef arguments[] = {installation.emulator, "-L",        installation.root,
                                 installation.guest,    requestFile, answerFile};
  // Nothing of this process's surroundings: results are those of the request alone.
  const StringRef environment[] = {"PATH=/usr/bin:/bin", "HOME=/nonexistent"};
  const std::optional<StringRef> redirects[] = {StringRef(""), StringRef(""), StringRef(errorFile)};
  std::string message;
  bool failedToStart = false;
  int code = sys::ExecuteAndWait(installation.emulator, arguments, environment, redirects,
                                 SecondsAllowed, /*MemoryLimit=*/0, &message, &failedToStart);
  if (failedToStart)
    return environmentError(installation.emulator + ": " + message);
  GuestAnswer answer;
  if (Expected<std::string> bytes = readFileText(answerFile))
    answer.response = readResponse(reinterpret_cast<const uint8_t *>(bytes->data()), bytes->size());
  else
    consumeError(bytes.takeError());
  if (StringRef(message).contains("timed out"))
    return environmentError("turnip: killed after " + Twine(SecondsAllowed) + " seconds");
  if (!answer.response.isComplete)
    answer.death =
        (message.empty() ? "exit code " + std::to_string(code) : message) + lastWords(errorFile);
  return answer;
}
