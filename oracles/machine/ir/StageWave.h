// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What waves of graphics stages have in addition: inputs from outside, outputs, and lanes that are
// discarded or only help.
#pragma once

#include "oracles/ir/Interpreter.h"
#include <array>
#include <map>
#include <optional>

namespace assay::irm {

/// How inputs and outputs are numbered in the IR (comments of Lgc.td, "Inputs and outputs of
/// graphics stages").
struct InterfacePlace {
  uint32_t location = 0, component = 0;
  uint32_t index = 0; ///< 1: the second source of blending.

  auto operator<=>(const InterfacePlace &) const = default;
};

/// Components from here on are of 16 bits: the low and the high half of component 0, of 1, ...
constexpr uint32_t firstHalf = 4;

/// Of inputs and outputs, which are 32 bits in the IR: those of 16 are in the low half.
enum class InterfaceFormat : uint8_t { F32 = 0, I32 = 1, F16 = 2, I16 = 3 };

/// An element of a built-in; scalars have element 0.
struct BuiltInPlace {
  uint32_t builtIn = 0; ///< A spv::BuiltIn.
  uint32_t element = 0;

  auto operator<=>(const BuiltInPlace &) const = default;
};

/// What a lane has written.
struct StageOutputs {
  struct Output {
    InterfaceFormat format = InterfaceFormat::F32;
    ir::Scalar value;
    bool isWidened = false; ///< From a parameter of the hardware, where halves are floats.
  };
  /// What one export instruction gave, by register.
  struct Export {
    std::array<ir::Scalar, 4> values;
    uint8_t enabled = 0;       ///< Registers; of a compressed one two bits each.
    bool isCompressed = false; ///< Two registers, with a pair of 16 bits each.
  };
  std::map<InterfacePlace, Output> outputs;
  std::map<BuiltInPlace, ir::Scalar> builtIns;
  std::map<uint32_t, Export> exports; ///< By target, where a pass has lowered the outputs.
  bool isKilled = false;              ///< Terminated or demoted: its outputs do not count.
  bool isHelper = false;              ///< From the start, or demoted.
  bool beginsAsHelper = false;
};

/// An input as the IR asks for it.
struct InputRequest {
  InterfacePlace place;
  InterfaceFormat format = InterfaceFormat::F32;
  /// Bits 0-1: 0 perspective, 1 flat, 2 linear; bits 2-3: 0 centre, 1 centroid, 2 sample.
  uint32_t interpolation = 0;
};

/// Gives the lanes of a wave their inputs, as 32 bits.
class StageInputs {
public:
  virtual ~StageInputs() = default;
  /// Poison where the input has no value.
  virtual ir::Scalar read(unsigned lane, const InputRequest &request) const = 0;
  /// Poison where the stage has no such built-in.
  virtual ir::Scalar readBuiltIn(unsigned lane, const BuiltInPlace &place) const = 0;
};

/// What a stage reads that AMD's passes have lowered, while its entry point has no signature.
class HardwareInputs {
public:
  using Words = std::array<uint32_t, 3>;

  virtual ~HardwareInputs() = default;
  /// The registers that input \p number of lgc.stage.input is in; nothing: the stage has no such
  /// input.
  virtual std::optional<Words> readRegister(unsigned lane, uint32_t number) const = 0;
  /// P0, P10 and P20 of a channel of an attribute, the same in all lanes of a primitive; nothing
  /// where a vertex has not written it.
  virtual std::optional<Words> readParameter(uint32_t attribute, uint32_t channel) const = 0;
};

/// A wave of a graphics stage. Four lanes are a quad, in the order of raster::Quad, in fragment
/// stages.
struct StageWave {
  const StageInputs &inputs;
  const HardwareInputs &hardware;
  std::vector<StageOutputs> lanes;
};

} // namespace assay::irm
