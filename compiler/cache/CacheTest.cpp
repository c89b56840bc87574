// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/cache/Cache.h"
#include "compiler/cache/BuildId.h"

#include "support/Error.h"
#include "support/Fault.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <csignal>
#include <fstream>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;
using namespace assay;

namespace {
class CacheTest : public testing::Test {
protected:
  void SetUp() override {
    SmallString<128> path;
    ASSERT_FALSE(sys::fs::createUniqueDirectory("assay-cache", path));
    m_folder = path.str().str();
  }
  void TearDown() override { sys::fs::remove_directories(m_folder); }

  std::unique_ptr<Cache> open(uint64_t build = 1, size_t memoryBytes = 0) {
    CacheOptions options;
    options.folder = m_folder;
    options.build = {build, build};
    options.memoryBytes = memoryBytes;
    return cantFail(Cache::open(std::move(options)));
  }
  std::vector<std::string> listEntries() {
    std::vector<std::string> paths;
    std::error_code code;
    for (sys::fs::recursive_directory_iterator each(m_folder, code), end; !code && each != end;
         each.increment(code))
      if (sys::path::filename(each->path()).starts_with("llvmcache-"))
        paths.push_back(each->path());
    llvm::sort(paths);
    return paths;
  }

  std::string m_folder;
};
} // namespace

/// Bytes that depend on \p number alone, of a size that does, too.
static std::vector<uint8_t> makePayload(uint64_t number) {
  std::vector<uint8_t> bytes(100 + number % 1000);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<uint8_t>(number * 31 + i * 7);
  return bytes;
}

static Hash128 makeKey(uint64_t number) {
  return CanonicalBytes().add(number).hash();
}

TEST_F(CacheTest, FindsWhatAnotherProcessStored) {
  open()->store(makeKey(1), makePayload(1));
  std::unique_ptr<Cache> cache = open();
  EXPECT_EQ(cache->find(makeKey(1)), makePayload(1));
  EXPECT_FALSE(cache->find(makeKey(2)));
  EXPECT_EQ(cache->getStatistics().hits, 1u);
  EXPECT_EQ(cache->getStatistics().misses, 1u);
  cache->store(makeKey(1), makePayload(1)); // Once more is no failure.
  EXPECT_EQ(cache->getStatistics().notWritten, 0u);
  EXPECT_EQ(listEntries().size(), 1u);
}

TEST_F(CacheTest, KeepsTheRecentOnesInMemory) {
  CacheOptions options;
  options.memoryBytes = 2 * makePayload(1).size() + 10;
  std::unique_ptr<Cache> cache = cantFail(Cache::open(std::move(options)));
  for (uint64_t number : {1, 2})
    cache->store(makeKey(number), makePayload(number));
  EXPECT_TRUE(cache->find(makeKey(1)));
  cache->store(makeKey(3), makePayload(3));
  EXPECT_FALSE(cache->find(makeKey(2))); // The one that was used least recently.
  EXPECT_EQ(cache->find(makeKey(1)), makePayload(1));
}

TEST_F(CacheTest, BuildsDoNotShareEntries) {
  open(1)->store(makeKey(1), makePayload(1));
  EXPECT_FALSE(open(2)->find(makeKey(1)));
  EXPECT_TRUE(open(1)->find(makeKey(1)));
  EXPECT_EQ(cantFail(readCacheFolder(m_folder, /*verify=*/true)).builds.size(), 2u);
}

TEST_F(CacheTest, OneFlippedBitIsAMissAndNothingElse) {
  constexpr uint64_t count = 250, flipped = 200;
  {
    std::unique_ptr<Cache> cache = open();
    for (uint64_t number = 0; number < count; ++number)
      cache->store(makeKey(number), makePayload(number));
  }
  std::vector<std::string> entries = listEntries();
  ASSERT_EQ(entries.size(), count);
  for (uint64_t i = 0; i < flipped; ++i) {
    std::fstream file(entries[i], std::ios::in | std::ios::out | std::ios::binary);
    uint64_t size = 0;
    ASSERT_FALSE(sys::fs::file_size(entries[i], size));
    uint64_t bit = makeKey(i).low % (size * 8);
    file.seekg(static_cast<std::streamoff>(bit / 8));
    char byte = static_cast<char>(file.get());
    file.seekp(static_cast<std::streamoff>(bit / 8));
    file.put(static_cast<char>(byte ^ (1 << bit % 8)));
  }
  CacheFolder folder = cantFail(readCacheFolder(m_folder, /*verify=*/true));
  EXPECT_EQ(folder.builds[0].damaged.size(), flipped);
  std::unique_ptr<Cache> cache = open();
  unsigned found = 0;
  for (uint64_t number = 0; number < count; ++number)
    if (std::optional<std::vector<uint8_t>> payload = cache->find(makeKey(number))) {
      EXPECT_EQ(*payload, makePayload(number));
      ++found;
    }
  EXPECT_EQ(found, count - flipped);
  EXPECT_EQ(cache->getStatistics().damaged, flipped);
  EXPECT_EQ(listEntries().size(), count - flipped);
}

TEST_F(CacheTest, EntriesOfOtherKeysAreDamaged) {
  open()->store(makeKey(1), makePayload(1));
  std::string path = listEntries().front();
  std::string other = (sys::path::parent_path(path) + "/llvmcache-" + printHash(makeKey(2))).str();
  ASSERT_FALSE(sys::fs::copy_file(path, other));
  std::unique_ptr<Cache> cache = open();
  EXPECT_FALSE(cache->find(makeKey(2)));
  EXPECT_TRUE(cache->find(makeKey(1)));
}

TEST_F(CacheTest, FoldersThatCannotBeWrittenAreRead) {
  open()->store(makeKey(1), makePayload(1));
  std::string build = sys::path::parent_path(listEntries().front()).str();
  const auto readOnly = sys::fs::perms::all_read | sys::fs::perms::all_exe;
  ASSERT_FALSE(sys::fs::setPermissions(m_folder, readOnly));
  ASSERT_FALSE(sys::fs::setPermissions(build, readOnly));
  auto readAndStore = [&] {
    constexpr uid_t nobody = 65534;
    if (geteuid() == 0 && seteuid(nobody)) // Root may write everywhere.
      std::_Exit(2);
    std::unique_ptr<Cache> cache = open();
    bool isFound = cache->find(makeKey(1)) == makePayload(1);
    cache->store(makeKey(2), makePayload(2));
    std::_Exit(isFound && cache->getStatistics().notWritten == 1 ? 0 : 1);
  };
  EXPECT_EXIT(readAndStore(), testing::ExitedWithCode(0), "");
  ASSERT_FALSE(sys::fs::setPermissions(build, sys::fs::perms::all_all));
  ASSERT_FALSE(sys::fs::setPermissions(m_folder, sys::fs::perms::all_all));
}

/// Mounts a file system of 256 KiB on \p folder that this process alone sees.
static bool mountSmallDisk(const std::string &folder) {
  uid_t user = geteuid();
  gid_t group = getegid();
  if (unshare(user == 0 ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS) != 0)
    return false;
  if (user != 0) {
    std::ofstream("/proc/self/uid_map") << "0 " << user << " 1\n";
    std::ofstream("/proc/self/setgroups") << "deny";
    std::ofstream("/proc/self/gid_map") << "0 " << group << " 1\n";
  }
  return mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=256k") == 0;
}

TEST_F(CacheTest, AFullDiskChangesNoResult) {
  constexpr int noDisk = 77;
  auto fill = [&] {
    if (!mountSmallDisk(m_folder))
      exit(noDisk);
    std::unique_ptr<Cache> cache = open();
    for (uint64_t i = 0; i < 1000; ++i)
      cache->store(makeKey(i), makePayload(i));
    const CacheStatistics &statistics = cache->getStatistics();
    bool isRight = statistics.stored > 20 && statistics.notWritten > 20 &&
                   statistics.stored + statistics.notWritten == 1000;
    uint64_t found = 0;
    for (uint64_t i = 0; i < 1000; ++i)
      if (std::optional<std::vector<uint8_t>> bytes = open()->find(makeKey(i))) {
        isRight &= *bytes == makePayload(i);
        ++found;
      }
    // No part of an entry was left.
    for (const CacheFolder::Build &build :
         cantFail(readCacheFolder(m_folder, /*verify=*/true)).builds)
      isRight &= build.damaged.empty() && build.entries == statistics.stored;
    exit(isRight && found == statistics.stored ? 0 : 1);
  };
  pid_t child = fork();
  if (child == 0)
    fill();
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == noDisk)
    GTEST_SKIP() << "a small tmpfs can't be mounted here";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(CacheTest, SizeStaysWithinThePolicy) {
  CacheOptions options;
  options.folder = m_folder;
  options.policy = cantFail(parseCachePolicy("cache_size_bytes=20k:cache_size=0%"));
  std::unique_ptr<Cache> cache = cantFail(Cache::open(std::move(options)));
  for (uint64_t number = 0; number < 100; ++number) {
    cache->store(makeKey(number), makePayload(number * 10));
    uint64_t bytes = 0;
    for (const CacheFolder::Build &build : cantFail(readCacheFolder(m_folder, false)).builds)
      bytes += build.bytes;
    EXPECT_LE(bytes, 20u * 1024);
    EXPECT_GT(bytes, 0u);
  }
  EXPECT_EQ(takeError(parseCachePolicy("size=1").takeError()).message.find("cache policy"), 0u);
}

/// Stores and finds until it is killed: of each four keys three are new. Ends with 1 when it finds
/// wrong bytes.
[[noreturn]] static void useUntilKilled(Cache &cache, uint64_t seed) {
  for (uint64_t i = 0;; ++i) {
    uint64_t number = i % 4 ? seed << 20 | i : i % 100;
    std::optional<std::vector<uint8_t>> payload = cache.find(makeKey(number));
    if (payload && *payload != makePayload(number))
      std::_Exit(1);
    if (!payload)
      cache.store(makeKey(number), makePayload(number));
  }
}

// 1,000 moments with ASSAY_SCALE=full.
TEST_F(CacheTest, KilledProcessesLeaveNoDamage) {
  const char *scale = std::getenv("ASSAY_SCALE");
  unsigned rounds = scale && StringRef(scale) == "full" ? 250 : 8;
  for (unsigned round = 0; round < rounds; ++round) {
    std::vector<pid_t> children;
    for (uint64_t seed = 0; seed < 4; ++seed) {
      pid_t child = fork();
      if (child == 0)
        useUntilKilled(*open(), seed * rounds + round);
      children.push_back(child);
    }
    for (size_t i = 0; i < children.size(); ++i) {
      usleep(1000 + (round * 4 + i) * 997 % 9000);
      kill(children[i], SIGKILL);
      int status = 0;
      waitpid(children[i], &status, 0);
      EXPECT_TRUE(WIFSIGNALED(status)) << "wrong bytes were found";
    }
    uint64_t entries = 0;
    for (const CacheFolder::Build &build :
         cantFail(readCacheFolder(m_folder, /*verify=*/true)).builds) {
      EXPECT_THAT(build.damaged, testing::IsEmpty());
      entries += build.entries;
    }
    EXPECT_GT(entries, 0u);
    for (const std::string &path : listEntries())
      EXPECT_EQ(path.find("unfinished"), std::string::npos) << path;
    cantFail(clearCacheFolder(m_folder));
  }
}

TEST_F(CacheTest, ClearRemovesEntriesAlone) {
  open(1)->store(makeKey(1), makePayload(1));
  open(2)->store(makeKey(2), makePayload(2));
  std::ofstream(m_folder + "/mine.txt") << "text";
  EXPECT_EQ(cantFail(clearCacheFolder(m_folder)), 2u);
  EXPECT_TRUE(sys::fs::exists(m_folder + "/mine.txt"));
  EXPECT_TRUE(cantFail(readCacheFolder(m_folder, false)).builds.empty());
  EXPECT_THAT(takeError(readCacheFolder(m_folder + "/no", false).takeError()).message,
              testing::HasSubstr("is not a folder"));
}

TEST(BuildId, IsTheSameInAProcess) {
  EXPECT_EQ(getBuildId(), getBuildId());
  EXPECT_NE(getBuildId(), CanonicalBytes().hash()); // Something was hashed.
}

#ifdef ASSAY_FAULTS
namespace {
class CacheFaultTest : public CacheTest {
protected:
  /// Whether what the cache returns with \p fault is what was stored, or nothing.
  [[noreturn]] void checkFault(const char *fault, std::function<void(std::string &)> damage,
                               uint64_t build, uint64_t key) {
    sys::fs::remove_directories(m_folder);
    open(1)->store(makeKey(1), makePayload(1));
    if (plantFault(fault))
      std::_Exit(2);
    if (StringRef(fault) == "cache-forgets-build")
      open(1)->store(makeKey(1), makePayload(1)); // In the folder that all builds share.
    for (const std::string &path : listEntries()) {
      std::string text = (*MemoryBuffer::getFile(path))->getBuffer().str();
      damage(text);
      std::string target =
          (sys::path::parent_path(path) + "/llvmcache-" + printHash(makeKey(key))).str();
      std::ofstream(target, std::ios::binary) << text;
    }
    std::unique_ptr<Cache> cache = open(build);
    std::_Exit(cache->find(makeKey(key)) ? 0 : 1);
  }
};
} // namespace

/// Each fault makes the cache return what it must not: the checks above would fail.
TEST_F(CacheFaultTest, ReturnWhatTheyMustNot) {
  auto keep = [](std::string &) {};
  auto flip = [](std::string &text) { text.back() ^= 1; };
  using testing::ExitedWithCode;
  EXPECT_EXIT(checkFault("cache-skips-checksum", flip, 1, 1), ExitedWithCode(0), "");
  EXPECT_EXIT(checkFault("cache-skips-key", keep, 1, 2), ExitedWithCode(0), "");
  EXPECT_EXIT(checkFault("cache-forgets-build", keep, 2, 1), ExitedWithCode(0), "");
}
#endif
