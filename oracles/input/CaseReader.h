// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The door of the case readers: a file or a text becomes a Case.
#pragma once

#include "oracles/api/Case.h"
#include "oracles/input/ReadOptions.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace assay {

/// Kinds of input that can be told apart.
enum class InputKind { SpirvBinary, SpirvAssembly, Glsl, Amber, VkScript, Pipe, ShaderJob };

/// The kind of an input by the extension of \p path, then by the first words of \p text (where the
/// extension is unknown, and to tell AmberScript from VkScript). InvalidInput when neither says it;
/// Unsupported for a kind that is known but not read yet (other shader stages, HLSL).
llvm::Expected<InputKind> detectInputKind(llvm::StringRef path, llvm::StringRef text);

/// The options of `--spirv-env NAME`: "spv1.4", "vulkan1.2"; empty: the default. InvalidInput for
/// an unknown name.
llvm::Expected<ReadOptions> makeReadOptions(llvm::StringRef environment);

/// Reads \p path. A shader alone gives a Case with one pipeline and nothing else. InvalidInput
/// (broken input, with its line), Unsupported, Limit (64 MiB of text, 256 MiB of buffers), or
/// Environment (the file can't be read). What a script needs beyond what Assay can do is in
/// Case::unsupported: that is no error.
llvm::Expected<Case> readCase(llvm::StringRef path, llvm::StringRef id,
                              const ReadOptions &options = {});

/// As readCase, from memory. \p path gives the extension and the folder of the files that a script
/// names; it need not exist.
llvm::Expected<Case> readCaseFromText(llvm::StringRef text, llvm::StringRef path,
                                      llvm::StringRef id, const ReadOptions &options = {});

} // namespace assay
