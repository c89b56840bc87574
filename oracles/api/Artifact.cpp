// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracles/api/Artifact.h"

#include "support/FileMagic.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace assay;

namespace {

struct TypeRow {
  ArtifactType type;
  StringLiteral magic;
};

} // namespace

static constexpr TypeRow typeRows[] = {
    {ArtifactType::RadvShader, RadvShaderMagic},
    {ArtifactType::RadvGraphics, RadvGraphicsMagic},
    {ArtifactType::TurnipShader, TurnipShaderMagic},
    {ArtifactType::Ir3Variant, Ir3VariantMagic},
};

ArtifactType assay::detectArtifactType(ArrayRef<uint8_t> bytes) {
  for (const TypeRow &row : typeRows)
    if (toStringRef(bytes).starts_with(row.magic))
      return row.type;
  return ArtifactType::PalElf;
}

Artifact::Artifact(std::vector<uint8_t> bytes) {
  ArtifactType type = detectArtifactType(bytes);
  m_content = std::make_shared<Content>(Content{std::move(bytes), type, {}});
}

Artifact Artifact::makeIr(StringRef text) {
  Artifact artifact(std::vector<uint8_t>(text.bytes_begin(), text.bytes_end()));
  artifact.m_content->type = ArtifactType::Ir;
  return artifact;
}

ArrayRef<uint8_t> Artifact::bytes() const {
  return m_content ? ArrayRef<uint8_t>(m_content->bytes) : ArrayRef<uint8_t>();
}

StringRef Artifact::text() const {
  return toStringRef(bytes());
}

std::shared_ptr<const void> *Artifact::findView(const void *key) const {
  return m_content ? &m_content->views[key] : nullptr;
}
