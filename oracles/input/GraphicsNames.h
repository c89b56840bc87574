// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The words of both script languages for the values of a GraphicsState, for readers and the writer
// alike. Where a value has several names, the first is the one that is written.
#pragma once

#include "compiler/api/GraphicsState.h"
#include "oracles/input/amber/AmberNames.h"

namespace assay::input {

/// Names with GL_ are VkScript's and VkRunner's.
inline constexpr NamedValue<PrimitiveTopology> topologies[] = {
    {"POINT_LIST", PrimitiveTopology::PointList},
    {"LINE_LIST", PrimitiveTopology::LineList},
    {"LINE_STRIP", PrimitiveTopology::LineStrip},
    {"TRIANGLE_LIST", PrimitiveTopology::TriangleList},
    {"TRIANGLE_STRIP", PrimitiveTopology::TriangleStrip},
    {"TRIANGLE_FAN", PrimitiveTopology::TriangleFan},
    {"LINE_LIST_WITH_ADJACENCY", PrimitiveTopology::LineListWithAdjacency},
    {"LINE_STRIP_WITH_ADJACENCY", PrimitiveTopology::LineStripWithAdjacency},
    {"TRIANGLE_LIST_WITH_ADJACENCY", PrimitiveTopology::TriangleListWithAdjacency},
    {"TRIANGLE_STRIP_WITH_ADJACENCY", PrimitiveTopology::TriangleStripWithAdjacency},
    {"PATCH_LIST", PrimitiveTopology::PatchList},
    {"GL_POINTS", PrimitiveTopology::PointList},
    {"GL_LINES", PrimitiveTopology::LineList},
    {"GL_LINE_STRIP", PrimitiveTopology::LineStrip},
    {"GL_TRIANGLES", PrimitiveTopology::TriangleList},
    {"GL_TRIANGLE_STRIP", PrimitiveTopology::TriangleStrip},
    {"GL_TRIANGLE_FAN", PrimitiveTopology::TriangleFan},
    {"GL_LINES_ADJACENCY", PrimitiveTopology::LineListWithAdjacency},
    {"GL_LINE_STRIP_ADJACENCY", PrimitiveTopology::LineStripWithAdjacency},
    {"GL_TRIANGLES_ADJACENCY", PrimitiveTopology::TriangleListWithAdjacency},
    {"GL_TRIANGLE_STRIP_ADJACENCY", PrimitiveTopology::TriangleStripWithAdjacency},
    {"GL_PATCHES", PrimitiveTopology::PatchList}};
inline constexpr NamedValue<PolygonMode> polygonModes[] = {
    {"fill", PolygonMode::Fill}, {"line", PolygonMode::Line}, {"point", PolygonMode::Point}};
inline constexpr NamedValue<StencilOp> stencilOps[] = {
    {"keep", StencilOp::Keep},
    {"zero", StencilOp::Zero},
    {"replace", StencilOp::Replace},
    {"increment_and_clamp", StencilOp::IncrementAndClamp},
    {"decrement_and_clamp", StencilOp::DecrementAndClamp},
    {"invert", StencilOp::Invert},
    {"increment_and_wrap", StencilOp::IncrementAndWrap},
    {"decrement_and_wrap", StencilOp::DecrementAndWrap}};
// The parser of Amber says costant_alpha.
inline constexpr NamedValue<BlendFactor> blendFactors[] = {
    {"zero", BlendFactor::Zero},
    {"one", BlendFactor::One},
    {"src_color", BlendFactor::SrcColor},
    {"one_minus_src_color", BlendFactor::OneMinusSrcColor},
    {"dst_color", BlendFactor::DstColor},
    {"one_minus_dst_color", BlendFactor::OneMinusDstColor},
    {"src_alpha", BlendFactor::SrcAlpha},
    {"one_minus_src_alpha", BlendFactor::OneMinusSrcAlpha},
    {"dst_alpha", BlendFactor::DstAlpha},
    {"one_minus_dst_alpha", BlendFactor::OneMinusDstAlpha},
    {"constant_color", BlendFactor::ConstantColor},
    {"one_minus_constant_color", BlendFactor::OneMinusConstantColor},
    {"costant_alpha", BlendFactor::ConstantAlpha},
    {"constant_alpha", BlendFactor::ConstantAlpha},
    {"one_minus_constant_alpha", BlendFactor::OneMinusConstantAlpha},
    {"src_alpha_saturate", BlendFactor::SrcAlphaSaturate},
    {"src1_color", BlendFactor::Src1Color},
    {"one_minus_src1_color", BlendFactor::OneMinusSrc1Color},
    {"src1_alpha", BlendFactor::Src1Alpha},
    {"one_minus_src1_alpha", BlendFactor::OneMinusSrc1Alpha}};
// The parser of Amber says substract.
inline constexpr NamedValue<BlendOp> blendOps[] = {{"add", BlendOp::Add},
                                                   {"substract", BlendOp::Subtract},
                                                   {"subtract", BlendOp::Subtract},
                                                   {"reverse_substract", BlendOp::ReverseSubtract},
                                                   {"reverse_subtract", BlendOp::ReverseSubtract},
                                                   {"min", BlendOp::Min},
                                                   {"max", BlendOp::Max}};
inline constexpr NamedValue<AdvancedBlendOp> advancedBlendOps[] = {
    {"zero", AdvancedBlendOp::Zero},
    {"src", AdvancedBlendOp::Src},
    {"dst", AdvancedBlendOp::Dst},
    {"src_over", AdvancedBlendOp::SrcOver},
    {"dst_over", AdvancedBlendOp::DstOver},
    {"src_in", AdvancedBlendOp::SrcIn},
    {"dst_in", AdvancedBlendOp::DstIn},
    {"src_out", AdvancedBlendOp::SrcOut},
    {"dst_out", AdvancedBlendOp::DstOut},
    {"src_atop", AdvancedBlendOp::SrcAtop},
    {"dst_atop", AdvancedBlendOp::DstAtop},
    {"xor", AdvancedBlendOp::Xor},
    {"multiply", AdvancedBlendOp::Multiply},
    {"screen", AdvancedBlendOp::Screen},
    {"overlay", AdvancedBlendOp::Overlay},
    {"darken", AdvancedBlendOp::Darken},
    {"lighten", AdvancedBlendOp::Lighten},
    {"color_dodge", AdvancedBlendOp::ColorDodge},
    {"color_burn", AdvancedBlendOp::ColorBurn},
    {"hard_light", AdvancedBlendOp::HardLight},
    {"soft_light", AdvancedBlendOp::SoftLight},
    {"difference", AdvancedBlendOp::Difference},
    {"exclusion", AdvancedBlendOp::Exclusion},
    {"invert", AdvancedBlendOp::Invert},
    {"invert_rgb", AdvancedBlendOp::InvertRgb},
    {"linear_dodge", AdvancedBlendOp::LinearDodge},
    {"linear_burn", AdvancedBlendOp::LinearBurn},
    {"vivid_light", AdvancedBlendOp::VividLight},
    {"linear_light", AdvancedBlendOp::LinearLight},
    {"pin_light", AdvancedBlendOp::PinLight},
    {"hard_mix", AdvancedBlendOp::HardMix},
    {"hsl_hue", AdvancedBlendOp::HslHue},
    {"hsl_saturation", AdvancedBlendOp::HslSaturation},
    {"hsl_color", AdvancedBlendOp::HslColor},
    {"hsl_luminosity", AdvancedBlendOp::HslLuminosity},
    {"plus", AdvancedBlendOp::Plus},
    {"plus_clamped", AdvancedBlendOp::PlusClamped},
    {"plus_clamped_alpha", AdvancedBlendOp::PlusClampedAlpha},
    {"plus_darker", AdvancedBlendOp::PlusDarker},
    {"minus", AdvancedBlendOp::Minus},
    {"minus_clamped", AdvancedBlendOp::MinusClamped},
    {"contrast", AdvancedBlendOp::Contrast},
    {"invert_ovg", AdvancedBlendOp::InvertOvg},
    {"red", AdvancedBlendOp::Red},
    {"green", AdvancedBlendOp::Green},
    {"blue", AdvancedBlendOp::Blue}};

} // namespace assay::input
