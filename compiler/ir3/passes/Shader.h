// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A shader and its variants, which are compiled on demand by key (ir3_shader, ir3_shader_key of the
// notes).
#pragma once

#include "compiler/ir3/passes/Variant.h"
#include <compare>
#include <map>
#include <memory>
#include <mutex>

namespace assay::ir3 {

/// State outside of the shader that its code can depend on. Source of the fields: the ir3 notes
/// (binning, two-sided color, render to alpha) and Mesa 25.0, ir3_shader.h, ir3_shader_key.
struct ShaderKey {
  bool binningPass = false;   ///< A vertex shader that computes positions only.
  bool twoSidedColor = false; ///< The color depends on which side faces the viewer.
  bool renderToAlpha = false; ///< The target has alpha only.
  bool flatShading = false;   ///< Colors are not interpolated.
  bool sampleShading = false; ///< Runs for each sample.
  bool msaa = false;          ///< The target has several samples.
  uint8_t clipPlanes = 0;     ///< Enabled user clip planes, a bit each.
  uint8_t tessellation = 0;   ///< 0 none, 1 quads, 2 triangles, 3 isolines.

  auto operator<=>(const ShaderKey &) const = default;
};

/// \p key with the fields at their initial value that a shader of \p stage cannot depend on, or
/// does not where \p used (a key, too: a field that is not at its initial value is used) says so.
ShaderKey normalizeKey(const ShaderKey &key, ShaderStage stage, const ShaderKey &used);

/// One shader; thread-safe.
class Shader {
public:
  /// Makes the program of a normalized key.
  using Source = std::function<llvm::Expected<std::unique_ptr<Program>>(const ShaderKey &key)>;

  Shader(ShaderStage stage, const ShaderKey &used, Source source, CompileOptions options)
      : m_stage(stage), m_used(used), m_source(std::move(source)), m_options(std::move(options)) {}

  /// The variant for \p key, which lives as long as the shader; keys that normalize to the same
  /// share one. A failure is not remembered.
  llvm::Expected<const ShaderVariant *> variant(const ShaderKey &key);
  /// How many have been compiled.
  size_t variantCount() const;

private:
  ShaderStage m_stage;
  ShaderKey m_used;
  Source m_source;
  CompileOptions m_options;
  mutable std::mutex m_mutex;
  std::map<ShaderKey, std::unique_ptr<ShaderVariant>> m_variants;
};

} // namespace assay::ir3
