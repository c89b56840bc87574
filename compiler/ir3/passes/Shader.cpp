// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir3/passes/Shader.h"

using namespace llvm;

namespace assay::ir3 {

/// All fields that a stage can depend on, set.
static ShaderKey fieldsOf(ShaderStage stage) {
  ShaderKey key;
  if (stage == ShaderStage::Vertex) {
    key.binningPass = true;
    key.clipPlanes = 0xff;
    key.tessellation = 0xff;
  } else if (stage == ShaderStage::Fragment) {
    key.twoSidedColor = key.renderToAlpha = key.flatShading = key.sampleShading = key.msaa = true;
    key.clipPlanes = 0xff;
  }
  return key;
}

/// A compute shader depends on no field, so that it has one variant.
ShaderKey normalizeKey(const ShaderKey &key, ShaderStage stage, const ShaderKey &used) {
  ShaderKey fields = fieldsOf(stage), result;
  result.binningPass = key.binningPass && fields.binningPass && used.binningPass;
  result.twoSidedColor = key.twoSidedColor && fields.twoSidedColor && used.twoSidedColor;
  result.renderToAlpha = key.renderToAlpha && fields.renderToAlpha && used.renderToAlpha;
  result.flatShading = key.flatShading && fields.flatShading && used.flatShading;
  result.sampleShading = key.sampleShading && fields.sampleShading && used.sampleShading;
  result.msaa = key.msaa && fields.msaa && used.msaa;
  result.clipPlanes = key.clipPlanes & fields.clipPlanes & used.clipPlanes;
  if (fields.tessellation && used.tessellation)
    result.tessellation = key.tessellation;
  return result;
}

/// Compiles with the lock held: two threads never compile one shader at the same time.
Expected<const ShaderVariant *> Shader::variant(const ShaderKey &key) {
  ShaderKey normalized = normalizeKey(key, m_stage, m_used);
  std::scoped_lock lock(m_mutex);
  std::unique_ptr<ShaderVariant> &known = m_variants[normalized];
  if (known)
    return known.get();
  Expected<std::unique_ptr<Program>> program = m_source(normalized);
  if (!program)
    return program.takeError();
  Expected<ShaderVariant> variant = compileProgram(**program, m_options);
  if (!variant)
    return variant.takeError();
  known = std::make_unique<ShaderVariant>(std::move(*variant));
  return known.get();
}

/// Entries without a variant are of failed compilations.
size_t Shader::variantCount() const {
  std::scoped_lock lock(m_mutex);
  return size_t(
      llvm::count_if(m_variants, [](const auto &entry) { return entry.second != nullptr; }));
}

} // namespace assay::ir3
