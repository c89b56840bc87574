// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a compiler gives to a machine: a file of a known type, read once into what its readers make
// of it.
#pragma once

#include "support/Error.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace assay {

/// What a compiler makes and a machine takes.
enum class ArtifactType : uint8_t {
  None,         ///< A machine that runs the SPIR-V of the case itself.
  PalElf,       ///< An ELF of PAL's pipeline ABI, or a file of no known type.
  RadvShader,   ///< A compute shader of RADV with what a launch needs (oracles/radv).
  RadvGraphics, ///< The shaders of a graphics pipeline of RADV, likewise.
  TurnipShader, ///< A compute shader of turnip, likewise (oracles/turnip).
  Ir3Variant,   ///< An ir3 shader of Assay's compiler (oracles/ir3_variant).
  Ir,           ///< LLVM IR as text, from some point of Assay's middle-end.
};

/// The type of the file \p bytes by its first bytes (support/FileMagic.h). PalElf when no type is
/// known: readers of ELFs say what is wrong with it. Never None or Ir.
ArtifactType detectArtifactType(llvm::ArrayRef<uint8_t> bytes);

/// What a compiler made of one pipeline of a case. Its bytes never change; copies share them and
/// what was read from them. Not for several threads at once.
class Artifact {
public:
  Artifact() = default;
  /// A file of the type that detectArtifactType() finds.
  explicit Artifact(std::vector<uint8_t> bytes);
  /// LLVM IR.
  static Artifact makeIr(llvm::StringRef text);

  ArtifactType type() const { return m_content ? m_content->type : ArtifactType::PalElf; }
  llvm::ArrayRef<uint8_t> bytes() const;
  llvm::StringRef text() const;

  /// What \p read, a function from bytes to Expected<View>, makes of the bytes. It is called once
  /// for each View, unless it fails: errors are not kept. The view lives as long as any copy of the
  /// artifact, and may refer to its bytes.
  template <class View, class Read> llvm::Expected<const View &> view(Read read) const {
    std::shared_ptr<const void> *known = findView(&keyOf<View>);
    if (!known)
      return invalidInput("an artifact without a file");
    if (!*known) {
      llvm::Expected<View> made = read(bytes());
      if (!made)
        return made.takeError();
      *known = std::make_shared<const View>(std::move(*made));
    }
    return *static_cast<const View *>(known->get());
  }

private:
  struct Content {
    std::vector<uint8_t> bytes;
    ArtifactType type;
    std::map<const void *, std::shared_ptr<const void>> views; ///< By keyOf<View>.
  };
  template <class View> static inline char keyOf = 0;

  /// The place of a view, empty until it is made. Null without content.
  std::shared_ptr<const void> *findView(const void *key) const;

  std::shared_ptr<Content> m_content;
};

} // namespace assay
