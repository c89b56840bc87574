// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where turnip is installed: the compiler's function of occupancy gives the number of waves that
// turnip's statistics have for its own code.
#include "compiler/ir3/isa/Compiler.h"
#include "harness/peer/turnip/TurnipPeer.h"
#include "oracles/input/CaseReader.h"
#include "support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace assay;

namespace {
class Ir3Occupancy : public testing::TestWithParam<const char *> {};
} // namespace

namespace {
struct NamedCase {
  std::string path;
  Case input;
};
} // namespace

/// Some cases of corpora/compute, or all. One in which turnip's registers limit the waves is always
/// among them.
static std::vector<NamedCase> readCases() {
  const char *scale = getenv("ASSAY_SCALE");
  size_t step = scale && StringRef(scale) == "full" ? 1 : 8;
  std::vector<std::string> paths;
  std::error_code error;
  for (sys::fs::directory_iterator entry(ASSAY_SOURCE_DIR "/corpora/compute", error), end;
       entry != end && !error; entry.increment(error))
    if (StringRef(entry->path()).ends_with(".amber"))
      paths.push_back(entry->path());
  sort(paths);
  std::vector<NamedCase> cases;
  for (size_t i = 0; i < paths.size(); ++i) {
    if (i % step && !StringRef(paths[i]).ends_with("/matrix-mat4-ops.amber"))
      continue;
    Expected<Case> input = readCase(paths[i], paths[i]);
    if (input)
      cases.push_back({paths[i], std::move(*input)});
    else
      consumeError(input.takeError());
  }
  return cases;
}

/// 0 where the driver has none of that name.
static unsigned statistic(const turnip::TurnipShader &shader, StringRef name) {
  for (const turnip::Statistic &each : shader.statistics)
    if (each.name == name)
      return unsigned(each.value);
  return 0;
}

/// What limits waves other than registers: branch stack and workgroup memory (Mesa 25.0,
/// ir3_shader.c, ir3_get_reg_independent_max_waves).
static unsigned otherLimit(const ir3::Compiler &compiler, const turnip::Launch &launch,
                           unsigned branchStack) {
  unsigned limit = compiler.maxWaves;
  if (branchStack)
    limit = std::min(limit, compiler.branchStack / branchStack * compiler.waveGranularity);
  constexpr unsigned LocalUnit = 1024;
  unsigned fibers = launch.localSize[0] * launch.localSize[1] * launch.localSize[2];
  auto waves = unsigned(divideCeil(fibers, launch.fibersPerWave * compiler.waveGranularity));
  auto bytes = unsigned(alignTo(launch.localBytes, LocalUnit));
  if (bytes)
    limit = std::min(limit, compiler.localBytes / bytes * waves * compiler.waveGranularity);
  return limit;
}

TEST_P(Ir3Occupancy, Row41WavesAreThoseOfTurnip) {
  Expected<turnip::TurnipPeer> peer = turnip::TurnipPeer::create(GetParam());
  if (!peer)
    GTEST_SKIP() << takeError(peer.takeError()).message;
  const ir3::Compiler &compiler = *ir3::findCompiler(GetParam());
  std::vector<NamedCase> cases = readCases();
  std::vector<const Case *> inputs;
  for (const NamedCase &each : cases)
    inputs.push_back(&each.input);
  auto compilations = peer->compileAll(inputs, /*subgroupSize=*/64);
  ASSERT_TRUE(bool(compilations)) << takeError(compilations.takeError()).message;
  unsigned compared = 0, byRegisters = 0;
  for (auto [each, compilation] : zip_equal(cases, *compilations)) {
    if (!compilation) {
      consumeError(compilation.takeError()); // What turnip does not offer.
      continue;
    }
    for (const turnip::TurnipShader &shader : compilation->shaders) {
      bool isDouble = shader.launch.fibersPerWave > compiler.threadsizeBase;
      unsigned registers = ir3::maxWaves(compiler, statistic(shader, "Registers used"), isDouble);
      // The register has half of the entries, rounded up.
      unsigned entries = 2 * shader.launch.branchStack;
      unsigned low = std::min(registers, otherLimit(compiler, shader.launch, entries));
      unsigned high =
          std::min(registers, otherLimit(compiler, shader.launch, entries - std::min(entries, 1U)));
      EXPECT_THAT(statistic(shader, "Max Waves Per Core"), testing::AnyOf(low, high))
          << each.path << ": " << statistic(shader, "Registers used") << " vectors, "
          << shader.launch.fibersPerWave << " fibers, " << shader.launch.localBytes
          << " bytes, branch stack " << shader.launch.branchStack;
      ++compared;
      byRegisters += registers < compiler.maxWaves;
    }
  }
  EXPECT_GT(compared, cases.size() / 2);
  EXPECT_GT(byRegisters, 0u) << "no shader has so many registers that they matter";
  outs() << GetParam() << ": " << compared << " shaders, of " << byRegisters
         << " registers limit the waves\n";
}

INSTANTIATE_TEST_SUITE_P(Chips, Ir3Occupancy, testing::Values("a630", "a660", "a740"),
                         [](const auto &info) { return std::string(info.param); });
