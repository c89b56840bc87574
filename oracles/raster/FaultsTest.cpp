// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each planted fault of the model makes a difference to what the other tests check.
#include "oracles/raster/Coverage.h"
#include "oracles/raster/DepthStencil.h"
#include "oracles/raster/InputAssembly.h"
#include "support/Fault.h"

#include <cstdlib>
#include <gmock/gmock.h>

using namespace llvm;
using namespace assay;
using namespace assay::raster;

static std::vector<Primitive> assembleStrip(bool restart) {
  InputAssemblyState state;
  state.topology = PrimitiveTopology::TriangleStrip;
  const uint32_t indices[] = {0, 1, 2, 3, 0xffff, 4, 5, 6};
  return assemblePrimitives(listVertices(ArrayRef(indices).drop_back(restart ? 0 : 4), 2, true, 0),
                            state, ProvokingVertex::First);
}

static bool restarts() {
  return assembleStrip(true).size() == 3;
}
static bool provokesFirst() {
  return assembleStrip(false)[0].provoking == 0;
}
static bool keepsWinding() {
  return assembleStrip(false)[1].vertices[1] == 3;
}
static bool dividesInstances() {
  return getElement({0, 16, true, 2}, 0, 5, 0) == 2;
}
static bool coversTopLeft() {
  const SnappedVertex square[] = {{{128, 128}, {128, 128}},
                                  {{384, 384}, {128, 128}},
                                  {{384, 384}, {384, 384}},
                                  {{128, 128}, {384, 384}}};
  return coverPixel(square, 0, 0, getSamplePositions(1)).certain == 1 &&
         coverPixel(square, 1, 1, getSamplePositions(1)).possible == 0;
}
static bool comparesEqual() {
  return compare(CompareOp::LessOrEqual, 1u, 1u);
}
static bool clampsStencil() {
  return updateStencil(StencilOp::IncrementAndClamp, {}, 255) == 255;
}
static bool masksStencil() {
  StencilFaceState state;
  state.writeMask = 0x0f;
  return updateStencil(StencilOp::Invert, state, 0) == 0x0f;
}

TEST(Faults, AreDetected) {
  if (!faultsCompiledIn())
    GTEST_SKIP() << "this build has no planted faults";
  struct Row {
    const char *fault;
    bool (*isRight)();
  };
  const Row rows[] = {
      {"raster-lost-restart", restarts},           {"raster-wrong-provoking", provokesFirst},
      {"raster-strip-winding", keepsWinding},      {"raster-divisor-ignored", dividesInstances},
      {"raster-bottom-right-rule", coversTopLeft}, {"raster-depth-strict", comparesEqual},
      {"raster-stencil-wraps", clampsStencil},     {"raster-stencil-mask", masksStencil},
  };
  for (const Row &row : rows) {
    EXPECT_TRUE(row.isRight()) << row.fault;
    // In a child: a fault is planted for the rest of a process.
    auto checkPlanted = [&] {
      cantFail(plantFault(row.fault));
      std::exit(row.isRight() ? 1 : 0);
    };
    EXPECT_EXIT(checkPlanted(), testing::ExitedWithCode(0), "") << row.fault;
  }
  // And no fault of the model lacks a row.
  size_t count = 0;
  for (const FaultInfo &fault : listFaults())
    count += fault.name.starts_with("raster-");
  EXPECT_EQ(count, std::size(rows));
}
