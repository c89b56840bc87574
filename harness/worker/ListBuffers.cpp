// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers after a run, for people and programs.
#include "harness/worker/Steps.h"
#include "oracles/execution/Scalar.h"
#include "support/Json.h"

using namespace llvm;
using namespace assay;

static std::string typeName(const DataFormat &format) {
  std::string name = scalarName(format.scalar);
  if (format.columns > 1)
    return "mat" + std::to_string(format.columns) + "x" + std::to_string(format.rows) + "<" + name +
           ">";
  return format.rows > 1 ? "vec" + std::to_string(format.rows) + "<" + name + ">" : name;
}

static bool isOpen(const BufferState &state, uint64_t offset) {
  auto next = state.indeterminate.upper_bound(offset);
  return next != state.indeterminate.begin() &&
         std::prev(next)->first + std::prev(next)->second > offset;
}

static void writeElements(json::OStream &json, const DataFormat &format, const BufferState &state) {
  const uint64_t size = state.bytes.size();
  const unsigned scalar = scalarBytes(format.scalar);
  for (uint64_t start = 0; format.stride && start < size; start += format.stride) {
    for (unsigned component = 0; component < format.rows * format.columns; ++component) {
      uint64_t offset =
          start + format.componentOffset(component / format.rows, component % format.rows);
      if (offset + scalar > size)
        break;
      json.value(
          isOpen(state, offset)
              ? std::string("undefined")
              : printScalar(format.scalar, loadScalarBits(state.bytes.data() + offset, scalar)));
    }
  }
}

std::string assay::listBuffers(const Case &input, const Outcome &outcome) {
  std::string text;
  raw_string_ostream os(text);
  json::OStream json(os);
  json.array([&] {
    if (outcome.checkpoints.empty())
      return;
    const std::vector<BufferState> &buffers = outcome.checkpoints.back();
    for (size_t i = 0; i < buffers.size() && i < input.buffers.size(); ++i)
      json.object([&] {
        writeTextAttribute(json, "name", input.buffers[i].name);
        json.attribute("type", typeName(input.buffers[i].format));
        json.attribute("components",
                       input.buffers[i].format.rows * input.buffers[i].format.columns);
        json.attributeArray("values",
                            [&] { writeElements(json, input.buffers[i].format, buffers[i]); });
      });
  });
  json.flush();
  return text;
}
