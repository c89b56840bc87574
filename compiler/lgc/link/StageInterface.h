// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a stage shows of itself to the other stages of a pipeline: a value, made from the stage's
// IR.
#pragma once

#include "compiler/lgc/InOut.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class Module;
} // namespace llvm

namespace assay {

/// An input that a stage reads.
struct InputRecord {
  InOutPlace place;
  InOutType type = InOutType::F32;
  Interpolation interpolation = Interpolation::Flat;
  unsigned order = 0; ///< Of the first read, among those of all inputs.
  /// The scalar's place after packing: scalars with the same interpolation share a location, in the
  /// order of their first reads. Two flat scalars of 16 bits share a component; so do two halves
  /// that are interpolated, in locations without other scalars.
  InOutPlace packed;

  bool operator==(const InputRecord &) const = default;
};

/// An output that a stage writes.
struct OutputRecord {
  InOutPlace place;
  InOutType type = InOutType::F32;
  /// The 32 bits that every write there writes, where that is one constant.
  std::optional<uint32_t> constant;

  bool operator==(const OutputRecord &) const = default;
};

/// Holds no pointer into IR. Passes of other stages can't read it: they ask a TrackedView.
class StageInterface {
public:
  /// Of the stage in \p module, which has one function. InvalidInput when it has no entry point of
  /// a graphics stage, or an op has numbers out of range. Unsupported: an input is read with two
  /// interpolations or types, or there are more than 32 locations of inputs after packing.
  static llvm::Expected<StageInterface> of(llvm::Module &module);

  ShaderStage getStage() const { return m_stage; }
  /// All of it, for hashes and comparisons: numbers in 64 bits, little endian.
  std::string getCanonicalBytes() const;

  bool operator==(const StageInterface &) const = default;

private:
  friend class TrackedView;
  friend class OwnInterface;

  ShaderStage m_stage = ShaderStage::Vertex;
  std::vector<InputRecord> m_inputs;                                            ///< By place.
  std::vector<OutputRecord> m_outputs;                                          ///< By place.
  std::vector<std::pair<uint32_t, uint32_t>> m_builtInsRead, m_builtInsWritten; ///< Number, scalar.
};

/// What a stage knows of itself, which needs no tracking.
class OwnInterface {
public:
  explicit OwnInterface(const StageInterface &interface) : m_interface(interface) {}
  llvm::ArrayRef<InputRecord> getInputs() const { return m_interface.m_inputs; }
  llvm::ArrayRef<OutputRecord> getOutputs() const { return m_interface.m_outputs; }

private:
  const StageInterface &m_interface;
};

} // namespace assay
