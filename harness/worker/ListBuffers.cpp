// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers after a run, for people and programs.
#include "harness/worker/Steps.h"
#include "oracles/execution/Scalar.h"
#include "reports/VerdictJson.h"

using namespace llvm;
using namespace assay;

/// Returns the type as shaders spell it: "f32", "vec4<f32>", "mat2x3<f32>" (columns x rows), with
/// the scalar names of scalarName().
static std::string typeName(const DataFormat &format) {
  std::string name = scalarName(format.scalar);
  if (format.columns > 1)
    return "mat" + std::to_string(format.columns) + "x" + std::to_string(format.rows) + "<" + name +
           ">";
  return format.rows > 1 ? "vec" + std::to_string(format.rows) + "<" + name + ">" : name;
}

/// Whether the byte at \p offset has several permitted values or none that is defined.
static bool isOpen(const BufferState &state, uint64_t offset) {
  if (findAlternatives(state, offset))
    return true;
  auto next = state.indeterminate.upper_bound(offset);
  return next != state.indeterminate.begin() &&
         std::prev(next)->first + std::prev(next)->second > offset;
}

/// Lists components in memory order of elements, column by column. An open component is
/// "undefined". Components that do not fit into the buffer completely are left out.
static BufferListing listBuffer(const Buffer &buffer, const BufferState &state) {
  const DataFormat &format = buffer.format;
  BufferListing listing{buffer.name, typeName(format), format.rows * format.columns, {}};
  const uint64_t size = state.bytes.size();
  const unsigned scalar = scalarBytes(format.scalar);
  for (uint64_t start = 0; format.stride && start < size; start += format.stride) {
    for (unsigned component = 0; component < listing.components; ++component) {
      uint64_t offset =
          start + format.componentOffset(component / format.rows, component % format.rows);
      if (offset + scalar > size)
        break;
      uint64_t bits = loadScalarBits(state.bytes.data() + offset, scalar);
      listing.values.push_back(isOpen(state, offset) ? "undefined"
                                                     : printScalar(format.scalar, bits));
    }
  }
  return listing;
}

/// Returns the buffers at the last checkpoint as JSON; an empty list without checkpoints.
std::string assay::listBuffers(const Case &input, const Outcome &outcome) {
  std::vector<BufferListing> listings;
  if (!outcome.checkpoints.empty()) {
    const std::vector<BufferState> &buffers = outcome.checkpoints.back();
    for (size_t i = 0; i < buffers.size() && i < input.buffers.size(); ++i)
      listings.push_back(listBuffer(input.buffers[i], buffers[i]));
  }
  std::string text;
  raw_string_ostream os(text);
  json::OStream json(os);
  writeBuffers(json, listings);
  json.flush();
  return text;
}
