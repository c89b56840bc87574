// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A Case: pipelines, buffers, what is run, and what is expected. Pure data, read by oracles/input.
#pragma once

#include "compiler/api/Pipeline.h"
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace assay {

enum class ScalarKind : uint8_t {
  Int8,
  Int16,
  Int32,
  Int64,
  Uint8,
  Uint16,
  Uint32,
  Uint64,
  Float16,
  Float32,
  Float64
};
unsigned scalarBytes(ScalarKind kind);
const char *scalarName(ScalarKind kind); ///< "int32", ...

/// How a buffer's bytes are read: an array of scalars, vectors or column-major matrices.
struct DataFormat {
  ScalarKind scalar = ScalarKind::Uint32;
  unsigned rows = 1;         ///< Components of a vector or of a matrix column.
  unsigned columns = 1;      ///< 1 unless a matrix.
  unsigned columnStride = 4; ///< Bytes from a column to the next.
  unsigned stride = 4;       ///< Bytes from an element to the next.

  /// Byte offset of a component inside its element.
  uint64_t componentOffset(unsigned column, unsigned row) const {
    return uint64_t(column) * columnStride + uint64_t(row) * scalarBytes(scalar);
  }
};

enum class BlockLayout { Std140, Std430 };
/// The format of an array of (columns x rows) \p scalar in \p layout (Vulkan 1.3, 15.6.4).
DataFormat makeDataFormat(ScalarKind scalar, unsigned rows, unsigned columns, BlockLayout layout);

struct Buffer {
  std::string name;
  DataFormat format;
  std::vector<uint8_t> bytes; ///< Initial contents.
};

enum class BindingKind { Storage, Uniform, PushConstant };

/// One buffer bound to one descriptor (array element), or the source of the push constants.
struct BufferBinding {
  BindingKind kind = BindingKind::Storage;
  unsigned buffer = 0; ///< Index into Case::buffers.
  uint32_t set = 0;
  uint32_t binding = 0;
  uint32_t arrayElement = 0;
  uint64_t offset = 0;    ///< Bytes into the buffer.
  uint64_t range = ~0ull; ///< Bytes; ~0 = to the end.
};

struct CasePipeline {
  std::string name;
  PipelineDescription description;
  std::vector<BufferBinding> bindings;
};

struct Dispatch {
  unsigned pipeline = 0; ///< Index into Case::pipelines.
  uint32_t groups[3] = {1, 1, 1};
  unsigned line = 0;
};

/// COPY: all bytes of one buffer over another.
struct BufferCopy {
  unsigned source = 0;
  unsigned destination = 0;
  unsigned line = 0;
};

enum class Comparator { Eq, Ne, Lt, Le, Gt, Ge };
enum class ExpectationKind { Values, EqualBuffers, RmseBuffers };

/// How far a value may lie from the expected one.
struct Tolerance {
  double value = 0;
  bool percent = false;
};

/// One EXPECT or probe, judged on the buffers as they are at that point of the script.
struct Expectation {
  ExpectationKind kind = ExpectationKind::Values;
  unsigned buffer = 0;
  unsigned otherBuffer = 0; ///< EqualBuffers, RmseBuffers.
  uint64_t byteOffset = 0;  ///< Values: where the first value stands.
  DataFormat format;        ///< Values: how the bytes are read, element after element.
  Comparator comparator = Comparator::Eq;
  std::vector<uint64_t> values; ///< Bits, zero-extended, as format.scalar; components in order.
  std::vector<Tolerance> tolerances; ///< None, one for all, or one per component of an element.
  double rmse = 0;                   ///< RmseBuffers: the bound.
  unsigned line = 0;
  std::string text; ///< The line as written, for messages.
};

using Command = std::variant<Dispatch, BufferCopy, Expectation>;

/// Why a machine can't run a case that is perfectly good.
struct Requirement {
  std::string reason; ///< "storage images (line 12)".
};

struct Case {
  std::string id;   ///< Stable name: path as given, without the folder of the corpus.
  std::string path; ///< Where it was read from.
  std::vector<Buffer> buffers;
  std::vector<CasePipeline> pipelines;
  std::vector<Command> commands; ///< In order of the script.
  /// What the script needs beyond what Assay reads; not empty = every verdict is unsupported.
  std::vector<Requirement> unsupported;
};

/// A checkpoint is a maximal run of Expectations, and one more stands at the end of the script:
/// the points at which buffers are looked at. Returns how many there are.
unsigned countCheckpoints(const Case &input);

} // namespace assay
