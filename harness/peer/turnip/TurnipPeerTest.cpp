// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where turnip is installed: known shaders on every chip, its assembler and its disassembler.
#include "harness/peer/turnip/TurnipPeer.h"

#include "oracles/input/CaseReader.h"
#include "support/Error.h"
#include "support/File.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <map>

using namespace llvm;
using namespace assay;
using namespace assay::turnip;

TEST(TurnipInstallation, NamesWhatIsMissing) {
  SmallString<128> folder;
  ASSERT_FALSE(sys::fs::createUniqueDirectory("turnip-test", folder));
  scope_exit removeFolder([&] { (void)sys::fs::remove_directories(folder); });
  const std::string root = folder.str().str(), guest = root + "/guest";
  auto reason = [&] {
    Expected<Installation> found = findInstallation(root, guest);
    return found ? "found " + found->version : takeError(found.takeError()).message;
  };
  auto create = [&](const std::string &file) {
    ASSERT_FALSE(sys::fs::create_directories(sys::path::parent_path(file)));
    ASSERT_FALSE(errorToBool(writeFile(file, StringRef("25.0.7\n"))));
  };
  EXPECT_EQ(reason(), "turnip is not installed; ci/deps --peers gets it");
  create(root + "/version");
  EXPECT_NE(reason().find("qemu-aarch64-static is missing"), std::string::npos) << reason();
  create(root + "/emulator/usr/bin/qemu-aarch64-static");
  EXPECT_NE(reason().find("libvulkan_freedreno.so is missing"), std::string::npos) << reason();
  create(root + "/root/usr/lib/aarch64-linux-gnu/libvulkan_freedreno.so");
  EXPECT_NE(reason().find("was not built; run ci/build again"), std::string::npos) << reason();
  create(guest);
  EXPECT_EQ(reason(), "found 25.0.7");
}

TEST(TurnipPeer, KnowsItsChips) {
  for (const char *target : {"a420", "gfx1100", ""}) {
    Expected<TurnipPeer> peer = TurnipPeer::create(target);
    ASSERT_FALSE(static_cast<bool>(peer)) << target;
    EXPECT_EQ(takeError(peer.takeError()).kind, ErrorKind::Unsupported);
  }
}

static constexpr StringLiteral corpus = ASSAY_SOURCE_DIR "/corpora/compute";

/// Skips, with the reason, where turnip is not installed.
class InstalledTurnip : public testing::Test {
protected:
  void SetUp() override {
    for (const Chip &chip : chips()) {
      Expected<TurnipPeer> peer = TurnipPeer::create(chip.target);
      if (!peer) {
        ErrorParts parts = takeError(peer.takeError());
        ASSERT_EQ(parts.kind, ErrorKind::Unsupported) << parts.message;
        GTEST_SKIP() << parts.message;
      }
      m_peers.push_back(std::move(*peer));
    }
  }
  std::vector<TurnipPeer> m_peers;
};

TEST_F(InstalledTurnip, AssemblesAndDisassembles) {
  for (const TurnipPeer &peer : m_peers) {
    auto results = peer.assemble({"nop\nadd.u r0.x, r0.y, r0.z\nend\n", "(rpt2)nop\nend\n"});
    ASSERT_TRUE(static_cast<bool>(results)) << takeError(results.takeError()).message;
    ASSERT_EQ(results->size(), 2u);
    EXPECT_EQ((*results)[0].code.at(1), 0x4210000000020001u);
    EXPECT_EQ((*results)[1].code.at(0), 0x0000020000000000u);
    auto texts = peer.disassemble({0x4210000000020001, 0, 0x0300000000000000, 0xffffffff12345678});
    ASSERT_TRUE(static_cast<bool>(texts)) << takeError(texts.takeError()).message;
    EXPECT_EQ(*texts, (std::vector<std::string>{"add.u r0.x, r0.y, r0.z", "nop", "end",
                                                "raw 0x12345678FFFFFFFF"}));
  }
}

TEST_F(InstalledTurnip, GoesOnAfterATextWithAnError) {
  auto results = m_peers[0].assemble({"end\n", "nop\nadd.q r0.x\nend\n", "", "nop\nend\n"});
  ASSERT_TRUE(static_cast<bool>(results)) << takeError(results.takeError()).message;
  ASSERT_EQ(results->size(), 4u);
  EXPECT_EQ((*results)[0].failure, "");
  EXPECT_NE((*results)[1].failure.find("error at line 2"), std::string::npos)
      << (*results)[1].failure;
  EXPECT_EQ((*results)[2].failure, "an empty text");
  EXPECT_EQ((*results)[3].code.at(1), 0x0300000000000000u);
}

TEST_F(InstalledTurnip, CompilesSeveralCasesAsEachAlone) {
  std::vector<Case> inputs;
  for (const char *name : {"saxpy", "atomic-double", "shared-zeroed", "collatz"}) {
    Expected<Case> input = readCase((corpus + "/" + name + ".amber").str(), name);
    ASSERT_TRUE(static_cast<bool>(input)) << name << ": " << takeError(input.takeError()).message;
    inputs.push_back(std::move(*input));
  }
  std::vector<const Case *> pointers;
  for (const Case &input : inputs)
    pointers.push_back(&input);
  auto all = m_peers[0].compileAll(pointers, 64);
  ASSERT_TRUE(static_cast<bool>(all)) << takeError(all.takeError()).message;
  ASSERT_EQ(all->size(), inputs.size());
  for (auto [input, one] : zip_equal(inputs, *all)) {
    Expected<Compilation> alone = m_peers[0].compile(input, 64);
    ASSERT_EQ(static_cast<bool>(alone), static_cast<bool>(one));
    if (!alone) {
      EXPECT_EQ(takeError(alone.takeError()).message, takeError(one.takeError()).message);
      continue;
    }
    ASSERT_EQ(alone->shaders.size(), one->shaders.size());
    for (auto [left, right] : zip_equal(alone->shaders, one->shaders))
      EXPECT_EQ(writeTurnipShader(left), writeTurnipShader(right));
  }
}

/// Uses two sets, push constants, workgroup counts and ids, and workgroup memory.
static constexpr const char *launchCase = R"(#!amber
SHADER compute s GLSL
#version 450
layout(local_size_x = 32, local_size_y = 4) in;
layout(set = 0, binding = 0) buffer A { uint a[]; };
layout(set = 1, binding = 2) uniform U { uvec4 u; };
layout(push_constant) uniform P { uint p[3]; };
shared uint s[600];
void main() {
  uint i = gl_LocalInvocationIndex;
  s[i * 4] = a[i];
  barrier();
  a[i] = s[(i * 7 + p[2]) % 600] + gl_NumWorkGroups.y + gl_WorkGroupID.x + u.z;
}
END
BUFFER a DATA_TYPE uint32 SIZE 128 FILL 1
BUFFER u DATA_TYPE uint32 DATA 1 2 3 4 END
BUFFER p DATA_TYPE uint32 DATA 1 2 3 END
PIPELINE compute q
  ATTACH s
  BIND BUFFER a AS storage DESCRIPTOR_SET 0 BINDING 0
  BIND BUFFER u AS uniform DESCRIPTOR_SET 1 BINDING 2
  BIND BUFFER p AS push_constant
END
RUN q 1 1 1
)";

/// Every kind of load that turnip makes: push constants, workgroup counts, the first workgroup.
static bool loadsFrom(const TurnipShader &shader, DwordSource source) {
  return any_of(shader.loads, [&](const Load &load) {
    return any_of(load.dwords, [&](const LoadedDword &dword) { return dword.source == source; });
  });
}

TEST_F(InstalledTurnip, CapturesALaunch) {
  Expected<Case> launched = readCaseFromText(launchCase, "launch.amber", "launch");
  ASSERT_TRUE(static_cast<bool>(launched)) << takeError(launched.takeError()).message;
  for (auto [peer, chip] : zip_equal(m_peers, chips())) {
    auto result = peer.compile(*launched, /*subgroupSize=*/64);
    ASSERT_TRUE(static_cast<bool>(result)) << takeError(result.takeError()).message;
    ASSERT_EQ(result->death, "");
    ASSERT_EQ(result->shaders.size(), 1u);
    const TurnipShader &shader = result->shaders.front();
    EXPECT_EQ(shader.target, chip.target);
    EXPECT_EQ(shader.launch.localSize, (std::array<uint32_t, 3>{32, 4, 1}));
    EXPECT_EQ(shader.launch.fibersPerWave, 64u);
    EXPECT_GE(shader.launch.localBytes, 2400u);
    EXPECT_EQ(shader.launch.workgroupIdRegister, 192u);
    EXPECT_TRUE(shader.launch.mergedRegisters);
    EXPECT_TRUE(loadsFrom(shader, DwordSource::PushConstant));
    EXPECT_TRUE(loadsFrom(shader, DwordSource::GroupCount));
    EXPECT_TRUE(loadsFrom(shader, DwordSource::FirstGroup));
    ASSERT_EQ(shader.bases.size(), 2u);
    EXPECT_EQ(shader.resources.size(), launched->buffers.size());
    EXPECT_NE(shader.assembly.find("\nend\n"), std::string::npos);
    EXPECT_FALSE(shader.statistics.empty());
  }
}

TEST_F(InstalledTurnip, TakesSwitchesOfTheDriver) {
  Expected<Case> launched = readCaseFromText(launchCase, "launch.amber", "launch");
  ASSERT_TRUE(static_cast<bool>(launched)) << takeError(launched.takeError()).message;
  auto plain = m_peers[0].compile(*launched, 64),
       synced = m_peers[0].compile(*launched, 64, {"IR3_SHADER_DEBUG=fullsync"});
  ASSERT_TRUE(static_cast<bool>(plain)) << takeError(plain.takeError()).message;
  ASSERT_TRUE(static_cast<bool>(synced)) << takeError(synced.takeError()).message;
  EXPECT_NE(plain->shaders.at(0).code, synced->shaders.at(0).code);
  auto again = m_peers[0].compile(*launched, 64);
  ASSERT_TRUE(static_cast<bool>(again)) << takeError(again.takeError()).message;
  EXPECT_EQ(writeTurnipShader(plain->shaders[0]), writeTurnipShader(again->shaders.at(0)));
}

/// Each needs something else of what is captured; all of the corpus with ASSAY_SCALE=full.
static std::vector<std::string> chooseCases() {
  const char *scale = std::getenv("ASSAY_SCALE");
  if (!scale || StringRef(scale) != "full")
    return {"image-cube-sampling.amber", "image-mip-views.amber", "game-of-life.amber"};
  std::vector<std::string> names;
  std::error_code code;
  for (sys::fs::directory_iterator file(corpus, code), end; file != end && !code;
       file.increment(code))
    if (sys::path::extension(file->path()) == ".amber")
      names.push_back(sys::path::filename(file->path()).str());
  llvm::sort(names);
  return names;
}

TEST_F(InstalledTurnip, CompilesTheCorpusOrSaysWhyNot) {
  std::vector<std::string> names = chooseCases();
  std::map<std::string, unsigned> compiled, refused;
  for (const std::string &name : names) {
    Expected<Case> input = readCase((corpus + "/" + name).str(), name);
    ASSERT_TRUE(static_cast<bool>(input)) << name;
    if (!input->unsupported.empty())
      continue;
    for (auto [peer, chip] : zip_equal(m_peers, chips())) {
      if (names.size() < 10 && chip.target != chips()[name.size() % chips().size()].target)
        continue; // A few cases are enough on one chip each.
      auto result = peer.compile(*input, /*subgroupSize=*/64);
      if (result) {
        EXPECT_EQ(result->death, "") << name << " " << chip.target.str();
        EXPECT_EQ(result->shaders.size(), input->pipelines.size()) << name;
        ++compiled[chip.target.str()];
        continue;
      }
      ErrorParts parts = takeError(result.takeError());
      EXPECT_EQ(parts.kind, ErrorKind::Unsupported) << name << ": " << parts.message;
      auto [start, missing] = StringRef(parts.message).rsplit(" lacks ");
      ++refused[(chip.target + " " + (missing.empty() ? start : missing)).str()];
    }
  }
  for (const auto &[what, count] : compiled)
    std::printf("%s: %u of %zu cases\n", what.c_str(), count, names.size());
  for (const auto &[what, count] : refused)
    std::printf("refused: %u, %s\n", count, what.c_str());
  EXPECT_GE(compiled.size(), 1u);
}
