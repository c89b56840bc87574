// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What Amber accepts beyond its documentation, each row of the table in docs/inputs.md.
#include "oracles/input/CaseReader.h"
#include "support/Error.h"
#include "support/File.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace llvm;
using namespace assay;

namespace {

Case good(const std::string &text, const char *path = "t.amber") {
  Expected<Case> result = readCaseFromText(text, path, "t");
  if (result)
    return std::move(*result);
  ADD_FAILURE() << text << assay::takeError(result.takeError()).message;
  return {};
}

template <typename T> std::vector<T> contents(const Buffer &buffer) {
  std::vector<T> values(buffer.bytes.size() / sizeof(T));
  if (!values.empty())
    std::memcpy(values.data(), buffer.bytes.data(), buffer.bytes.size());
  return values;
}

const Expectation &expectationOf(const Case &input, size_t index) {
  return std::get<Expectation>(input.commands.at(index));
}

const std::string glsl = "#version 450\n"
                         "layout(binding = 0) buffer B { uint b[]; };\n"
                         "void main() { b[0] = 1; }\n";
const std::string shader = "SHADER compute s GLSL\n" + glsl + "END\n";
const std::string buffers = "BUFFER a DATA_TYPE uint32 SIZE 4 FILL 1\n"
                            "BUFFER b DATA_TYPE uint32 SIZE 2 FILL 2\n";

/// A folder that is removed in the end.
class Folder {
public:
  Folder() { EXPECT_FALSE(sys::fs::createUniqueDirectory("assay-lenient", m_path)); }
  ~Folder() { sys::fs::remove_directories(m_path); }
  std::string add(StringRef name, StringRef text) {
    std::string path = (m_path + "/" + name).str();
    cantFail(writeFile(path, text));
    return path;
  }

private:
  SmallString<128> m_path;
};

} // namespace

TEST(Leniencies, IntegersWithAPoint) {
  Case result = good("#!amber\nBUFFER d DATA_TYPE int32 DATA 0.0 -3.0 END\n"
                     "BUFFER f DATA_TYPE uint8 SIZE 2 FILL 0.0\n"
                     "BUFFER s DATA_TYPE uint8 SIZE 2 SERIES_FROM 0.0 INC_BY 2\n"
                     "EXPECT d IDX 0 EQ 0.0 -3.0\n");
  EXPECT_EQ(contents<int32_t>(result.buffers[0]), (std::vector<int32_t>{0, -3}));
  EXPECT_EQ(contents<uint8_t>(result.buffers[1]), (std::vector<uint8_t>{0, 0}));
  EXPECT_EQ(contents<uint8_t>(result.buffers[2]), (std::vector<uint8_t>{0, 2}));
  EXPECT_EQ(expectationOf(result, 0).values, (std::vector<uint64_t>{0, 0xfffffffd}));
}

TEST(Leniencies, IntegersThatAreTooLarge) {
  Case result = good("#!amber\nBUFFER d DATA_TYPE int32 DATA 4294967295 END\n"
                     "BUFFER s DATA_TYPE uint8 SIZE 3 SERIES_FROM 254 INC_BY 1\n"
                     "BUFFER n DATA_TYPE uint8 SIZE 3 SERIES_FROM 1 INC_BY -1\n"
                     "EXPECT s IDX 0 EQ 254 255 256\n");
  EXPECT_EQ(contents<int32_t>(result.buffers[0]), (std::vector<int32_t>{-1}));
  EXPECT_EQ(contents<uint8_t>(result.buffers[1]), (std::vector<uint8_t>{254, 255, 0}));
  EXPECT_EQ(contents<uint8_t>(result.buffers[2]), (std::vector<uint8_t>{1, 0, 255}));
  EXPECT_EQ(expectationOf(result, 0).values, (std::vector<uint64_t>{254, 255, 0}));
  Case vk = good("[test]\nssbo 0 subdata int 0 4294967295\n", "t.vkscript");
  EXPECT_EQ(contents<int32_t>(vk.buffers[0]), (std::vector<int32_t>{-1}));
}

TEST(Leniencies, FilesOfAnotherSize) {
  Folder folder;
  folder.add("long.txt", "1 2 3\n4 END\nthis is not read\n");
  folder.add("short.bin", StringRef("\1\0\0\0", 4));
  std::string path = folder.add("t.amber", "");
  Case result = good("#!amber\nBUFFER t DATA_TYPE uint32 SIZE 2 FILE TEXT long.txt\n"
                     "BUFFER b DATA_TYPE uint32 SIZE 2 FILE BINARY short.bin\n",
                     path.c_str());
  EXPECT_EQ(contents<uint32_t>(result.buffers[0]), (std::vector<uint32_t>{1, 2, 3, 4}));
  EXPECT_EQ(contents<uint32_t>(result.buffers[1]), (std::vector<uint32_t>{1}));
}

TEST(Leniencies, HeaderAndEnds) {
  Case result = good("#!amber version 1\nSHADER compute s GLSL\n" +
                     glsl.substr(0, glsl.size() - 1) + " END\n" + buffers);
  EXPECT_EQ(result.buffers.size(), 2u);
}

TEST(Leniencies, ShadersAsVirtualFiles) {
  Case result = good("#!amber\n" + shader +
                     "SHADER compute t GLSL VIRTUAL_FILE embedded-shaders/s\n"
                     "PIPELINE compute p\nATTACH t\nEND\n");
  EXPECT_EQ(result.pipelines.size(), 1u);
}

TEST(Leniencies, FileNamesInQuotationMarks) {
  Case result = good("#!amber\nVIRTUAL_FILE \"a \\\"b\\\" c\"\n" + glsl +
                     "END\nSHADER compute s GLSL VIRTUAL_FILE \"a \\\"b\\\" c\"\n"
                     "PIPELINE compute p\nATTACH s\nEND\n");
  EXPECT_EQ(result.pipelines.size(), 1u);
}

TEST(Leniencies, StagesOfRayTracing) {
  for (const char *stage : {"ray_generation", "callable"})
    EXPECT_TRUE(
        good(std::string("#!amber\nSHADER ") + stage + " s GLSL\nvoid main() {}\nEND\n" + buffers)
            .pipelines.empty());
}

TEST(Leniencies, LaterBindingsReplaceEarlierOnes) {
  Case result = good("#!amber\n" + shader + buffers +
                     "PIPELINE compute p\nATTACH s\n"
                     "BIND BUFFER_ARRAY a b AS storage DESCRIPTOR_SET 0 BINDING 0\n"
                     "BIND BUFFER b AS storage DESCRIPTOR_SET 0 BINDING 0\nEND\n");
  ASSERT_EQ(result.pipelines.at(0).bindings.size(), 1u);
  EXPECT_EQ(result.pipelines[0].bindings[0].buffer, 1u);
  Case other = good("#!amber\n" + shader + "SHADER compute t GLSL\n" + glsl +
                    "END\nPIPELINE compute p\nATTACH s\nATTACH t\nEND\n");
  EXPECT_EQ(other.pipelines.size(), 1u);
}

TEST(Leniencies, RangesOfTheWholeSize) {
  Case result = good("#!amber\n" + shader + buffers +
                     "PIPELINE compute p\nATTACH s\n"
                     "BIND BUFFER_ARRAY a b AS storage DESCRIPTOR_SET 0 BINDING 0 "
                     "DESCRIPTOR_OFFSET 4 0 DESCRIPTOR_RANGE -1 18446744073709551615\nEND\n");
  ASSERT_EQ(result.pipelines.at(0).bindings.size(), 2u);
  EXPECT_EQ(result.pipelines[0].bindings[0].range, ~0ull);
  EXPECT_EQ(result.pipelines[0].bindings[0].offset, 4u);
  EXPECT_EQ(result.pipelines[0].bindings[1].range, ~0ull);
}

TEST(Leniencies, CopiesToASmallerBuffer) {
  Case result = good("#!amber\n" + buffers + "COPY a TO b\nEXPECT b IDX 0 EQ 1 1 1 1\n");
  EXPECT_EQ(result.buffers[1].bytes.size(), 16u);
  Case larger = good("#!amber\n" + buffers + "COPY b TO a\n");
  ASSERT_EQ(larger.unsupported.size(), 1u);
  EXPECT_EQ(larger.unsupported[0].reason, "COPY to a larger buffer (line 4)");
}

TEST(Leniencies, ImagesWithoutADimension) {
  Case result = good("#!amber\nIMAGE i FORMAT R8_UINT WIDTH 4\n");
  ASSERT_TRUE(result.buffers.at(0).image.has_value());
  EXPECT_EQ(result.buffers[0].image->dimension, ImageDimension::Dim2D);
  EXPECT_EQ(result.buffers[0].image->height, 1u);
}

TEST(Leniencies, FewTolerances) {
  Case result = good("#!amber\nSTRUCT t\nfloat x\nfloat y\nEND\n"
                     "BUFFER s DATA_TYPE t DATA 1 2 END\n"
                     "BUFFER v DATA_TYPE vec4<float> DATA 1 2 3 4 END\n"
                     "IMAGE i FORMAT R8G8B8A8_UNORM DIM_2D WIDTH 1 HEIGHT 1\n"
                     "EXPECT v IDX 0 TOLERANCE 0.5 0.1 EQ 1 2 3 4\n"
                     "EXPECT s IDX 0 TOLERANCE 0.25 0.1 EQ 1 2\n"
                     "EXPECT i IDX 0 0 SIZE 1 1 EQ_RGBA 0 0 0 0 TOLERANCE 0.1 0.2\n");
  ASSERT_EQ(expectationOf(result, 0).tolerances.size(), 1u);
  EXPECT_EQ(expectationOf(result, 0).tolerances[0].value, 0.5);
  ASSERT_EQ(expectationOf(result, 1).tolerances.size(), 1u);
  EXPECT_EQ(expectationOf(result, 1).tolerances[0].value, 0.25);
  // The last is an upper bound: 0.1 of 255 for all channels.
  EXPECT_EQ(expectationOf(result, 4).values, (std::vector<uint64_t>{25, 25, 25, 25}));
}

TEST(Leniencies, DoublesAreEqualWithinAHundredMillionth) {
  Case result = good("#!amber\nBUFFER d DATA_TYPE double DATA 1 END\n"
                     "EXPECT d IDX 0 EQ 1.0\nEXPECT d IDX 0 GE 1.0\n"
                     "EXPECT d IDX 0 TOLERANCE 0.5 EQ 1.0\n");
  ASSERT_EQ(expectationOf(result, 0).tolerances.size(), 1u);
  EXPECT_TRUE(expectationOf(result, 0).tolerances[0].percent);
  EXPECT_EQ(expectationOf(result, 0).tolerances[0].value, 1e-6);
  EXPECT_TRUE(expectationOf(result, 1).tolerances.empty());
  EXPECT_EQ(expectationOf(result, 2).tolerances.at(0).value, 0.5);
  Case vk = good("[test]\nssbo 0 8\nprobe ssbo double 0 0 == 1\n", "t.vkscript");
  EXPECT_EQ(expectationOf(vk, 0).tolerances.size(), 1u);
}

TEST(Leniencies, VkScriptSectionsBindingsAndTolerances) {
  Case result = good("[test] of buffers\nssbo 0 :1 16\ntolerance 1,2%, 3 %,4\n"
                     "probe ssbo vec4 0 :1 0 ~= 0 0 0 0\n",
                     "t.vkscript");
  EXPECT_EQ(result.buffers.at(0).name, "ssbo 0:1");
  const std::vector<Tolerance> &tolerances = expectationOf(result, 0).tolerances;
  ASSERT_EQ(tolerances.size(), 4u);
  EXPECT_FALSE(tolerances[0].percent);
  EXPECT_TRUE(tolerances[1].percent);
  EXPECT_TRUE(tolerances[2].percent);
  EXPECT_EQ(tolerances[3].value, 4);
}

TEST(Leniencies, VkScriptColumnsOfMatrices) {
  Case result =
      good("[test]\nssbo 0 subdata mat2x3 0 1 2 3\nprobe ssbo mat2x3 0 0 == 1 2 3\n", "t.vkscript");
  EXPECT_EQ(contents<float>(result.buffers.at(0)), (std::vector<float>{1, 2, 3, 0, 0, 0, 0, 0}));
  EXPECT_EQ(expectationOf(result, 0).values.size(), 3u);
}
