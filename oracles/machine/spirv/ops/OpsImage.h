// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the two families of image instructions share: decoding their operands, and following their
// descriptors with all checks.
#pragma once

#include "oracles/machine/spirv/memory/MemoryAccess.h"

namespace assay::reference {

/// The image type of a value that is an image, a sampled image, or a pointer to one; null for
/// others.
const spirv::ImageType *imageTypeOf(Decoder &decoder, spirv::Id value);

/// Starts an ImageOp from the first operands, image and coordinate (if any); op[0] becomes the
/// image.
llvm::Error startImageOp(Decoder &decoder, Operands operands, Inst &inst, ImageOp &op);
/// Reads the mask of image operands and what follows it; nothing may be there.
llvm::Error readImageOperands(Decoder &decoder, Operands operands, ImageOp &op);
/// Gives the instruction its ImageOp.
llvm::Error finishImageOp(Decoder &decoder, Inst &inst, const ImageOp &op);

/// What a descriptor refers to; null after the run was stopped, because nothing fit is bound.
const ImageBinding *descriptorOf(Invocation &invocation, const Inst &inst, const Scalar &value);
/// The image of a descriptor, checked for an access by \p op; null after the run was stopped.
const ImageView *viewOf(Invocation &invocation, const Inst &inst, const Scalar &value,
                        const ImageOp &op);
/// Reads texel \p place, which the view contains; false after a race.
bool loadTexel(Invocation &invocation, const Inst &inst, const ImageView &view,
               const TexelPlace &place, TexelValue &value);

} // namespace assay::reference
