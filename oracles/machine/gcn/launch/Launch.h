// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the driver and the hardware do before the first instruction: memory, descriptor tables, user
// data, and the registers of each wave. The LaunchState decides; nothing is assumed of the code.
#pragma once

#include "oracles/api/Case.h"
#include "oracles/machine/gcn/launch/CodeImage.h"
#include "oracles/machine/gcn/memory/Descriptors.h"
#include "oracles/machine/simt/CaseMemory.h"
#include <map>
#include <memory>

namespace assay::gcn {

/// Values of user SGPRs that depend on a draw.
using DrawValues = std::map<UserValue, uint32_t>;

/// The memory of one dispatch and the values that user SGPRs get.
class Launch {
public:
  /// Maps the image, the case's buffers (in place) and the tables of pipeline \p pipeline, whose
  /// bindings have \p descriptors. \p seed
  /// chooses what registers, LDS and scratch hold before they are written: code whose results
  /// differ between two seeds reads an uninitialized value, or races.
  Launch(CodeImage &image, const TargetInfo &target, const CasePipeline &pipeline,
         llvm::ArrayRef<DescriptorWords> descriptors, const uint32_t groups[3],
         std::vector<BufferState> &buffers, uint64_t seed);
  virtual ~Launch() = default;

  AddressSpace &memory() { return m_memory; }
  const Program &program() const { return *m_image.program; }
  unsigned wavesPerGroup() const { return m_wavesPerGroup; }
  bool isOnTwoUnits() const { return m_image.launch.isOnTwoUnits; } ///< LaunchState has it.
  /// A workgroup with fresh LDS.
  virtual Workgroup makeGroup(uint64_t index);
  /// Wave \p number of \p group, ready to run. \p id is the workgroup's.
  virtual std::unique_ptr<Wave> makeWave(Workgroup &group, unsigned number, const uint32_t id[3]);
  /// \p wave has run to its end. Called once a wave, by several threads for different waves.
  virtual void takeResult(const Wave &wave) { (void)wave; }

protected:
  /// A wave with everything that does not depend on what it works on: user SGPRs, scratch, MODE;
  /// all lanes active.
  std::unique_ptr<Wave> makeBareWave(Workgroup &group, unsigned number);
  /// A table of \p bytes that only code reads; \p address: its low half.
  llvm::MutableArrayRef<uint8_t> addTable(uint64_t bytes, const llvm::Twine &name,
                                          uint32_t &address);
  /// What the scratch of wave \p number of a workgroup is from the base on, in bytes.
  uint32_t scratchOffsetOf(unsigned number) const {
    return static_cast<uint32_t>(number * m_scratchStride);
  }
  const TargetInfo &target() const { return m_target; }
  const CodeImage &image() const { return m_image; }
  llvm::MutableArrayRef<uint8_t> globalTable() { return m_globalTableBytes; }
  /// What user SGPRs of a draw get.
  DrawValues drawValues;
  /// The table of ring descriptors, RADV's: the base of scratch memory in its first two dwords.
  llvm::MutableArrayRef<uint8_t> ringTable() { return m_ringTable; }
  uint64_t ringTableAddress() const {
    return (m_image.launch.tableBase & ~0xffffffffull) | m_ringTableAddress;
  }

private:
  void mapImage();
  void readPushConstants(const std::vector<BufferState> &buffers);
  void mapTables(llvm::ArrayRef<DescriptorWords> descriptors);
  void mapSet(const SetPlaces &set, llvm::ArrayRef<DescriptorWords> descriptors);
  void mapScratch();
  void mapUserData();
  void mapPointers();
  bool takes(UserValue value) const;
  uint32_t valueOf(const UserSgpr &sgpr) const;
  void setUserSgprs(Wave &wave) const;
  void setSystemSgprs(Wave &wave, const uint32_t id[3]) const;
  void setTtmps(Wave &wave, const uint32_t id[3]) const;
  void setVgprs(Wave &wave) const;
  uint32_t groupSizeWord(const Wave &wave) const;

  CodeImage &m_image;
  const TargetInfo &m_target;
  const CasePipeline &m_pipeline;
  uint32_t m_groups[3];
  simt::UninitializedPattern m_unwritten;
  AddressSpace m_memory;
  std::vector<uint32_t> m_pushConstants;
  std::vector<uint32_t> m_userData; ///< Of the resource layout.
  std::map<uint32_t, uint32_t> m_setTables;
  uint64_t m_nextTable;
  uint32_t m_globalTable = 0;
  llvm::MutableArrayRef<uint8_t> m_globalTableBytes;
  llvm::MutableArrayRef<uint8_t> m_ringTable;
  uint32_t m_ringTableAddress = 0;
  uint32_t m_spillTable = 0;
  uint32_t m_setPointers = 0;
  uint32_t m_pushTable = 0;
  uint64_t m_groupCounts = 0;
  uint64_t m_scratchStride = 0;
  unsigned m_wavesPerGroup;
};

} // namespace assay::gcn
