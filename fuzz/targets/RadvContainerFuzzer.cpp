// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Any bytes as a file of a RADV shader: refused, or read, printed and written to the same bytes,
// and loaded for each chip or refused for it.
#include "compiler/api/Target.h"
#include "fuzz/targets/Target.h"
#include "oracles/machine/gcn/launch/RadvImage.h"
#include "oracles/radv/RadvShader.h"
#include "support/Error.h"

using namespace llvm;
using namespace assay;

/// A shader that reads must write to the same bytes. Code that loads must have an entry point.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  ArrayRef<uint8_t> bytes(data, size);
  Expected<radv::RadvShader> shader = radv::readRadvShader(bytes);
  if (!shader) {
    consumeError(shader.takeError());
    return 0;
  }
  if (ArrayRef(radv::writeRadvShader(*shader)) != bytes || radv::printRadvShader(*shader).empty())
    return fuzz::settle("read and written, it is another file");
  Artifact artifact(bytes.vec());
  for (const TargetInfo &target : getTargets())
    if (Expected<gcn::CodeImage> image = gcn::loadCode(artifact, target); !image)
      consumeError(image.takeError());
    else if (image->entry == gcn::NoTarget)
      return fuzz::settle("a shader without an entry point loads");
  return 0;
}
