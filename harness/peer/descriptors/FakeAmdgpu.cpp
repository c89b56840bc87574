// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structures: the kernel's interface of amdgpu (amdgpu_drm.h) and libdrm's (xf86drm.h, amdgpu.h),
// both stable; the parts that RADV uses.
#include "harness/peer/descriptors/FakeAmdgpu.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/MathExtras.h"
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <map>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace llvm;
using namespace assay;

// --- The kernel's structures

namespace {
/// drm_amdgpu_info. \p result is the address of memory that the caller owns.
struct InfoRequest {
  uint64_t result;
  uint32_t resultBytes;
  uint32_t query;
  uint32_t arguments[4];
};

/// drm_amdgpu_info_device.
struct DeviceInfo {
  uint32_t deviceId, chipRevision, externalRevision, pciRevision, family;
  uint32_t shaderEngines, shaderArrays, counterFrequency;
  uint64_t maxEngineClock, maxMemoryClock;
  uint32_t activeUnits, alwaysOnMask, unitMask[4][4];
  uint32_t renderBackendMask, renderBackends, contexts, pcieGeneration;
  uint64_t idFlags, addressOffset, addressMax;
  uint32_t addressAlignment, fragmentBytes, pageBytes, constantRam, memoryType, memoryBits;
  uint32_t videoConfig, doubleLds;
  uint64_t primitiveBuffers[4];
  uint32_t primitiveBytes[4];
  uint32_t waveSize, vgprs, unitsPerArray, cacheBlocks, vertexDepth, primitiveDepth, geometryWaves;
  uint32_t pcieLanes, alwaysOnUnits[4][4];
  uint64_t highOffset, highMax;
};

/// drm_amdgpu_heap_info.
struct HeapInfo {
  uint64_t totalBytes, usableBytes, usedBytes, maxAllocation;
};

/// amdgpu_bo_alloc_request.
struct BoRequest {
  uint64_t bytes, alignment;
  uint32_t heap;
  uint64_t flags;
};

/// drmPciBusInfo.
struct PciBus {
  uint16_t domain;
  uint8_t bus, device, function;
};
/// drmPciDeviceInfo.
struct PciDevice {
  uint16_t vendor, device, subvendor, subdevice;
  uint8_t revision;
};
/// drmDevice. The index into \p nodes is a node type, and \p availableNodes has a bit for each.
struct DrmDevice {
  char **nodes;
  int availableNodes;
  int busType;
  PciBus *bus;
  PciDevice *info;
};
/// drmVersion.
struct DrmVersion {
  int major, minor, patch;
  int nameLength;
  char *name;
  int dateLength;
  char *date;
  int descriptionLength;
  char *description;
};

/// Numbers of ioctls: DRM_COMMAND_BASE and one of DRM_AMDGPU_*.
enum Command : unsigned { GemMap = 0x41, Context = 0x42, Submit = 0x44, Info = 0x45, Wait = 0x49 };
/// AMDGPU_INFO_*. Queries without a name here are answered with numbers that do no harm.
enum Query : uint32_t {
  IpInfo = 2,
  IpCount = 3,
  FirmwareVersion = 14,
  ReadRegister = 21,
  DeviceQuery = 22,
  MemoryQuery = 25
};
/// GB_ADDR_CONFIG, by its offset in dwords.
constexpr uint32_t AddressConfigRegister = 0x263e;
constexpr uint32_t FirstVideoBlock = 3; ///< Of the numbers of hardware blocks.
/// DRM_NODE_RENDER.
constexpr unsigned RenderNode = 2;
/// Bytes to which offsets and addresses are aligned.
constexpr uint64_t Page = 65536;

/// The one device.
struct Gpu {
  const FakeChip *chip = nullptr;
  std::string path;
  std::array<char *, 3> nodes = {};
  PciBus bus = {0, 1, 0, 0};
  PciDevice pci = {0x1002, 0x1234, 0, 0, 0};
  DrmDevice device = {};
  uint64_t nextOffset = Page;               ///< Of the next buffer object, in the file of memory.
  uint64_t nextAddress = uint64_t(1) << 32; ///< Device address that is given out next.
  std::map<uint32_t, uint64_t>
      offsets; ///< Of buffer objects, in the file that is the GPU's memory.
};
} // namespace

// GB_ADDR_CONFIG as the kernel sets it: pipes and their interleaving decide tilings alone.
static constexpr FakeChip Chips[] = {
    {"gfx900", 141, 1, 9 << 16, 0x2a114042},
    {"gfx1030", 143, 0x28, 10 << 16 | 3 << 8, 0x444},
    {"gfx1100", 145, 1, 11 << 16, 0x545},
    {"gfx1201", 152, 0x51, 12 << 16 | 1, 0x444},
};

ArrayRef<FakeChip> assay::fakeChips() {
  return Chips;
}

/// The device of this process. It has no chip until useFakeChip() is called.
static Gpu &gpu() {
  static Gpu instance;
  return instance;
}

/// Makes this chip the one that RADV finds. Memory is an anonymous file, whose pages exist once
/// they are written. Later calls change the chip only.
void assay::useFakeChip(const FakeChip &chip) {
  Gpu &self = gpu();
  self.chip = &chip;
  if (self.device.nodes)
    return;
  int file = memfd_create("gpu", 0);
  if (ftruncate(file, int64_t(1) << 40) != 0)
    std::perror("ftruncate");
  self.path = "/proc/self/fd/" + std::to_string(file);
  self.nodes[RenderNode] = self.path.data();
  self.device = {self.nodes.data(), 1 << RenderNode, 0, &self.bus, &self.pci};
}

/// Returns numbers that RADV accepts for any chip. Only the family and the revision are those of \p
/// chip.
static DeviceInfo describeDevice(const FakeChip &chip) {
  DeviceInfo info = {};
  info.deviceId = gpu().pci.device;
  info.family = chip.family;
  info.externalRevision = chip.externalRevision;
  info.shaderEngines = 4;
  info.shaderArrays = 2;
  info.counterFrequency = 100000;
  info.maxEngineClock = info.maxMemoryClock = 1000000;
  info.activeUnits = 64;
  for (auto &engine : info.unitMask)
    engine[0] = engine[1] = 0xff;
  info.renderBackendMask = 0xffff;
  info.renderBackends = 16;
  info.contexts = 8;
  info.addressOffset = 0x200000;
  info.addressMax = uint64_t(1) << 47;
  info.addressAlignment = info.pageBytes = 4096;
  info.fragmentBytes = Page;
  info.memoryType = 9; // GDDR6.
  info.memoryBits = 256;
  info.waveSize = 64;
  info.vgprs = 256;
  info.unitsPerArray = 8;
  info.cacheBlocks = 16;
  info.vertexDepth = info.geometryWaves = 32;
  info.primitiveDepth = 1792;
  info.highOffset = 0xffff800000000000;
  info.highMax = ~uint64_t(0);
  return info;
}

/// Writes the answer into the caller's memory, cut to its size, and returns 0. Requires a chip.
static int answer(const InfoRequest &request) {
  assert(gpu().chip && "a device is opened only once there is a chip");
  const FakeChip &chip = *gpu().chip;
  auto *bytes = reinterpret_cast<char *>(request.result); // NOLINT(performance-no-int-to-ptr)
  auto *words = reinterpret_cast<uint32_t *>(bytes);
  std::memset(bytes, 0, request.resultBytes);
  auto give = [&](const auto &value) {
    std::memcpy(bytes, &value, std::min<size_t>(sizeof(value), request.resultBytes));
  };
  switch (request.query) {
  case DeviceQuery:
    give(describeDevice(chip));
    break;
  case IpInfo:
    if (request.arguments[0] < FirstVideoBlock)
      give(std::array<uint32_t, 8>{chip.ipVersion >> 16, chip.ipVersion >> 8 & 255, 0, 0, 256, 32,
                                   1, chip.ipVersion});
    break;
  case IpCount:
    give(uint32_t(1));
    break;
  case FirmwareVersion:
    give(std::array<uint32_t, 2>{100, 60});
    break;
  case MemoryQuery: {
    HeapInfo heap = {uint64_t(8) << 30, uint64_t(8) << 30, 0, uint64_t(8) << 30};
    give(std::array<HeapInfo, 3>{heap, heap, heap});
    break;
  }
  case ReadRegister:
    if (request.arguments[0] == AddressConfigRegister)
      give(chip.addressConfig);
    break;
  default: // Sizes and counts of this and that.
    std::fill_n(words, request.resultBytes / 4, 4);
  }
  return 0;
}

// --- What RADV imports from libdrm and libdrm_amdgpu

// Their names and arguments are libdrm's.
// NOLINTBEGIN(readability-identifier-naming,readability-function-size,performance-no-int-to-ptr)

#define EXPORTED extern "C" __attribute__((visibility("default"), used))

/// Reports no device until a chip was chosen.
EXPORTED int drmGetDevices2(uint32_t, DrmDevice **devices, int capacity) {
  if (!gpu().chip)
    return 0;
  if (devices && capacity > 0)
    devices[0] = &gpu().device;
  return 1;
}
EXPORTED void drmFreeDevices(DrmDevice **, int) {}
EXPORTED void drmFreeDevice(DrmDevice **) {}
EXPORTED int drmGetDevice2(int, uint32_t, DrmDevice **device) {
  *device = &gpu().device;
  return 0;
}
EXPORTED DrmVersion *drmGetVersion(int) {
  static char name[] = "amdgpu";
  static DrmVersion version = {3, 54, 0, 6, name, 0, nullptr, 0, nullptr};
  return &version;
}
EXPORTED void drmFreeVersion(DrmVersion *) {}
EXPORTED int drmGetCap(int, uint64_t, uint64_t *value) {
  *value = 1;
  return 0;
}

/// Every command succeeds; nothing is executed.
EXPORTED int drmIoctl(int, unsigned long request, void *argument) {
  auto *words = static_cast<uint32_t *>(argument);
  switch (request & 0xff) {
  case Info:
    return answer(*static_cast<InfoRequest *>(argument));
  case GemMap: // The handle goes in, the offset for mmap comes out.
    *static_cast<uint64_t *>(argument) = gpu().offsets[words[0]];
    return 0;
  case Context:
  case Submit:
    words[0] = 1;
    words[1] = 0;
    return 0;
  case Wait:
    *static_cast<uint64_t *>(argument) = 0;
    return 0;
  default:
    return 0;
  }
}

/// Mesa 25.0 asks the kernel itself; all else is passed on.
EXPORTED int ioctl(int file, unsigned long request, ...) { // NOLINT(cert-dcl50-cpp)
  va_list arguments;
  va_start(arguments, request);
  void *argument = va_arg(arguments, void *);
  va_end(arguments);
  constexpr unsigned DrmType = 'd';
  if ((request >> 8 & 0xff) == DrmType)
    return drmIoctl(file, request, argument);
  return static_cast<int>(syscall(SYS_ioctl, file, request, argument));
}

/// The device is the file number plus 1, so that it is never null.
EXPORTED int amdgpu_device_initialize(int file, uint32_t *major, uint32_t *minor, void **device) {
  *major = 3;
  *minor = 54;
  *device = reinterpret_cast<void *>(intptr_t(file) + 1);
  return 0;
}
EXPORTED int amdgpu_device_deinitialize(void *) {
  return 0;
}
EXPORTED int amdgpu_device_get_fd(void *device) {
  return static_cast<int>(reinterpret_cast<intptr_t>(device) - 1);
}
EXPORTED const char *amdgpu_get_marketing_name(void *) {
  return "no GPU";
}
/// The only question that RADV asks here is for the upper half of 32-bit addresses.
EXPORTED int amdgpu_query_sw_info(void *, int, void *value) {
  constexpr uint32_t HighHalfOfShortAddresses = 0xffff8000;
  std::memcpy(value, &HighHalfOfShortAddresses, 4);
  return 0;
}

/// Objects are consecutive parts of the file, in whole pages. Handles count from 1.
EXPORTED int amdgpu_bo_alloc(void *, const BoRequest *request, void **object) {
  auto handle = static_cast<uint32_t>(gpu().offsets.size() + 1);
  gpu().offsets[handle] = gpu().nextOffset;
  gpu().nextOffset += alignTo(request->bytes, Page);
  *object = reinterpret_cast<void *>(uintptr_t(handle));
  return 0;
}
EXPORTED int amdgpu_bo_free(void *) {
  return 0;
}
EXPORTED int amdgpu_bo_export(void *object, int, uint32_t *handle) {
  *handle = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(object));
  return 0;
}
/// Addresses are never used again. A wanted address is given without looking whether it is free.
EXPORTED int amdgpu_va_range_alloc(void *, int, uint64_t bytes, uint64_t alignment, uint64_t wanted,
                                   uint64_t *address, void **range, uint64_t) {
  uint64_t &next = gpu().nextAddress;
  next = alignTo(next, std::max(alignment, Page));
  *address = wanted ? wanted : next;
  next += alignTo(bytes, Page);
  *range = &next;
  return 0;
}
EXPORTED int amdgpu_va_range_free(void *) {
  return 0;
}

EXPORTED int drmSyncobjCreate(int, uint32_t, uint32_t *handle) {
  *handle = 1;
  return 0;
}
EXPORTED int drmSyncobjDestroy(int, uint32_t) {
  return 0;
}
EXPORTED int drmSyncobjWait(int, uint32_t *, unsigned, int64_t, unsigned, uint32_t *) {
  return 0;
}
EXPORTED int drmSyncobjTimelineWait(int, uint32_t *, uint64_t *, unsigned, int64_t, unsigned,
                                    uint32_t *) {
  return 0;
}
EXPORTED int drmSyncobjTimelineSignal(int, const uint32_t *, uint64_t *, uint32_t) {
  return 0;
}
EXPORTED int drmSyncobjReset(int, const uint32_t *, uint32_t) {
  return 0;
}
EXPORTED int drmSyncobjSignal(int, const uint32_t *, uint32_t) {
  return 0;
}
/// All points have been reached.
EXPORTED int drmSyncobjQuery(int, uint32_t *, uint64_t *points, uint32_t count) {
  std::fill_n(points, count, ~uint64_t(0));
  return 0;
}

// NOLINTEND(readability-identifier-naming,readability-function-size,performance-no-int-to-ptr)
