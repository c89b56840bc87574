// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the IR of a shader to its words: all passes in order.
#pragma once

#include "compiler/ir3/ir/Program.h"
#include "compiler/ir3/passes/Grouping.h"
#include "compiler/ir3/passes/Schedule.h"
#include "llvm/Support/Error.h"
#include <functional>

namespace assay::ir3 {

/// Options of the passes; the debug modes do not change results.
struct CompileOptions {
  Schedule schedule = Schedule::Pressure;
  Grouping grouping = Grouping::MergeSets;
  bool optimize = true; ///< Copy propagation, common values.
  bool spillAll = false, fullSync = false, fullNop = false;
  unsigned vectors = 0; ///< Registers to use, as AllocationOptions has it.
  bool verify = true;   ///< The validator after each pass.
  /// Is asked, where not empty, about each pass that can be left out, or has a simple way to code
  /// of the same results, by its name: ir3-promote-uniforms and
  /// ir3-place-arrays (before selection), ir3-flatten, ir3-optimize, ir3-lower-operands (arithmetic
  /// reads registers), ir3-schedule, ir3-allocate-registers (a register for each value),
  /// ir3-schedule-physical, ir3-lay-out-blocks, ir3-legalize (waits, delays and (jp) everywhere).
  std::function<bool(llvm::StringRef pass)> mayRun;
  /// Called after each pass with its name; may be empty.
  std::function<void(llvm::StringRef pass, const Program &program)> observe;
};

/// Where the hardware puts an input, or takes an output from.
struct VariantRegister {
  uint32_t index;  ///< Field `index` of the meta instruction; the number of the source of end.
  uint16_t number; ///< reg::None: not used.
  uint8_t size;
  bool half;
};

/// Counts of the code, as Mesa's shader-db has them.
struct Statistics {
  unsigned instructions = 0, nops = 0, moves = 0, conversions = 0, fullRegisters = 0,
           halfRegisters = 0, constVectors = 0, ss = 0, sy = 0, ssStall = 0, syStall = 0, waves = 0,
           loops = 0, stp = 0, ldp = 0;
  unsigned categories[8] = {};
};

/// The code of a shader with what a driver needs to run it (ir3_shader_variant of the notes).
struct ShaderVariant {
  std::vector<uint64_t> words;
  /// Dwords that the const file needs from constBase on.
  std::vector<uint32_t> constImmediates;
  uint32_t constBase = 0;
  uint32_t constVectors = 0; ///< CONSTLEN.
  uint32_t fullVectors = 0;  ///< FULLREGFOOTPRINT: vectors of full registers.
  uint32_t halfVectors = 0;  ///< HALFREGFOOTPRINT: 0 where the files are merged.
  uint32_t branchStack = 0;  ///< BRANCHSTACK.
  uint32_t privateBytes = 0; ///< Per fiber.
  uint32_t localBytes = 0;   ///< Per workgroup.
  bool doubleThreads = false;
  std::vector<VariantRegister> inputs, outputs;
  Statistics statistics;
};

/// Runs all passes on \p program, which becomes the final code. InvalidInput when the validator
/// finds something, with the name of the pass; Limit when registers do not suffice.
llvm::Expected<ShaderVariant> compileProgram(Program &program, const CompileOptions &options);

/// "5 inst, 2 nops, ...": the line of Mesa's shader-db.
std::string printStatistics(const Statistics &statistics, ShaderStage stage);

} // namespace assay::ir3
