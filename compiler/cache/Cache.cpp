// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/cache/Cache.h"

#include "support/Error.h"
#include "support/Fault.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;
using namespace assay;

/// llvm::pruneCache removes files of this prefix only.
static constexpr StringLiteral entryPrefix = "llvmcache-";
static constexpr StringLiteral unfinishedPrefix = "llvmcache-unfinished-";
static constexpr StringLiteral buildPrefix = "build-";

Expected<CachePruningPolicy> assay::parseCachePolicy(StringRef text) {
  Expected<CachePruningPolicy> policy = parseCachePruningPolicy(text);
  if (!policy)
    return invalidInput("cache policy '" + text + "': " + toString(policy.takeError()));
  return policy;
}

Expected<std::unique_ptr<Cache>> Cache::open(CacheOptions options) {
  std::unique_ptr<Cache> cache(new Cache(std::move(options)));
  StringRef folder = cache->m_options.folder;
  if (folder.empty())
    return cache;
  Hash128 build = faultPlanted(Fault::CacheForgetsBuild) ? Hash128{} : cache->m_options.build;
  SmallString<128> path(folder);
  sys::path::append(path, buildPrefix + printHash(build));
  cache->m_buildFolder = path.str().str();
  // A folder that can't be written may still be read.
  std::error_code code = sys::fs::create_directories(path);
  if (code && !sys::fs::is_directory(folder))
    return environmentError("cache " + folder + ": " + code.message());
  return cache;
}

Cache::~Cache() {
  if (m_statistics.stored)
    prune();
}

std::string Cache::getPath(const Hash128 &key) const {
  SmallString<128> path(m_buildFolder);
  sys::path::append(path, entryPrefix + printHash(key));
  return path.str().str();
}

/// Keeps \p payload in memory and drops those that were not used for longest. Payloads above the
/// limit are not kept.
void Cache::remember(const Hash128 &key, ArrayRef<uint8_t> payload) {
  if (payload.size() > m_options.memoryBytes || m_index.count(key))
    return;
  m_recent.push_front({key, payload.vec()});
  m_index[key] = m_recent.begin();
  m_rememberedBytes += payload.size();
  while (m_rememberedBytes > m_options.memoryBytes) {
    m_rememberedBytes -= m_recent.back().payload.size();
    m_index.erase(m_recent.back().key);
    m_recent.pop_back();
  }
}

/// Removes \p path if it still has \p bytes. Another process may have removed it and stored a
/// good entry since. All who remove an entry hold its lock, so nothing changes after the
/// comparison.
static void removeDamaged(const std::string &path, StringRef bytes) {
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    return;
  scope_exit closer([&] { ::close(file); });
  struct stat opened, named;
  if (::flock(file, LOCK_EX) != 0 || ::fstat(file, &opened) != 0 ||
      ::stat(path.c_str(), &named) != 0 || opened.st_ino != named.st_ino ||
      opened.st_dev != named.st_dev)
    return;
  ErrorOr<std::unique_ptr<MemoryBuffer>> now =
      MemoryBuffer::getOpenFile(file, path, static_cast<uint64_t>(opened.st_size),
                                /*RequiresNullTerminator=*/false, /*IsVolatile=*/true);
  if (!now || (*now)->getBuffer() == bytes)
    ::unlink(path.c_str());
}

/// Reads an entry from the folder; a damaged one is counted and removed. A good one gets the time
/// of now.
std::optional<std::vector<uint8_t>> Cache::findFile(const Hash128 &key) {
  std::string path = getPath(key);
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer =
      MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false,
                            /*IsVolatile=*/true);
  if (!buffer)
    return std::nullopt;
  ArrayRef<uint8_t> payload;
  if (readEntry(arrayRefFromStringRef((*buffer)->getBuffer()), key, payload) != EntryState::Good) {
    ++m_statistics.damaged;
    removeDamaged(path, (*buffer)->getBuffer());
    return std::nullopt;
  }
  // llvm::pruneCache goes by the time of the last access, which the file system need not keep.
  utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
  return payload.vec();
}

std::optional<std::vector<uint8_t>> Cache::find(const Hash128 &key) {
  if (auto known = m_index.find(key); known != m_index.end()) {
    ++m_statistics.hits;
    m_recent.splice(m_recent.begin(), m_recent, known->second);
    return known->second->payload;
  }
  std::optional<std::vector<uint8_t>> payload;
  if (!m_buildFolder.empty())
    payload = findFile(key);
  if (!payload) {
    ++m_statistics.misses;
    return std::nullopt;
  }
  ++m_statistics.hits;
  remember(key, *payload);
  return payload;
}

/// Writes all \p bytes; false after an error.
static bool writeAll(int file, ArrayRef<uint8_t> bytes) {
  while (!bytes.empty()) {
    ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    bytes = bytes.drop_front(static_cast<size_t>(written));
  }
  return true;
}

/// For file systems without O_TMPFILE. What a killed process leaves is pruned like an entry.
static bool writeAndRename(StringRef folder, const std::string &path, ArrayRef<uint8_t> bytes) {
  SmallString<128> pattern(folder);
  sys::path::append(pattern, unfinishedPrefix + "XXXXXX");
  int file = mkstemp(const_cast<char *>(pattern.c_str()));
  if (file < 0)
    return false;
  bool isWritten = writeAll(file, bytes);
  ::close(file);
  if (isWritten && ::rename(pattern.c_str(), path.c_str()) == 0)
    return true;
  ::unlink(pattern.c_str());
  return false;
}

/// Writes to an unnamed file and links it to its name when complete, so that nobody reads half an
/// entry.
bool Cache::writeFile(const Hash128 &key, ArrayRef<uint8_t> bytes) const {
  std::string path = getPath(key);
  int file = ::open(m_buildFolder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0644);
  if (file < 0)
    return (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL) &&
           writeAndRename(m_buildFolder, path, bytes);
  scope_exit closer([&] { ::close(file); });
  if (!writeAll(file, bytes))
    return false;
  std::string link = "/proc/self/fd/" + std::to_string(file);
  // Somebody else may have stored the same bytes.
  return ::linkat(AT_FDCWD, link.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0 ||
         errno == EEXIST;
}

void Cache::store(const Hash128 &key, ArrayRef<uint8_t> payload) {
  remember(key, payload);
  if (m_buildFolder.empty())
    return;
  if (!writeFile(key, printEntry(key, payload))) {
    ++m_statistics.notWritten;
    return;
  }
  ++m_statistics.stored;
  // A limit in bytes holds at all times, also if this process is killed before its end.
  if (m_options.policy.MaxSizeBytes) {
    CachePruningPolicy now = m_options.policy;
    now.Interval = std::chrono::seconds(0);
    pruneCache(m_buildFolder, now);
  }
}

/// Returns whether \p path is named as a finished entry.
static bool isEntry(StringRef path) {
  StringRef name = sys::path::filename(path);
  return name.starts_with(entryPrefix) && !name.starts_with(unfinishedPrefix);
}

/// Returns whether \p path is the folder of a build.
static bool isBuild(StringRef path) {
  return sys::path::filename(path).starts_with(buildPrefix) && sys::fs::is_directory(path);
}

/// The paths in \p folder that \p belongs accepts, in order.
static std::vector<std::string> listFolder(StringRef folder, bool (*belongs)(StringRef)) {
  std::vector<std::string> paths;
  std::error_code code;
  for (sys::fs::directory_iterator each(folder, code), end; !code && each != end;
       each.increment(code))
    if (belongs(each->path()))
      paths.push_back(each->path());
  llvm::sort(paths);
  return paths;
}

void Cache::prune() {
  if (m_buildFolder.empty())
    return;
  for (const std::string &build : listFolder(m_options.folder, isBuild)) {
    pruneCache(build, m_options.policy);
    if (build == m_buildFolder || !listFolder(build, isEntry).empty())
      continue;
    SmallString<128> stamp(build);
    sys::path::append(stamp, "llvmcache.timestamp");
    sys::fs::remove(stamp);
    sys::fs::remove(build); // Only if nothing else is in it.
  }
}

/// Returns the key in the name of an entry; zeros where it has none.
static Hash128 parseKey(StringRef path) {
  StringRef digits = sys::path::filename(path).drop_front(entryPrefix.size());
  Hash128 key;
  if (digits.size() != 32 || digits.take_front(16).getAsInteger(16, key.high) ||
      digits.drop_front(16).getAsInteger(16, key.low))
    return {};
  return key;
}

/// Reads an entry and checks it against the key in its name.
static bool isGoodFile(StringRef path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = MemoryBuffer::getFile(path);
  ArrayRef<uint8_t> payload;
  return buffer && readEntry(arrayRefFromStringRef((*buffer)->getBuffer()), parseKey(path),
                             payload) == EntryState::Good;
}

Expected<CacheFolder> assay::readCacheFolder(StringRef folder, bool verify) {
  if (!sys::fs::is_directory(folder))
    return invalidInput(folder + ": is not a folder");
  CacheFolder result;
  for (const std::string &path : listFolder(folder, isBuild)) {
    CacheFolder::Build &build = result.builds.emplace_back();
    build.name = sys::path::filename(path).str();
    for (const std::string &entry : listFolder(path, isEntry)) {
      uint64_t size = 0;
      if (sys::fs::file_size(entry, size))
        continue; // Removed by another process.
      ++build.entries;
      build.bytes += size;
      if (verify && !isGoodFile(entry))
        build.damaged.push_back(entry);
    }
  }
  return result;
}

Expected<uint64_t> assay::clearCacheFolder(StringRef folder) {
  if (!sys::fs::is_directory(folder))
    return invalidInput(folder + ": is not a folder");
  uint64_t removed = 0;
  for (const std::string &path : listFolder(folder, isBuild)) {
    for (const std::string &entry : listFolder(path, isEntry))
      if (!sys::fs::remove(entry))
        ++removed;
    SmallString<128> stamp(path);
    sys::path::append(stamp, "llvmcache.timestamp");
    sys::fs::remove(stamp);
    sys::fs::remove(path);
  }
  return removed;
}
