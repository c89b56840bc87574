// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of libdrm are defined here, in the program, and so come before those of libdrm.so
// that turnip is linked to. Facts: the kernel's include/uapi/drm/msm_drm.h, libdrm's xf86drm.h.
#include "harness/peer/turnip/guest/FakeMsm.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <drm/msm_drm.h>
#include <fcntl.h>
#include <map>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

using namespace assay::turnip;

namespace {

/// libdrm's drmDevice, drmVersion.
struct DrmDevice {
  char **nodes;
  int available_nodes;
  int bustype;
  void *businfo;
  void *deviceinfo;
};

struct DrmVersion {
  int major, minor, patch;
  int nameLength;
  char *name;
  int dateLength;
  char *date;
  int descriptionLength;
  char *description;
};

/// Device address of the first byte of the file.
constexpr uint64_t FirstAddress = 0x100000000;
constexpr uint64_t PageBytes = 4096;

/// A part of the file, in whole pages.
struct BufferObject {
  uint64_t offset = 0; ///< In the file; its address is FirstAddress higher.
  uint64_t bytes = 0;
};

/// The file is the device's memory. It grows with each buffer object; offsets are never used again.
struct FakeDevice {
  uint64_t chip = 0;
  int file = -1;    ///< Descriptor of a memfd.
  std::string node; ///< A path that opens the file.
  uint64_t end = 0; ///< Bytes of the file.
  uint32_t nextHandle = 1;
  std::map<uint32_t, BufferObject> objects;
  std::vector<CommandStream> streams; ///< Of the submission that takeSubmission() returns next.
};

/// The answer to MSM_GET_PARAM.
struct ParameterRow {
  uint32_t parameter;
  uint64_t value;
};

} // namespace

/// The only device of this process.
static FakeDevice device;

/// Of a device with 1 MiB of GMEM; the rest is the least that turnip accepts. The range of
/// addresses is not among them: then the kernel chooses addresses, not the driver.
static constexpr ParameterRow parameters[] = {
    {MSM_PARAM_GMEM_SIZE, 0x100000}, {MSM_PARAM_MAX_FREQ, 1000000000}, {MSM_PARAM_TIMESTAMP, 0},
    {MSM_PARAM_GMEM_BASE, 0x100000}, {MSM_PARAM_PRIORITIES, 3},        {MSM_PARAM_PP_PGTABLE, 1},
    {MSM_PARAM_FAULTS, 0},           {MSM_PARAM_SUSPENDS, 0},
};

/// \p chip is the number that the driver reads as its chip id. Its memory is an anonymous file.
void assay::turnip::createFakeDevice(uint64_t chip) {
  device = FakeDevice();
  device.chip = chip;
  device.file = memfd_create("adreno", 0);
  device.node = "/proc/self/fd/" + std::to_string(device.file);
}

/// Returns the streams since the last call, and forgets them.
std::vector<CommandStream> assay::turnip::takeSubmission() {
  return std::exchange(device.streams, {});
}

/// Returns all memory that is not zero, in ranges of consecutive pages. Holes of the file and pages
/// of zeros are left out.
std::vector<MemoryRange> assay::turnip::readDeviceMemory() {
  std::vector<MemoryRange> ranges;
  off_t at = 0;
  auto end = static_cast<off_t>(device.end);
  while ((at = lseek(device.file, at, SEEK_DATA)) >= 0 && at < end) {
    uint8_t page[PageBytes];
    ssize_t read = pread(device.file, page, sizeof page, at);
    if (read <= 0)
      break;
    bool isZero = std::all_of(page, page + read, [](uint8_t byte) { return byte == 0; });
    uint64_t address = FirstAddress + static_cast<uint64_t>(at);
    at += read;
    if (isZero)
      continue;
    if (ranges.empty() || ranges.back().address + ranges.back().bytes.size() != address)
      ranges.push_back({address, {}});
    ranges.back().bytes.insert(ranges.back().bytes.end(), page, page + read);
  }
  return ranges;
}

/// Sets the value of the parameter. -EINVAL for one that is not known, as the kernel has it.
static int getParameter(drm_msm_param &request) {
  if (request.param == MSM_PARAM_CHIP_ID) {
    request.value = device.chip;
    return 0;
  }
  if (request.param == MSM_PARAM_GPU_ID) {
    // What the kernel makes of a chip number of the form 0xMMmmppPP; 0 where it has another form.
    uint64_t major = device.chip >> 24 & 0xff, minor = device.chip >> 16 & 0xff,
             patch = device.chip >> 8 & 0xff;
    request.value = major < 10 ? major * 100 + minor * 10 + patch : 0;
    return 0;
  }
  for (const ParameterRow &row : parameters)
    if (row.parameter == request.param) {
      request.value = row.value;
      return 0;
    }
  return -EINVAL;
}

/// Adds a buffer object at the end of the memory, and sets its handle.
static int createObject(drm_msm_gem_new &request) {
  uint64_t bytes = (request.size + PageBytes - 1) / PageBytes * PageBytes;
  if (ftruncate(device.file, static_cast<off_t>(device.end + bytes)))
    return -errno;
  request.handle = device.nextHandle++;
  device.objects[request.handle] = {device.end, bytes};
  device.end += bytes;
  return 0;
}

/// Sets the offset for mmap() or the device address. Other questions are left without an answer.
static int describeObject(drm_msm_gem_info &request) {
  auto found = device.objects.find(request.handle);
  if (found == device.objects.end())
    return -ENOENT;
  if (request.info == MSM_INFO_GET_OFFSET)
    request.value = found->second.offset;
  else if (request.info == MSM_INFO_GET_IOVA)
    request.value = FirstAddress + found->second.offset;
  return 0;
}

/// Notes the address and size of each command stream; nothing is executed.
static int submit(const drm_msm_gem_submit &request) {
  const auto *objects = reinterpret_cast<const drm_msm_gem_submit_bo *>(request.bos);
  const auto *commands = reinterpret_cast<const drm_msm_gem_submit_cmd *>(request.cmds);
  for (uint32_t i = 0; i < request.nr_cmds; ++i) {
    const drm_msm_gem_submit_cmd &command = commands[i];
    if (command.submit_idx >= request.nr_bos)
      return -EINVAL;
    auto found = device.objects.find(objects[command.submit_idx].handle);
    if (found == device.objects.end())
      return -ENOENT;
    device.streams.push_back(
        {FirstAddress + found->second.offset + command.submit_offset, command.size});
  }
  return 0;
}

/// Returns 0 or a negative errno. \p number is a DRM_MSM_* command.
static int runCommand(unsigned long number, void *data) {
  switch (number) {
  case DRM_MSM_GET_PARAM:
    return getParameter(*static_cast<drm_msm_param *>(data));
  case DRM_MSM_GEM_NEW:
    return createObject(*static_cast<drm_msm_gem_new *>(data));
  case DRM_MSM_GEM_INFO:
    return describeObject(*static_cast<drm_msm_gem_info *>(data));
  case DRM_MSM_GEM_SUBMIT:
    return submit(*static_cast<drm_msm_gem_submit *>(data));
  case DRM_MSM_SUBMITQUEUE_NEW:
    static_cast<drm_msm_submitqueue *>(data)->id = 1;
    return 0;
  default: // CPU access, fences, advice: done at once.
    return 0;
  }
}

/// The pages go back to the system, the addresses are not used again.
static void closeObject(uint32_t handle) {
  auto found = device.objects.find(handle);
  if (found == device.objects.end())
    return;
  fallocate(device.file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
            static_cast<off_t>(found->second.offset), static_cast<off_t>(found->second.bytes));
  device.objects.erase(found);
}

/// The result is never freed: a process asks for few of them.
static DrmDevice *makeDrmDevice() {
  auto *result = new DrmDevice();
  result->nodes = new char *[3];
  for (int i = 0; i < 3; ++i)
    result->nodes[i] = strdup(device.node.c_str());
  result->available_nodes = 1 << 0 | 1 << 2; // Primary and render node.
  result->bustype = 2;                       // DRM_BUS_PLATFORM.
  result->businfo = calloc(1, 512);
  result->deviceinfo = calloc(1, 64);
  return result;
}

// The names are libdrm's.
// NOLINTBEGIN(readability-identifier-naming)
extern "C" {
/// Returns the number of devices, 1; fills in the first entry of \p devices where there is room.
int drmGetDevices2(uint32_t, DrmDevice **devices, int room) {
  if (devices && room > 0)
    devices[0] = makeDrmDevice();
  return 1;
}
/// Returns the one device, whatever file is asked about.
int drmGetDevice2(int, uint32_t, DrmDevice **result) {
  *result = makeDrmDevice();
  return 0;
}
void drmFreeDevices(DrmDevice **, int) {}
void drmFreeDevice(DrmDevice **) {}

/// Claims to be msm 1.12. The driver frees the result.
DrmVersion *drmGetVersion(int) {
  auto *version = new DrmVersion();
  version->major = 1;
  version->minor = 12;
  version->name = strdup("msm");
  version->nameLength = 3;
  version->date = strdup("");
  version->description = strdup("");
  return version;
}
void drmFreeVersion(DrmVersion *) {}

/// Every capability is there.
int drmGetCap(int, uint64_t, uint64_t *value) {
  *value = 1;
  return 0;
}
/// Returns 0 or a negative error number.
int drmCommandWriteRead(int, unsigned long number, void *data, unsigned long) {
  return runCommand(number, data);
}
/// The same as drmCommandWriteRead(): no command depends on the direction.
int drmCommandWrite(int, unsigned long number, void *data, unsigned long) {
  return runCommand(number, data);
}
/// Handles GEM_CLOSE and the commands of msm; all others succeed without effect. Sets errno and
/// returns -1 on errors.
int drmIoctl(int, unsigned long request, void *data) {
  unsigned number = request & 0xff;
  if (number == (DRM_IOCTL_GEM_CLOSE & 0xff))
    closeObject(static_cast<drm_gem_close *>(data)->handle);
  if (number < DRM_COMMAND_BASE || number >= DRM_COMMAND_END)
    return 0;
  int result = runCommand(number - DRM_COMMAND_BASE, data);
  if (result == 0)
    return 0;
  errno = -result;
  return -1;
}

/// Handles are never used again. Nothing is executed, so that all objects count as signalled.
int drmSyncobjCreate(int, uint32_t, uint32_t *handle) {
  static uint32_t next = 1;
  *handle = next++;
  return 0;
}
int drmSyncobjDestroy(int, uint32_t) {
  return 0;
}
int drmSyncobjSignal(int, const uint32_t *, uint32_t) {
  return 0;
}
int drmSyncobjReset(int, const uint32_t *, uint32_t) {
  return 0;
}
/// Succeeds at once.
int drmSyncobjWait(int, uint32_t *, unsigned, int64_t, unsigned, uint32_t *) {
  return 0;
}
}
// NOLINTEND(readability-identifier-naming)
