// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A compute shader as Mesa's turnip submits it to an Adreno GPU: instructions, the registers that
// it sets, what goes into the const file, descriptors as bytes, and where the case's buffers and
// images are. All of it is read from a submission (docs/turnip.md), so a machine needs no knowledge
// of how turnip lays out anything. A file of its own kind holds one.
//
// Names of registers and fields: Mesa 25.0, src/freedreno/registers/adreno/a6xx.xml. Scalar
// registers have ir3's numbers: 4 * N + component for rN.x to rN.w; r48.x is 192, r63.x (252) means
// "none".
#pragma once

#include "oracles/turnip/Memory.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <array>
#include <utility>

namespace assay::turnip {

/// Where a dword that is loaded before a launch comes from.
enum class DwordSource : uint8_t {
  Value,        ///< The dword itself: an immediate, a subgroup size, an address.
  PushConstant, ///< Dword \p value of the push constants.
  GroupCount,   ///< Count of workgroups in dimension \p value (0 to 2).
  FirstGroup,   ///< First workgroup in dimension \p value: 0 except for vkCmdDispatchBase.
  Resource, ///< Bytes \p value to \p value + 3 of resource Load::slot, when the dispatch begins.
};

struct LoadedDword {
  DwordSource source = DwordSource::Value;
  uint32_t value = 0;

  bool operator==(const LoadedDword &) const = default;
};

enum class LoadSpace : uint8_t {
  Constants,       ///< The const file; dword 4 * N + component is cN.x to cN.w.
  SharedConstants, ///< Those that stages share. a6xx with Launch::sharedConstants: dword 0 is
                   ///< c504.x. a7xx: the HLSQ_SHARED_CONSTS_IMM registers, which stsc copies.
  UniformBuffer,   ///< What UBO descriptor \p slot (not bindless) points to.
};

/// Consecutive dwords that the command processor loads before the launch, in the order given (a
/// later load overwrites an earlier one).
struct Load {
  LoadSpace space = LoadSpace::Constants;
  uint32_t slot = 0;  ///< UniformBuffer; of DwordSource::Resource: an index of resources.
  uint32_t first = 0; ///< Dword.
  std::vector<LoadedDword> dwords;

  bool operator==(const Load &) const = default;
};

/// One base of bindless descriptors (SP_CS_BINDLESS_BASE): what ".baseN" in ir3 names. Set N of the
/// pipeline layout is base N.
struct BindlessBase {
  uint32_t base = 0;
  uint32_t descriptorBytes = 64; ///< 16 or 64: the unit of descriptor indices.
  uint64_t address = 0;
  /// The descriptors from \p address on, in dwords little endian; what follows is 0. Addresses in
  /// them are those of \p resources.
  std::vector<uint8_t> bytes;

  bool operator==(const BindlessBase &) const = default;
};

/// What the registers of a dispatch say, decoded.
struct Launch {
  uint32_t fullRegisters = 0; ///< vec4s per fiber: FULLREGFOOTPRINT.
  uint32_t halfRegisters = 0; ///< HALFREGFOOTPRINT; 0 with merged registers.
  bool mergedRegisters = false;
  bool earlyPreamble = false;
  uint32_t branchStack = 0;      ///< BRANCHSTACK.
  uint32_t fibersPerWave = 64;   ///< THREADSIZE: 64 or 128; of a420 32.
  uint32_t constantVec4s = 0;    ///< CONSTLEN times 4: size of the const file.
  bool sharedConstants = false;  ///< SP_MODE_CONTROL.SHARED_CONSTS_ENABLE (a6xx), or
                                 ///< READ_IMM_SHARED_CONSTS (a7xx).
  bool demotesConstants = false; ///< SP_MODE_CONTROL.CONSTANT_DEMOTION_ENABLE: a half operand hcN
                                 ///< is cN, converted.
  uint32_t localBytes = 1024;    ///< Workgroup memory: SHARED_SIZE, at least 1 KiB.
  uint32_t privateBytesPerFiber = 0;
  bool privatePerWave = false;                ///< PERWAVEMEMLAYOUT.
  std::array<uint32_t, 3> localSize{1, 1, 1}; ///< Fibers of a workgroup.
  uint32_t workgroupIdRegister = 252;     ///< WGIDCONSTID: the first of three; a shared register.
  uint32_t workgroupSizeRegister = 252;   ///< WGSIZECONSTID.
  uint32_t workgroupOffsetRegister = 252; ///< WGOFFSETCONSTID.
  /// WGIDCONSTID of a4xx: the first of three dwords of the const file. No file of turnip has it.
  uint32_t workgroupIdConstant = ~0U;
  uint32_t localIdRegister = 252;    ///< LOCALIDREGID: the first of three.
  uint32_t localIndexRegister = 252; ///< LINEARLOCALIDREGID.
  uint32_t firstInstruction = 0;     ///< OBJ_FIRST_EXEC_OFFSET, in instructions.

  bool operator==(const Launch &) const = default;
};

/// A buffer that a4xx reaches by the number of a slot (A4XX_SSBO_0, A4XX_SSBO_1).
struct BufferSlot {
  uint32_t address = 0;
  uint32_t dwords = 0;
};

struct TurnipShader {
  std::string driver; ///< "FD630, turnip Mesa driver 25.0.7".
  std::string target; ///< "a630".
  Launch launch;
  std::vector<uint64_t> code; ///< Instructions, the padding at the end too (INSTRLEN).
  std::vector<Load> loads;
  std::vector<BindlessBase> bases;
  std::vector<BufferSlot> slots; ///< Of a4xx, which turnip does not support: in no file.
  /// By index into Case::buffers. The machine puts the case's bytes there; those of an image texel
  /// by texel as its levels say.
  std::vector<ResourcePlace> resources;
  /// Border colors and whatever else of the driver's memory registers point to.
  std::vector<MemoryRange> memory;
  /// Every register that was set before the launch, by number. The last value counts.
  std::vector<std::pair<uint32_t, uint32_t>> registers;
  std::vector<Statistic> statistics; ///< In the driver's order.
  std::string assembly;              ///< The driver's own disassembly.
};

std::vector<uint8_t> writeTurnipShader(const TurnipShader &shader);
/// InvalidInput for anything writeTurnipShader would not have written: what verifyTurnipShader
/// checks holds when it succeeds, whatever the bytes were.
llvm::Expected<TurnipShader> readTurnipShader(llvm::ArrayRef<uint8_t> bytes);

/// InvalidInput where sizes exceed what the hardware has, loads lie outside of their space,
/// register numbers are no registers, and ranges of memory overlap.
llvm::Error verifyTurnipShader(const TurnipShader &shader);

/// The statistics on one line: "44 instr, 30 nops, 3 full, ...", only what is not 0.
std::string printStatistics(const TurnipShader &shader);
/// Everything but the code and registers of the fixed pipeline, a line each.
std::string printTurnipShader(const TurnipShader &shader);

} // namespace assay::turnip
