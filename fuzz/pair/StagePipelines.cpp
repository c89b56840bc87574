// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/pair/StagePipelines.h"

#include "compiler/spirv/Module.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace llvm;
using namespace assay;

namespace {
/// How the components of an output are computed: from the vertex index, constant, or a mixture.
enum class ValueKind : uint8_t { Varying, Constant, Mixed };

/// A variable that both stages may declare; one stage omits it unless it is written or read there.
struct Variable {
  unsigned number = 0;
  uint32_t location = 0, component = 0, count = 1;
  bool isFloat = true;
  StringRef interpolation; ///< A decoration; empty: smooth.
  bool isWritten = true, isRead = true;
  bool isConditional = false; ///< Is used on the left half of the framebuffer only.
  ValueKind value = ValueKind::Varying;

  std::string name() const { return "%v" + std::to_string(number); }
  std::string scalar() const { return isFloat ? "float" : "uint"; }
  std::string type() const { return count > 1 ? scalar() + std::to_string(count) : scalar(); }
};

/// Text of one shader, made piece by piece.
class Text {
public:
  /// A new id, with its instruction.
  std::string add(const Twine &instruction) {
    std::string id = "%t" + std::to_string(m_next++);
    m_body += (id + " = " + instruction + "\n").str();
    return id;
  }
  /// Adds an instruction without a result, or with a result that it names itself.
  void line(const Twine &instruction) { m_body += (instruction + "\n").str(); }
  /// Returns the text so far; the object is then empty.
  std::string takeBody() { return std::move(m_body); }

private:
  std::string m_body;
  unsigned m_next = 0;
};
} // namespace

/// Returns a decoration, or, for three in eight, the empty string for smooth.
static StringRef chooseInterpolation(Random &random) {
  constexpr StringLiteral kinds[] = {"",         "",      "", "Flat", "Flat", "NoPerspective",
                                     "Centroid", "Sample"};
  return kinds[random.below(std::size(kinds))];
}

/// Chooses one to six variables, locations ascending with gaps. Several share a location only if
/// their base types are equal, as Vulkan demands. The first is always written and read.
static std::vector<Variable> chooseVariables(Random &random) {
  std::vector<Variable> variables;
  uint32_t location = 0, used = 0; // Components of the location.
  auto count = static_cast<unsigned>(random.between(1, 6));
  for (unsigned i = 0; i < count; ++i) {
    Variable variable;
    variable.number = i;
    variable.count = static_cast<uint32_t>(random.between(1, 4));
    variable.isFloat = random.chance(70);
    variable.interpolation = variable.isFloat ? chooseInterpolation(random) : StringRef("Flat");
    const Variable *last = variables.empty() ? nullptr : &variables.back();
    // Scalars of one location must be alike.
    bool isPacked = last && used + variable.count <= 4 && random.chance(60) &&
                    last->isFloat == variable.isFloat;
    if (isPacked)
      variable.interpolation = last->interpolation;
    else if (last)
      location += static_cast<uint32_t>(random.between(1, 2)), used = 0;
    variable.location = location;
    variable.component = used;
    used += variable.count;
    variable.isWritten = random.chance(85);
    variable.isRead = random.chance(85);
    variable.isConditional = random.chance(25);
    variable.value = random.chance(65) ? ValueKind::Varying
                     : random.oneIn(2) ? ValueKind::Constant
                                       : ValueKind::Mixed;
    variables.push_back(variable);
  }
  variables[0].isWritten = variables[0].isRead = true;
  return variables;
}

/// Declares the types and constants that both stages refer to by name: %u0 to %u11, %f0 to %f11.
static std::string declareTypes() {
  std::string text = "%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%bool = OpTypeBool\n"
                     "%float = OpTypeFloat 32\n%uint = OpTypeInt 32 0\n";
  for (StringRef scalar : {"float", "uint"})
    for (int count = 2; count <= 4; ++count)
      text +=
          ("%" + scalar + Twine(count) + " = OpTypeVector %" + scalar + " " + Twine(count) + "\n")
              .str();
  for (unsigned i = 0; i < 12; ++i)
    text += ("%u" + Twine(i) + " = OpConstant %uint " + Twine(i) + "\n%f" + Twine(i) +
             " = OpConstant %float " + Twine(i) + "\n")
                .str();
  return text + "%half = OpConstant %float 0.5\n%minus = OpConstant %float -1\n";
}

/// Pointer types and variables of \p variables.
static std::string declareVariables(ArrayRef<Variable> variables, StringRef storage) {
  std::string text;
  for (StringRef scalar : {"float", "uint"})
    for (const char *suffix : {"", "2", "3", "4"})
      text +=
          ("%p" + scalar + suffix + " = OpTypePointer " + storage + " %" + scalar + suffix + "\n")
              .str();
  for (const Variable &variable : variables)
    text += variable.name() + " = OpVariable %p" + variable.type() + " " + storage.str() + "\n";
  return text;
}

/// Decorates locations and components; interpolation in the fragment stage only.
static std::string decorate(ArrayRef<Variable> variables, bool isFragment) {
  std::string text;
  for (const Variable &variable : variables) {
    text +=
        "OpDecorate " + variable.name() + " Location " + std::to_string(variable.location) + "\n";
    if (variable.component)
      text += "OpDecorate " + variable.name() + " Component " + std::to_string(variable.component) +
              "\n";
    if (isFragment && !variable.interpolation.empty())
      text += "OpDecorate " + variable.name() + " " + variable.interpolation.str() + "\n";
  }
  return text;
}

/// Returns the names for the interface of OpEntryPoint, each with a leading space.
static std::string listNames(ArrayRef<Variable> variables) {
  std::string text;
  for (const Variable &variable : variables)
    text += " " + variable.name();
  return text;
}

/// The value of one component: a constant, or its multiple of \p index plus it.
static std::string makeComponent(Text &text, Random &random, const Variable &variable,
                                 StringRef index) {
  std::string one = (variable.isFloat ? "%f" : "%u") + std::to_string(random.below(12));
  bool isConstant = variable.value == ValueKind::Constant ||
                    (variable.value == ValueKind::Mixed && random.oneIn(2));
  if (isConstant)
    return one;
  std::string other = (variable.isFloat ? "%f" : "%u") + std::to_string(random.below(4));
  std::string product =
      text.add((variable.isFloat ? "OpFMul %float " : "OpIMul %uint ") + index + " " + other);
  return text.add((variable.isFloat ? "OpFAdd %float " : "OpIAdd %uint ") + product + " " + one);
}

/// Positions (-1, -1), (3, -1), (-1, 3), with a w of 1, or of 1, 2 and 3.
static void writePosition(Text &text, Random &random) {
  std::string bit = text.add("OpBitwiseAnd %uint %index %u1");
  std::string high = text.add("OpShiftRightLogical %uint %index %u1");
  std::string parts[2];
  for (unsigned i = 0; i < 2; ++i) {
    std::string number = text.add("OpConvertUToF %float " + Twine(i ? high : bit));
    std::string scaled = text.add("OpFMul %float " + Twine(number) + " %f4");
    parts[i] = text.add("OpFAdd %float " + Twine(scaled) + " %minus");
  }
  std::string w = "%f1";
  if (random.oneIn(3)) {
    w = text.add("OpFAdd %float %x %f1");
    for (std::string &part : parts)
      part = text.add("OpFMul %float " + Twine(part) + " " + w);
  }
  std::string position =
      text.add("OpCompositeConstruct %float4 " + Twine(parts[0]) + " " + parts[1] + " %f0 " + w);
  text.line("OpStore %position " + Twine(position));
}

/// Returns the vertex shader's assembly: position, then each variable that is written.
static std::string makeVertex(ArrayRef<Variable> all, Random &random) {
  std::vector<Variable> written;
  copy_if(all, std::back_inserter(written), [](const Variable &each) { return each.isWritten; });
  Text body;
  writePosition(body, random);
  for (const Variable &variable : written) {
    std::string value;
    for (uint32_t i = 0; i < variable.count; ++i)
      value += " " + makeComponent(body, random, variable, variable.isFloat ? "%x" : "%index");
    if (variable.count > 1)
      value = " " + body.add("OpCompositeConstruct %" + Twine(variable.type()) + value);
    body.line("OpStore " + Twine(variable.name()) + value);
  }
  return "OpCapability Shader\nOpMemoryModel Logical GLSL450\n"
         "OpEntryPoint Vertex %main \"main\" %vertex %position" +
         listNames(written) +
         "\nOpDecorate %vertex BuiltIn VertexIndex\nOpDecorate %position BuiltIn Position\n" +
         decorate(written, /*isFragment=*/false) + declareTypes() +
         "%puint_in = OpTypePointer Input %uint\n%vertex = OpVariable %puint_in Input\n" +
         declareVariables(written, "Output") +
         "%position = OpVariable %pfloat4 Output\n"
         "%main = OpFunction %void None %fn\n%entry = OpLabel\n"
         "%index = OpLoad %uint %vertex\n%x = OpConvertUToF %float %index\n" +
         body.takeBody() + "OpReturn\nOpFunctionEnd\n";
}

/// Adds all components of \p variable to the sums, in turns.
static void addToSums(Text &text, const Variable &variable, MutableArrayRef<std::string> sums) {
  std::string value = text.add("OpLoad %" + Twine(variable.type()) + " " + variable.name());
  for (uint32_t i = 0; i < variable.count; ++i) {
    std::string part = value;
    if (variable.count > 1)
      part = text.add("OpCompositeExtract %" + Twine(variable.scalar()) + " " + value + " " +
                      Twine(i));
    if (!variable.isFloat)
      part = text.add("OpConvertUToF %float " + Twine(part));
    std::string &sum = sums[(variable.number + i) % sums.size()];
    std::string scaled = text.add("OpFMul %float " + Twine(sum) + " %half");
    sum = text.add("OpFAdd %float " + Twine(scaled) + " " + part);
  }
}

/// The same where the condition holds.
static void addOnTheLeft(Text &text, const Variable &variable, MutableArrayRef<std::string> sums) {
  std::string number = std::to_string(variable.number);
  std::vector<std::string> before(sums.begin(), sums.end());
  text.line("OpSelectionMerge %end" + Twine(number) + " None");
  text.line("OpBranchConditional %is_left %then" + Twine(number) + " %else" + number);
  text.line("%then" + Twine(number) + " = OpLabel");
  addToSums(text, variable, sums);
  text.line("OpBranch %end" + Twine(number));
  text.line("%else" + Twine(number) + " = OpLabel\nOpBranch %end" + number);
  text.line("%end" + Twine(number) + " = OpLabel");
  for (size_t i = 0; i < sums.size(); ++i)
    sums[i] = text.add("OpPhi %float " + Twine(sums[i]) + " %then" + number + " " + before[i] +
                       " %else" + number);
}

/// Returns the fragment shader's assembly: four sums over the variables that are read, stored as
/// the colour.
static std::string makeFragment(ArrayRef<Variable> all) {
  std::vector<Variable> read;
  copy_if(all, std::back_inserter(read), [](const Variable &each) { return each.isRead; });
  Text body;
  std::string sums[4] = {"%f0", "%f0", "%f0", "%f1"};
  for (const Variable &variable : read)
    (variable.isConditional ? addOnTheLeft : addToSums)(body, variable, sums);
  std::string color = body.add("OpCompositeConstruct %float4 " + Twine(sums[0]) + " " + sums[1] +
                               " " + sums[2] + " " + sums[3]);
  body.line("OpStore %color " + Twine(color));
  bool hasSample =
      any_of(read, [](const Variable &each) { return each.interpolation == "Sample"; });
  return std::string("OpCapability Shader\n") +
         (hasSample ? "OpCapability SampleRateShading\n" : "") +
         "OpMemoryModel Logical GLSL450\n"
         "OpEntryPoint Fragment %main \"main\" %place %color" +
         listNames(read) +
         "\nOpExecutionMode %main OriginUpperLeft\nOpDecorate %place BuiltIn FragCoord\n"
         "OpDecorate %color Location 0\n" +
         decorate(read, /*isFragment=*/true) + declareTypes() +
         "%pcolor = OpTypePointer Output %float4\n%color = OpVariable %pcolor Output\n" +
         declareVariables(read, "Input") +
         "%place = OpVariable %pfloat4 Input\n"
         "%main = OpFunction %void None %fn\n%entry = OpLabel\n"
         "%where = OpLoad %float4 %place\n%column = OpCompositeExtract %float %where 0\n"
         "%is_left = OpFOrdLessThan %bool %column %f4\n" +
         body.takeBody() + "OpReturn\nOpFunctionEnd\n";
}

/// Both texts are made of the same variables, so that locations and types agree.
StageTexts assay::makeStageTexts(Random &random) {
  std::vector<Variable> variables = chooseVariables(random);
  StageTexts texts;
  texts.vertex = makeVertex(variables, random);
  texts.fragment = makeFragment(variables);
  return texts;
}

Expected<PipelineDescription> assay::assembleStages(const StageTexts &texts) {
  PipelineDescription pipeline;
  for (const auto &[stage, text] : {std::pair(ShaderStage::Vertex, &texts.vertex),
                                    std::pair(ShaderStage::Fragment, &texts.fragment)}) {
    Expected<std::vector<uint32_t>> words = spirv::assemble(*text);
    if (!words)
      return words.takeError();
    pipeline.addShader(stage).spirv = std::move(*words);
  }
  constexpr auto rgba32Float = TexelFormat(109); // Of VkFormat.
  pipeline.graphics.colorTargets.push_back({.format = rgba32Float});
  return pipeline;
}
