// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A cache of byte strings by 128-bit keys, in memory and in a folder that several processes may use
// at once. docs/hash-chains.md, "The cache", has the format.
#pragma once

#include "support/Hash.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/Error.h"
#include <list>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace assay {

/// What happened to one Cache object since it was opened.
struct CacheStatistics {
  uint64_t hits = 0; ///< Found in memory or in the folder.
  uint64_t misses = 0;
  uint64_t stored = 0;     ///< Written to the folder.
  uint64_t damaged = 0;    ///< Files that were not what they should be; removed.
  uint64_t notWritten = 0; ///< Entries that could not be written: a full disk, no permission.
};

/// What is wrong with the bytes of a file of the cache.
enum class EntryState { Good, Damaged, OtherKey };

/// An entry's file: 8 bytes "ASSAYCCH", format version (4 bytes), 4 bytes 0, key (16), size of the
/// payload (8), BLAKE3 of everything else (32), payload. Numbers are little endian.
std::vector<uint8_t> printEntry(const Hash128 &key, llvm::ArrayRef<uint8_t> payload);
/// The payload of \p file into \p payload, a part of \p file. Damaged: it is none, is cut off, has
/// the wrong checksum. OtherKey: it is the entry of another key.
EntryState readEntry(llvm::ArrayRef<uint8_t> file, const Hash128 &key,
                     llvm::ArrayRef<uint8_t> &payload);

/// How a Cache is opened.
struct CacheOptions {
  std::string folder;                    ///< Empty: in memory only.
  llvm::CachePruningPolicy policy;       ///< Of the folder of this build.
  size_t memoryBytes = size_t(64) << 20; ///< Bound of the payloads kept in memory.
  Hash128 build;                         ///< Usually getBuildId(): each build has its own folder.
};

/// ThinLTO's syntax: "prune_after=1h:cache_size_bytes=1g" (llvm/Support/CachePruning.h).
llvm::Expected<llvm::CachePruningPolicy> parseCachePolicy(llvm::StringRef text);

/// Not for use by several threads at once. Several processes may use one folder. No failure of the
/// file system changes a result: what can't be read is a miss, what can't be written is not stored.
class Cache {
public:
  /// Creates the folder if necessary. Environment when that is impossible and there is none.
  static llvm::Expected<std::unique_ptr<Cache>> open(CacheOptions options);
  ~Cache(); ///< Prunes the folder.

  /// The bytes that were stored under \p key.
  std::optional<std::vector<uint8_t>> find(const Hash128 &key);
  void store(const Hash128 &key, llvm::ArrayRef<uint8_t> payload);
  const CacheStatistics &getStatistics() const { return m_statistics; }
  /// Removes old entries of this build, and folders of other builds whose entries are all too old.
  void prune();

private:
  explicit Cache(CacheOptions options) : m_options(std::move(options)) {}
  std::string getPath(const Hash128 &key) const;
  std::optional<std::vector<uint8_t>> findFile(const Hash128 &key);
  void remember(const Hash128 &key, llvm::ArrayRef<uint8_t> payload);
  bool writeFile(const Hash128 &key, llvm::ArrayRef<uint8_t> bytes) const;

  /// A payload in memory.
  struct Remembered {
    Hash128 key;
    std::vector<uint8_t> payload;
  };
  const CacheOptions m_options;
  std::string m_buildFolder;
  CacheStatistics m_statistics;
  std::list<Remembered> m_recent; ///< The most recently used one first.
  std::map<Hash128, std::list<Remembered>::iterator> m_index;
  size_t m_rememberedBytes = 0;
};

/// What is in a folder of caches.
struct CacheFolder {
  struct Build {
    std::string name; ///< Of its folder.
    uint64_t entries = 0;
    uint64_t bytes = 0;
    std::vector<std::string> damaged; ///< Paths. Filled when verify is true.
  };
  std::vector<Build> builds; ///< By name.
};
/// InvalidInput when \p folder is none. \p verify: reads each entry.
llvm::Expected<CacheFolder> readCacheFolder(llvm::StringRef folder, bool verify);
/// Removes all entries and the folders of builds, nothing else. The number of entries.
llvm::Expected<uint64_t> clearCacheFolder(llvm::StringRef folder);

} // namespace assay
