// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/machine/vulkan/DriverBugs.h"

#include "oracles/input/Glsl.h"
#include "support/Error.h"
#include <gtest/gtest.h>

using namespace assay;
using namespace assay::vulkan;
using llvm::VersionTuple;

static std::string findBug(const std::string &body, VkDriverId driver, VersionTuple mesa) {
  auto words = input::compileGlsl(R"(#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_ARB_sparse_texture2 : require
layout(set = 0, binding = 1) uniform sampler2D sampled;
layout(set = 0, binding = 2, r32f) uniform image2D storage;
layout(local_size_x = 1) in;
struct Pair { uint k; mat3x2 m[2]; };
layout(buffer_reference, std430) buffer Block { vec3 v; Pair pair; float f[4]; };
layout(set = 0, binding = 0, std430) buffer B { Block p; vec3 w; float r; };
void main() { )" + body + " }",
                                  1, input::ScriptFiles(""));
  EXPECT_TRUE(bool(words)) << (words ? "" : takeError(words.takeError()).message);
  if (!words)
    return "";
  Case input;
  input.pipelines.emplace_back();
  input.pipelines[0].description.addShader(ShaderStage::Compute).spirv = *words;
  return llvm::cantFail(findDriverBug(input, {driver, mesa}));
}

static constexpr auto Llvmpipe = VK_DRIVER_ID_MESA_LLVMPIPE;

TEST(DriverBugs, LavapipeLoadsAWrongComponentThroughAnAddress) {
  for (const char *body : {"p.v = vec3(w.x); r = p.v.y;", "r = p.pair.m[1][2].y;",
                           "p.v = vec3(w.x); r = p.v[int(w.x)];"})
    EXPECT_EQ(findBug(body, Llvmpipe, VersionTuple(22, 3, 6)),
              "lavapipe 22.3.6: known bug: loads a wrong component of a vector that was stored "
              "through a device address")
        << body;
  // Whole vectors, stores, scalars and memory of another kind.
  for (const char *body : {"vec3 t = p.v; r = t.y;", "p.v.y = 1;", "r = p.f[2];", "r = w.y;",
                           "p.pair.m[0][1] = p.pair.m[1][1];"})
    EXPECT_EQ(findBug(body, Llvmpipe, VersionTuple(22, 3, 6)), "") << body;
}

TEST(DriverBugs, AreOfVersionsOfADriver) {
  const char *body = "p.v = vec3(w.x); r = p.v.y;";
  EXPECT_NE(findBug(body, Llvmpipe, VersionTuple(21, 1)), "");
  EXPECT_EQ(findBug(body, Llvmpipe, VersionTuple(25, 0, 7)), "");
  EXPECT_EQ(findBug(body, Llvmpipe, VersionTuple(25, 1)), "");
  EXPECT_EQ(findBug(body, Llvmpipe, VersionTuple()), "");
  EXPECT_EQ(findBug(body, VK_DRIVER_ID_MESA_RADV, VersionTuple(22, 3, 6)), "");
}

TEST(DriverBugs, LavapipeDiesOfResidencyCodes) {
  const char *fetch = "vec4 t; r = float(sparseTexelFetchARB(sampled, ivec2(0), 0, t));";
  const char *load = "vec4 t; r = float(sparseImageLoadARB(storage, ivec2(0), t));";
  EXPECT_EQ(findBug(fetch, Llvmpipe, VersionTuple(25, 0, 7)),
            "lavapipe 25.0.7: known bug: dies of a fetch, sample or gather with a residency code");
  EXPECT_EQ(findBug(load, Llvmpipe, VersionTuple(25, 0, 7)), "");
  EXPECT_EQ(findBug(fetch, VK_DRIVER_ID_MESA_RADV, VersionTuple(25, 0, 7)), "");
}
