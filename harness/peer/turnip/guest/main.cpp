// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// assay-turnip REQUEST ANSWER [REQUEST ANSWER]...: runs under qemu-user, with Debian's turnip for
// arm64. The driver may end the process anywhere; what is in the answer by then is good. Of several
// requests, each is a process of its own, forked from one that has served the first: so the
// emulator translates the driver once. They have one environment, because the driver reads it once.
#include "harness/peer/turnip/guest/FakeMsm.h"
#include "harness/peer/turnip/guest/Override.h"
#include "harness/peer/turnip/guest/Pipeline.h"
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sys/wait.h>
#include <unistd.h>

using namespace assay::turnip;

/// Writes and flushes the record in \p writer, so that it is in the file if the driver ends the
/// process, and empties \p writer.
static void append(std::ofstream &file, WireWriter &writer) {
  file.write(reinterpret_cast<const char *>(writer.get().data()),
             static_cast<std::streamsize>(writer.get().size()));
  file.flush();
  writer.clear();
}

/// Must be called before the driver is loaded. Variables without '=' are ignored.
static void setEnvironment(const Request &request) {
  setenv("MESA_SHADER_CACHE_DISABLE", "1", 1);
  setenv("IR3_SHADER_OVERRIDE_PATH", overrideFolder, 1);
  for (const std::string &variable : request.environment)
    if (size_t equals = variable.find('='); equals != std::string::npos)
      setenv(variable.substr(0, equals).c_str(), variable.c_str() + equals + 1, 1);
}

/// Writes all records of the answer. A failure is the last record before the end.
static void serve(const Request &request, std::ofstream &answer) {
  WireWriter writer;
  try {
    Driver driver(request);
    writeDevice(writer, driver.answer());
    append(answer, writer);
    GuestResources resources = createResources(driver, request);
    writeResources(writer, resources.places);
    append(answer, writer);
    for (const PipelineRequest &pipeline : request.pipelines) {
      setOverride(pipeline.assembly);
      writePipeline(writer, capturePipeline(driver, pipeline, resources));
      append(answer, writer);
    }
    writeEnd(writer);
  } catch (const std::exception &failure) {
    writeFailure(writer, failure.what());
    writeEnd(writer);
  }
  append(answer, writer);
}

/// False when a file is damaged, or can't be written.
static bool serveFile(const char *requestFile, const char *answerFile) {
  std::ifstream file(requestFile, std::ios::binary);
  std::vector<char> bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::optional<Request> request =
      readRequest(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size());
  std::ofstream answer(answerFile, std::ios::binary);
  if (!request || !answer)
    return false;
  setEnvironment(*request);
  createFakeDevice(request->chip);
  serve(*request, answer);
  return true;
}

/// In a process of its own; what becomes of that does not matter here.
static bool serveForked(const char *requestFile, const char *answerFile) {
  pid_t child = fork();
  if (child == 0)
    std::_Exit(serveFile(requestFile, answerFile) ? 0 : 2);
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child;
}

/// Serves one request in this process. With several, the first one runs here without an answer,
/// then each one in a forked process. Exits with 2 on damaged requests and usage errors.
int main(int count, char **arguments) {
  if (count < 3 || count % 2 == 0) {
    std::cerr << "usage: assay-turnip REQUEST ANSWER [REQUEST ANSWER]...\n";
    return 2;
  }
  bool isGood = serveFile(arguments[1], count == 3 ? arguments[2] : "/dev/null");
  for (int i = 1; isGood && count > 3 && i < count; i += 2)
    isGood = serveForked(arguments[i], arguments[i + 1]);
  if (!isGood)
    std::cerr << "assay-turnip: a request is damaged, or an answer can't be written\n";
  std::cerr.flush();
  std::_Exit(isGood ? 0 : 2); // The driver's own end is of no interest.
}
