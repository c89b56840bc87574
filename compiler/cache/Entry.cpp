// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/cache/Cache.h"

#include "support/Fault.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace assay;
using namespace llvm::support;

static constexpr char magic[8] = {'A', 'S', 'S', 'A', 'Y', 'C', 'C', 'H'};
static constexpr uint32_t formatVersion = 1;
static constexpr size_t checksumOffset = 40, checksumSize = 32;
static constexpr size_t headerSize = checksumOffset + checksumSize;

/// Of the header before the checksum, and of the payload.
static BLAKE3Result<checksumSize> computeChecksum(ArrayRef<uint8_t> header,
                                                  ArrayRef<uint8_t> payload) {
  BLAKE3 hasher;
  hasher.update(header);
  hasher.update(payload);
  return hasher.final<checksumSize>();
}

std::vector<uint8_t> assay::printEntry(const Hash128 &key, ArrayRef<uint8_t> payload) {
  std::vector<uint8_t> file(headerSize);
  memcpy(file.data(), magic, sizeof(magic));
  endian::write32le(&file[8], formatVersion);
  endian::write64le(&file[16], key.low);
  endian::write64le(&file[24], key.high);
  endian::write64le(&file[32], payload.size());
  BLAKE3Result<checksumSize> checksum =
      computeChecksum(ArrayRef(file).take_front(checksumOffset), payload);
  copy(checksum, file.begin() + checksumOffset);
  append_range(file, payload);
  return file;
}

EntryState assay::readEntry(ArrayRef<uint8_t> file, const Hash128 &key,
                            ArrayRef<uint8_t> &payload) {
  if (file.size() < headerSize || memcmp(file.data(), magic, sizeof(magic)) != 0 ||
      endian::read32le(&file[8]) != formatVersion)
    return EntryState::Damaged;
  payload = file.drop_front(headerSize);
  if (endian::read64le(&file[32]) != payload.size())
    return EntryState::Damaged;
  BLAKE3Result<checksumSize> checksum = computeChecksum(file.take_front(checksumOffset), payload);
  bool isIntact = equal(checksum, file.slice(checksumOffset, checksumSize));
  if (!isIntact && !faultPlanted(Fault::CacheSkipsChecksum))
    return EntryState::Damaged;
  Hash128 own = {endian::read64le(&file[16]), endian::read64le(&file[24])};
  return own == key || faultPlanted(Fault::CacheSkipsKey) ? EntryState::Good : EntryState::OtherKey;
}
