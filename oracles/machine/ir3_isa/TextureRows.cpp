// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Category 5: textures, derivatives, exchange within a quad. Mesa 25.0, ir3-cat5.xml.
#include "oracles/machine/ir3_isa/Isa.h"

using namespace llvm;
using namespace assay;
using namespace assay::adreno;
using namespace assay::adreno::rowflags;

/// Name and flags of samples and loads: 3D, array, offset.
#define HEAD "{flags}{name}{flag 3d=.3d}{flag a=.a}{flag o=.o}"
#define RESULT " {sampletype type}({mask wrmask}){dst dst}{coordinate src1}{extra src2}"
/// With s2en the descriptor is named by mode and register; without it sampler and texture have
/// numbers of their own.
static constexpr TextRow SampleTexts[] = {
    {"s2en=1", HEAD "{flag p=.p}{flag sv=.s}{access desc}" RESULT "{descriptor src3}"},
    {"s2en=0", HEAD "{flag p=.p}{flag sv=.s}" RESULT "{sampler samp}{texture tex}"},
};
/// As SampleTexts. Flag .v takes the place of .s, and ".1d" is printed where bit not1d is 0.
static constexpr TextRow LoadTexts[] = {
    {"s2en=1", HEAD "{flag sv=.v}{access desc}{noflag not1d=.1d}" RESULT "{descriptor src3}"},
    {"s2en=0", HEAD "{flag sv=.v}{noflag not1d=.1d}" RESULT "{sampler samp}{texture tex}"},
};
static constexpr TextRow PlainTexts[] = {{"", "{flags}{name}"}};
static constexpr TextRow ClusterTexts[] = {{"", "{flags}{name}.w{twice width}" RESULT}};
static constexpr TextRow QuadTexts[] = {{"", "{flags}{name}" RESULT}};

// The parts of the descriptor are where sampler and texture are without s2en.
#define RESULT_FIELDS "sy:60 jp:59 type:46-44 wrmask:43-40 dst:39-32 src2:16-9 src1:8-1 full:0 "
/// src3 overlaps tex and samp: which are meant depends on s2en. The base is in two places.
#define SAMPLE_FIELDS                                                                              \
  RESULT_FIELDS                                                                                    \
  "o:52 s2en:51 a:49 3d:48 base:20-19,47 desc:31-29 src3:28-21 tex:31-25 samp:24-21 sv:50 "

static constexpr FormatRow TextureFormats[] = {
    {"texture", 5, Width::Texture, SAMPLE_FIELDS "p:53", "18=0", "", SampleTexts},
    {"texture-load", 5, Width::Texture, SAMPLE_FIELDS "immoff:53 not1d:18", "", "", LoadTexts},
    {"texture-plain", 5, Width::None, "sy:60 jp:59", "", "", PlainTexts},
    {"texture-cluster", 5, Width::Texture, RESULT_FIELDS "width:20-19", "50=0 18=0", "",
     ClusterTexts},
    {"texture-quad", 5, Width::Texture, RESULT_FIELDS, "50=0 18=0", "", QuadTexts},
};

/// Rows that name a sampler and a texture.
static constexpr uint16_t Both = Sampler | rowflags::Texture | Typed;

/// The opcode is in bits 58-54, of cluster and quad operations in 58-53. Quad operations differ in
/// bits 20-19.
static constexpr InstRow TextureRows[] = {
    {"isam", "texture-load", AnyFirst, AnyLast, "58-54=00000", Unit::Texture, OneSource | Both},
    {"isaml", "texture", AnyFirst, AnyLast, "58-54=00001", Unit::Texture, TwoSources | Both},
    {"isamm", "texture", AnyFirst, AnyLast, "58-54=00010", Unit::Texture, OneSource | Both},
    {"sam", "texture", AnyFirst, AnyLast, "58-54=00011", Unit::Texture, OneSource | Both},
    {"samb", "texture", AnyFirst, AnyLast, "58-54=00100", Unit::Texture, TwoSources | Both},
    {"saml", "texture", AnyFirst, AnyLast, "58-54=00101", Unit::Texture, TwoSources | Both},
    {"samgq", "texture", AnyFirst, AnyLast, "58-54=00110", Unit::Texture, OneSource | Both},
    {"getlod", "texture", AnyFirst, AnyLast, "58-54=00111", Unit::Texture, OneSource | Both},
    {"conv", "texture", AnyFirst, AnyLast, "58-54=01000", Unit::Texture, TwoSources | Both},
    {"convm", "texture", AnyFirst, AnyLast, "58-54=01001", Unit::Texture, TwoSources | Both},
    {"getsize", "texture", AnyFirst, AnyLast, "58-54=01010", Unit::Texture,
     OneSource | rowflags::Texture | Typed},
    {"getbuf", "texture", AnyFirst, AnyLast, "58-54=01011", Unit::Texture,
     rowflags::Texture | Typed},
    {"getpos", "texture", AnyFirst, AnyLast, "58-54=01100", Unit::Texture,
     OneSource | rowflags::Texture | Typed},
    {"getinfo", "texture", AnyFirst, AnyLast, "58-54=01101", Unit::Texture,
     rowflags::Texture | Typed},
    {"dsx", "texture", AnyFirst, AnyLast, "58-54=01110", Unit::Texture, OneSource | Typed},
    {"dsy", "texture", AnyFirst, AnyLast, "58-54=01111", Unit::Texture, OneSource | Typed},
    {"gather4r", "texture", AnyFirst, AnyLast, "58-54=10000", Unit::Texture, OneSource | Both},
    {"gather4g", "texture", AnyFirst, AnyLast, "58-54=10001", Unit::Texture, OneSource | Both},
    {"gather4b", "texture", AnyFirst, AnyLast, "58-54=10010", Unit::Texture, OneSource | Both},
    {"gather4a", "texture", AnyFirst, AnyLast, "58-54=10011", Unit::Texture, OneSource | Both},
    {"samgp0", "texture", AnyFirst, AnyLast, "58-54=10100", Unit::Texture, OneSource | Both},
    {"samgp1", "texture", AnyFirst, AnyLast, "58-54=10101", Unit::Texture, OneSource | Both},
    {"samgp2", "texture", AnyFirst, AnyLast, "58-54=10110", Unit::Texture, OneSource | Both},
    {"samgp3", "texture", AnyFirst, AnyLast, "58-54=10111", Unit::Texture, OneSource | Both},
    {"dsxpp.1", "texture", AnyFirst, AnyLast, "58-54=11000", Unit::Texture, OneSource},
    {"dsypp.1", "texture", AnyFirst, AnyLast, "58-54=11001", Unit::Texture, OneSource},
    {"rgetpos", "texture", AnyFirst, AnyLast, "58-54=11010", Unit::Texture, OneSource | Typed},
    {"rgetinfo", "texture", AnyFirst, AnyLast, "58-54=11011", Unit::Texture, Typed},
    {"tcinv", "texture-plain", AnyFirst, AnyLast, "58-54=11100", Unit::Texture},
    {"brcst.active", "texture-cluster", 600, AnyLast, "58-53=111110", Unit::Texture,
     OneSource | Typed},
    {"quad_shuffle.brcst", "texture-quad", 600, AnyLast, "58-53=111111 20-19=00", Unit::Texture,
     TwoSources | Typed},
    {"quad_shuffle.horiz", "texture-quad", 600, AnyLast, "58-53=111111 20-19=01", Unit::Texture,
     OneSource | Typed},
    {"quad_shuffle.vert", "texture-quad", 600, AnyLast, "58-53=111111 20-19=10", Unit::Texture,
     OneSource | Typed},
    {"quad_shuffle.diag", "texture-quad", 600, AnyLast, "58-53=111111 20-19=11", Unit::Texture,
     OneSource | Typed},
};

ArrayRef<FormatRow> adreno::textureFormats() {
  return TextureFormats;
}
ArrayRef<InstRow> adreno::textureRows() {
  return TextureRows;
}
