// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The file: magic, format number, the vertex shader as a file of its own and its registers, then
// whether there is a fragment shader, and it likewise. Registers are words in the order of the
// tables below.
#include "oracles/radv/RadvGraphics.h"

#include "support/ByteCursor.h"
#include "support/Error.h"
#include "support/FileMagic.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace assay;
using namespace assay::radv;

static constexpr uint32_t FormatNumber = 1;
/// SPI_PS_INPUT_CNTL_0 to 31.
static constexpr uint32_t MaxInputs = 32;

namespace {
enum class Form : uint8_t { Flag, Number, Register };

template <typename Registers> struct Row {
  StringLiteral name;
  uint32_t Registers::*member;
  Form form;
};
} // namespace

static constexpr Row<VertexRegisters> vertexRows[] = {
    {"ngg", &VertexRegisters::isNgg, Form::Flag},
    {"ngg passthrough", &VertexRegisters::isPassthrough, Form::Flag},
    {"SPI_SHADER_POS_FORMAT", &VertexRegisters::positionFormat, Form::Register},
    {"PA_CL_VS_OUT_CNTL", &VertexRegisters::outControl, Form::Register},
    {"SPI_VS_OUT_CONFIG", &VertexRegisters::outConfig, Form::Register},
    {"VGT_PRIMITIVEID_EN", &VertexRegisters::primitiveId, Form::Register},
    {"vertices in a group", &VertexRegisters::verticesPerGroup, Form::Number},
    {"primitives in a group", &VertexRegisters::primitivesPerGroup, Form::Number},
    {"parameters", &VertexRegisters::parameters, Form::Number},
    {"primitive parameters", &VertexRegisters::primitiveParameters, Form::Number},
    {"vertex descriptors", &VertexRegisters::vertexDescriptors, Form::Register},
    {"descriptors per attribute", &VertexRegisters::descriptorsPerAttribute, Form::Flag},
};

static constexpr Row<PixelRegisters> pixelRows[] = {
    {"SPI_PS_INPUT_ENA", &PixelRegisters::inputEna, Form::Register},
    {"SPI_PS_INPUT_ADDR", &PixelRegisters::inputAddr, Form::Register},
    {"SPI_BARYC_CNTL", &PixelRegisters::barycentrics, Form::Register},
    {"SPI_SHADER_COL_FORMAT", &PixelRegisters::colorFormat, Form::Register},
    {"CB_SHADER_MASK", &PixelRegisters::colorMask, Form::Register},
    {"SPI_SHADER_Z_FORMAT", &PixelRegisters::depthFormat, Form::Register},
    {"DB_SHADER_CONTROL", &PixelRegisters::shaderControl, Form::Register},
    {"loads provoking vertex", &PixelRegisters::loadsProvokingVertex, Form::Flag},
    {"primitive inputs", &PixelRegisters::primitiveInputs, Form::Number},
};

std::vector<uint8_t> radv::writeRadvGraphics(const RadvGraphics &pipeline) {
  ByteWriter writer(CountSize::Word);
  writer.raw(RadvGraphicsMagic);
  writer.word(FormatNumber);
  writer.bytes(writeRadvShader(pipeline.vertex));
  for (const Row<VertexRegisters> &row : vertexRows)
    writer.word(pipeline.vertexRegisters.*row.member);
  writer.word(static_cast<uint32_t>(pipeline.vertexRegisters.vertexBindings.size()));
  for (uint32_t binding : pipeline.vertexRegisters.vertexBindings)
    writer.word(binding);
  writer.number(pipeline.pixel.has_value(), 1);
  if (!pipeline.pixel)
    return writer.take();
  writer.bytes(writeRadvShader(*pipeline.pixel));
  for (const Row<PixelRegisters> &row : pixelRows)
    writer.word(pipeline.pixelRegisters.*row.member);
  writer.word(static_cast<uint32_t>(pipeline.pixelRegisters.inputs.size()));
  for (uint32_t input : pipeline.pixelRegisters.inputs)
    writer.word(input);
  return writer.take();
}

static void readRegisters(ByteReader &reader, PixelRegisters &registers) {
  for (const Row<PixelRegisters> &row : pixelRows)
    registers.*row.member = reader.word();
  registers.inputs.resize(reader.count(4));
  for (uint32_t &input : registers.inputs)
    input = reader.word();
}

Expected<RadvGraphics> radv::readRadvGraphics(ArrayRef<uint8_t> bytes) {
  if (!toStringRef(bytes).starts_with(RadvGraphicsMagic))
    return invalidInput("this is no graphics pipeline of RADV: wrong magic number");
  ByteReader reader(bytes.drop_front(RadvGraphicsMagic.size()), CountSize::Word);
  if (uint32_t number = reader.word(); number != FormatNumber)
    return invalidInput("graphics pipeline of RADV: format " + Twine(number) +
                        ", this build reads " + Twine(FormatNumber));
  RadvGraphics pipeline;
  std::span<const uint8_t> vertex = reader.bytes(), pixel;
  for (const Row<VertexRegisters> &row : vertexRows)
    pipeline.vertexRegisters.*row.member = reader.word();
  pipeline.vertexRegisters.vertexBindings.resize(reader.count(4));
  for (uint32_t &binding : pipeline.vertexRegisters.vertexBindings)
    binding = reader.word();
  const bool hasPixel = reader.choice(2) != 0;
  if (hasPixel) {
    pixel = reader.bytes();
    readRegisters(reader, pipeline.pixelRegisters);
  }
  if (!reader.isGood() || !reader.atEnd())
    return invalidInput("graphics pipeline of RADV: truncated or damaged");
  Expected<RadvShader> shader = readRadvShader({vertex.data(), vertex.size()});
  if (!shader)
    return addContext(shader.takeError(), "vertex shader");
  pipeline.vertex = std::move(*shader);
  if (hasPixel) {
    Expected<RadvShader> second = readRadvShader({pixel.data(), pixel.size()});
    if (!second)
      return addContext(second.takeError(), "fragment shader");
    pipeline.pixel = std::move(*second);
  }
  if (Error error = verifyRadvGraphics(pipeline))
    return std::move(error);
  return pipeline;
}

template <typename Registers>
static Error verifyFlags(const Registers &registers, ArrayRef<Row<Registers>> rows) {
  for (const Row<Registers> &row : rows)
    if (row.form == Form::Flag && registers.*row.member > 1)
      return invalidInput("graphics pipeline of RADV: '" + row.name + "' is " +
                          Twine(registers.*row.member));
  return Error::success();
}

static Error verifyStages(const RadvGraphics &pipeline) {
  if (pipeline.vertex.stage != Stage::Vertex ||
      (pipeline.pixel && pipeline.pixel->stage != Stage::Fragment))
    return invalidInput("graphics pipeline of RADV: a shader of another stage");
  if (pipeline.pixel && (pipeline.vertex.target != pipeline.pixel->target ||
                         pipeline.vertex.bindings != pipeline.pixel->bindings))
    return invalidInput("graphics pipeline of RADV: the shaders differ in target or bindings");
  return Error::success();
}

Error radv::verifyRadvGraphics(const RadvGraphics &pipeline) {
  if (Error error = verifyRadvShader(pipeline.vertex))
    return error;
  if (pipeline.pixel)
    if (Error error = verifyRadvShader(*pipeline.pixel))
      return error;
  if (Error error = verifyStages(pipeline))
    return error;
  const VertexRegisters &vertex = pipeline.vertexRegisters;
  const PixelRegisters &pixel = pipeline.pixelRegisters;
  if (Error error = verifyFlags(vertex, ArrayRef(vertexRows)))
    return error;
  if (Error error = verifyFlags(pixel, ArrayRef(pixelRows)))
    return error;
  if (!pipeline.pixel && !(pixel == PixelRegisters()))
    return invalidInput(
        "graphics pipeline of RADV: registers of a fragment shader, which is absent");
  if (vertex.parameters > MaxInputs || vertex.primitiveParameters > MaxInputs - vertex.parameters)
    return invalidInput("graphics pipeline of RADV: " + Twine(vertex.parameters) + " and " +
                        Twine(vertex.primitiveParameters) + " parameters");
  if (vertex.vertexBindings.size() != static_cast<size_t>(popcount(vertex.vertexDescriptors)))
    return invalidInput("graphics pipeline of RADV: " + Twine(vertex.vertexBindings.size()) +
                        " vertex bindings for other descriptors");
  if (pixel.inputs.size() > MaxInputs || pixel.primitiveInputs > pixel.inputs.size())
    return invalidInput("graphics pipeline of RADV: " + Twine(pixel.inputs.size()) +
                        " inputs of the fragment shader, " + Twine(pixel.primitiveInputs) +
                        " of them of the primitive");
  return Error::success();
}

template <typename Registers>
static void printRegisters(raw_ostream &os, const Registers &registers,
                           ArrayRef<Row<Registers>> rows) {
  for (const Row<Registers> &row : rows) {
    os << row.name << ": ";
    if (row.form == Form::Register)
      os << format_hex(registers.*row.member, 10) << "\n";
    else
      os << registers.*row.member << "\n";
  }
}

std::string radv::printRadvGraphics(const RadvGraphics &pipeline) {
  std::string text;
  raw_string_ostream os(text);
  os << printRadvShader(pipeline.vertex);
  printRegisters(os, pipeline.vertexRegisters, ArrayRef(vertexRows));
  for (size_t i = 0; i < pipeline.vertexRegisters.vertexBindings.size(); ++i)
    os << "vertex descriptor " << i << ": binding " << pipeline.vertexRegisters.vertexBindings[i]
       << "\n";
  if (!pipeline.pixel)
    return text;
  os << "\n" << printRadvShader(*pipeline.pixel);
  printRegisters(os, pipeline.pixelRegisters, ArrayRef(pixelRows));
  for (size_t i = 0; i < pipeline.pixelRegisters.inputs.size(); ++i)
    os << "SPI_PS_INPUT_CNTL_" << i << ": " << format_hex(pipeline.pixelRegisters.inputs[i], 10)
       << "\n";
  return text;
}
