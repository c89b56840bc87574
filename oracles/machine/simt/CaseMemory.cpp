// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/simt/CaseMemory.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace assay;
using namespace assay::simt;

/// Returns addresses with a gap after each buffer, so that an access beyond its end hits nothing.
std::vector<uint64_t> simt::placeBuffers(ArrayRef<size_t> sizes) {
  std::vector<uint64_t> addresses;
  uint64_t address = BufferBase;
  for (size_t size : sizes) {
    addresses.push_back(address);
    address = alignTo(address + size + BufferGap, BufferGap);
  }
  return addresses;
}

std::vector<uint64_t> simt::placeBuffers(const Case &input) {
  return placeBuffers(
      map_to_vector(input.buffers, [](const Buffer &buffer) { return buffer.bytes.size(); }));
}

/// Maps the bytes of the states themselves: what is stored is in them.
std::vector<uint64_t> simt::mapBuffers(AddressSpace &memory, std::vector<BufferState> &buffers) {
  std::vector<uint64_t> addresses = placeBuffers(
      map_to_vector(buffers, [](const BufferState &buffer) { return buffer.bytes.size(); }));
  for (auto [index, buffer] : enumerate(buffers))
    memory.map(addresses[index], buffer.bytes, "buffer " + std::to_string(index), true);
  return addresses;
}

/// Words are NaNs as floats, and large as integers, with any seed.
UninitializedPattern::UninitializedPattern(uint64_t seed) {
  uint64_t mixed = (seed * 0x9e3779b97f4a7c15ull) >> 32;
  word = 0x7fa0dead ^ static_cast<uint32_t>(mixed & 0xfffff);
  byte = static_cast<uint8_t>(0xfb ^ (mixed & 0x7f));
}
