// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// assay-turnip REQUEST ANSWER: runs under qemu-user, with Debian's turnip for arm64. The driver may
// end the process anywhere; what is in the answer by then is good.
#include "harness/peer/turnip/guest/FakeMsm.h"
#include "harness/peer/turnip/guest/Override.h"
#include "harness/peer/turnip/guest/Pipeline.h"
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>

using namespace assay::turnip;

static void append(std::ofstream &file, WireWriter &writer) {
  file.write(reinterpret_cast<const char *>(writer.get().data()),
             static_cast<std::streamsize>(writer.get().size()));
  file.flush();
  writer.clear();
}

static void setEnvironment(const Request &request) {
  setenv("MESA_SHADER_CACHE_DISABLE", "1", 1);
  setenv("IR3_SHADER_OVERRIDE_PATH", overrideFolder, 1);
  for (const std::string &variable : request.environment)
    if (size_t equals = variable.find('='); equals != std::string::npos)
      setenv(variable.substr(0, equals).c_str(), variable.c_str() + equals + 1, 1);
}

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

int main(int count, char **arguments) {
  if (count != 3) {
    std::cerr << "usage: assay-turnip REQUEST ANSWER\n";
    return 2;
  }
  std::ifstream file(arguments[1], std::ios::binary);
  std::vector<char> bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::optional<Request> request =
      readRequest(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size());
  std::ofstream answer(arguments[2], std::ios::binary);
  if (!request || !answer) {
    std::cerr << "assay-turnip: the request is damaged, or the answer can't be written\n";
    return 2;
  }
  setEnvironment(*request);
  createFakeDevice(request->chip);
  serve(*request, answer);
  std::_Exit(0); // The driver's own end is of no interest.
}
