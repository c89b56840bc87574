// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/amdgpu/passes/ImageCoordinates.h"

#include "support/Fault.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

using namespace llvm;
using namespace assay;
using namespace assay::amdgpu;

/// By ImageDim. The last row is of texel buffers, which no image intrinsic is for.
static constexpr ImageDimInfo dims[imageDimCount] = {
    {"1d", "1d", 1, 1, 1, false, false},
    {"2d", "2d", 2, 2, 2, false, false},
    {"3d", "3d", 3, 3, 3, false, false},
    {"cube", "2darray", 3, 3, 3, false, true},
    {"1darray", "1darray", 2, 2, 1, true, false},
    {"2darray", "2darray", 3, 3, 2, true, false},
    {"cube", "2darray", 3, 4, 3, true, true},
    {"2dmsaa", "2dmsaa", 3, 0, 0, false, false},
    {"2darraymsaa", "2darraymsaa", 4, 0, 0, true, false},
    {"", "", 1, 0, 0, false, false},
};

const ImageDimInfo &amdgpu::getImageDimInfo(ImageDim dim) {
  return dims[static_cast<unsigned>(dim)];
}

namespace {
/// A direction into a cube, projected on the face that it meets. The hardware numbers the faces as
/// Vulkan does ("Cube Map Face Selection"), gives sc and tc of Vulkan's table as they are and twice
/// the major axis ("RDNA3 Instruction Set Architecture", V_CUBEID_F32 and its neighbours), and
/// wants places on a face in [1, 2].
class CubeProjection {
public:
  CubeProjection(IRBuilder<> &builder, ArrayRef<Value *> direction) : m_builder(builder) {
    auto cube = [&](Intrinsic::ID id) {
      return builder.CreateIntrinsic(builder.getFloatTy(), id, direction);
    };
    m_face = cube(Intrinsic::amdgcn_cubeid);
    Value *major = cube(Intrinsic::amdgcn_cubema);
    m_isNegative = builder.CreateFCmpOLT(major, number(0));
    m_reciprocal = builder.CreateUnaryIntrinsic(
        Intrinsic::amdgcn_rcp, builder.CreateUnaryIntrinsic(Intrinsic::fabs, major));
    m_s = builder.CreateFMul(cube(Intrinsic::amdgcn_cubesc), m_reciprocal);
    m_t = builder.CreateFMul(cube(Intrinsic::amdgcn_cubetc), m_reciprocal);
  }

  Value *getFace() const { return m_face; }
  /// Place on the face, in [1, 2].
  Value *getS() const { return m_builder.CreateFAdd(m_s, number(1.5)); }
  Value *getT() const { return m_builder.CreateFAdd(m_t, number(1.5)); }

  /// Appends the change of s and t that a \p change of direction makes.
  void addGradient(ArrayRef<Value *> change, SmallVectorImpl<Value *> &gradients) const;

private:
  Value *number(double value) const { return ConstantFP::get(m_builder.getFloatTy(), value); }
  Value *negateIf(Value *condition, Value *value) const {
    return m_builder.CreateSelect(condition, m_builder.CreateFNeg(value), value);
  }
  /// Whether the number of the face is \p first or more.
  Value *isFaceFrom(double first) const { return m_builder.CreateFCmpOGE(m_face, number(first)); }

  IRBuilder<> &m_builder;
  Value *m_face;
  Value *m_isNegative; ///< The major axis.
  Value *m_reciprocal; ///< 1 / |2 * major axis|.
  Value *m_s, *m_t;    ///< In [-0.5, 0.5].
};
} // namespace

// With m = |major axis|: s = sc / 2m, so ds = (dsc - 2s * dm) / 2m; the same for t. Vulkan's table:
//   faces 0, 1 (x): sc = -+z, tc = -y;  2, 3 (y): sc = x, tc = +-z;  4, 5 (z): sc = +-x, tc = -y.
void CubeProjection::addGradient(ArrayRef<Value *> change,
                                 SmallVectorImpl<Value *> &gradients) const {
  constexpr double FirstYFace = 2, FirstZFace = 4;
  Value *isZ = isFaceFrom(FirstZFace);
  Value *isYOrZ = isFaceFrom(FirstYFace);
  Value *isY = m_builder.CreateAnd(isYOrZ, m_builder.CreateNot(isZ));
  Value *isPositive = m_builder.CreateNot(m_isNegative);
  Value *major =
      m_builder.CreateSelect(isZ, change[2], m_builder.CreateSelect(isYOrZ, change[1], change[0]));
  major = negateIf(m_isNegative, major);
  Value *dsc = m_builder.CreateSelect(
      isZ, negateIf(m_isNegative, change[0]),
      m_builder.CreateSelect(isYOrZ, change[0], negateIf(isPositive, change[2])));
  Value *dtc = m_builder.CreateSelect(isY, negateIf(m_isNegative, change[2]),
                                      m_builder.CreateFNeg(change[1]));
  Value *twice = m_builder.CreateFMul(major, number(2));
  for (auto [place, numerator] : {std::pair(m_s, dsc), std::pair(m_t, dtc)}) {
    Value *rest = m_builder.CreateFSub(numerator, m_builder.CreateFMul(place, twice));
    gradients.push_back(m_builder.CreateFMul(rest, m_reciprocal));
  }
}

/// Returns the first \p count components of \p vector.
static SmallVector<Value *, 4> split(IRBuilder<> &builder, Value *vector, unsigned count) {
  SmallVector<Value *, 4> elements;
  for (unsigned i = 0; i < count; ++i)
    elements.push_back(builder.CreateExtractElement(vector, uint64_t(i)));
  return elements;
}

/// The hardware may round halves up; Vulkan rounds layers to the nearest even one.
static Value *roundLayer(IRBuilder<> &builder, Value *layer) {
  return builder.CreateUnaryIntrinsic(Intrinsic::rint, layer);
}

/// Returns {s, t, face} for the direction in the first three components of \p coordinate; of an
/// array the face is 8 * layer + face.
static SampleAddress makeCubeAddress(IRBuilder<> &builder, const ImageDimInfo &info,
                                     ArrayRef<Value *> coordinate,
                                     ArrayRef<SmallVector<Value *, 4>> gradients) {
  constexpr unsigned DirectionSize = 3;
  // The hardware counts eight layers a cube.
  constexpr double HardwareLayers = 8, Faces = 6;
  CubeProjection cube(builder, coordinate.take_front(DirectionSize));
  SampleAddress address;
  for (const SmallVector<Value *, 4> &change : gradients)
    cube.addGradient(change, address.gradients);
  Value *face = cube.getFace();
  if (info.isArrayed) {
    Value *layer = roundLayer(builder, coordinate[DirectionSize]);
    double layersPerCube = faultPlanted(Fault::CubeLayer) ? Faces : HardwareLayers;
    Value *first = builder.CreateFMul(layer, ConstantFP::get(layer->getType(), layersPerCube));
    face = builder.CreateFAdd(first, face);
  }
  address.coordinates = {cube.getS(), cube.getT(), face};
  return address;
}

/// Layers are rounded here; the direction into a cube is projected.
SampleAddress amdgpu::makeSampleAddress(IRBuilder<> &builder, ImageDim dim, Value *coordinate,
                                        Value *gradientX, Value *gradientY) {
  const ImageDimInfo &info = getImageDimInfo(dim);
  SmallVector<Value *, 4> components = split(builder, coordinate, info.sampleCoordinates);
  SmallVector<SmallVector<Value *, 4>, 2> gradients;
  if (gradientX)
    gradients = {split(builder, gradientX, info.gradients),
                 split(builder, gradientY, info.gradients)};
  if (info.isCube)
    return makeCubeAddress(builder, info, components, gradients);
  if (info.isArrayed)
    components.back() = roundLayer(builder, components.back());
  SampleAddress address;
  for (const SmallVector<Value *, 4> &gradient : gradients)
    append_range(address.gradients, gradient);
  address.coordinates = components;
  return address;
}
