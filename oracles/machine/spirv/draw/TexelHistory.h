// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What happened to one texel of an attachment, as text.
#pragma once

#include "oracles/api/Case.h"
#include "oracles/machine/spirv/SpirvMachine.h"
#include "oracles/raster/Draw.h"

namespace assay::reference {

/// Watches one draw or clear, and adds a line for each fragment of the texel to its history.
class TexelHistory final : public raster::FragmentObserver {
public:
  /// \p line: of the command. All references must outlive this object.
  TexelHistory(TexelInspection &inspection, const CasePipeline &pipeline,
               const raster::Framebuffer &framebuffer, unsigned line);

  bool watches(uint32_t x, uint32_t y, uint32_t layer) const override;
  void beforeFragment(const raster::FragmentEvent &event) override;
  void afterFragment(const raster::FragmentEvent &event) override;
  /// Around a clear, which leaves the texel in \p framebuffer, another one than that before.
  void beforeClear();
  void afterClear(const raster::Framebuffer &framebuffer);

private:
  void findTarget(const raster::Framebuffer &framebuffer);
  std::string printTexel() const;
  void add(const std::string &what);

  TexelInspection &m_inspection;
  const CasePipeline &m_pipeline;
  const raster::RenderTarget *m_target = nullptr; ///< Null: the texel is of no target.
  unsigned m_line;
  std::string m_before;
};

} // namespace assay::reference
