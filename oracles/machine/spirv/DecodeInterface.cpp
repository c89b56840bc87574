// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inputs and outputs of graphics stages as scalars with their places (Vulkan 1.3, "Shader
// Interfaces": "Location Assignment", "Component Assignment").
#include "oracles/machine/spirv/Decoder.h"

#include "support/Error.h"

using namespace llvm;
using namespace assay;
using namespace assay::reference;
using spirv::TypeKind;

namespace {
/// Walks a variable's type in the order of its scalars.
class InterfaceWalk {
public:
  InterfaceWalk(const spirv::Module &module, function_ref<Expected<uint64_t>(spirv::Id)> lengthOf,
                std::vector<InterfaceScalar> &scalars)
      : m_module(module), m_lengthOf(lengthOf), m_scalars(scalars) {}

  InterfaceScalar next; ///< The place of the next scalar.
  bool hasLocation = false;

  /// Applies decorations of a variable or member to the scalars that follow.
  void decorate(ArrayRef<spirv::Decoration> decorations);
  /// Appends the scalars of a type and advances slot and location.
  Error add(spirv::Id type);

private:
  /// Elements of arrays and columns of matrices have consecutive locations.
  Error addElements(spirv::Id element, uint64_t count);
  /// Decorations of a member end with it; slot and location continue.
  Error addStruct(const spirv::Type &type);
  Error addVector(const spirv::Type &scalar, uint32_t count);

  const spirv::Module &m_module;
  function_ref<Expected<uint64_t>(spirv::Id)> m_lengthOf;
  std::vector<InterfaceScalar> &m_scalars;
};
} // namespace

/// Copies the decorations that place or interpolate a variable into the next scalar; others are
/// ignored. A built-in restarts the component at 0.
void InterfaceWalk::decorate(ArrayRef<spirv::Decoration> decorations) {
  using spv::Decoration;
  for (const spirv::Decoration &decoration : decorations) {
    uint32_t operand = decoration.operands.empty() ? 0 : decoration.operands[0];
    switch (decoration.kind) {
    case Decoration::BuiltIn:
      next.builtIn = static_cast<spv::BuiltIn>(operand);
      next.component = 0;
      break;
    case Decoration::Location:
      next.location = operand;
      hasLocation = true;
      break;
    case Decoration::Component:
      next.component = operand;
      break;
    case Decoration::Index:
      next.index = operand;
      break;
    case Decoration::Flat:
      next.isFlat = true;
      break;
    case Decoration::NoPerspective:
      next.isLinear = true;
      break;
    case Decoration::Centroid:
      next.isCentroid = true;
      break;
    case Decoration::Sample:
      next.isSample = true;
      break;
    default:
      break;
    }
  }
}

/// Components of 64 bits take two, and a vector of more than two of them two locations.
Error InterfaceWalk::addVector(const spirv::Type &scalar, uint32_t count) {
  next.kind = scalar.kind;
  next.width = static_cast<uint8_t>(scalar.kind == TypeKind::Bool ? 32 : scalar.width);
  next.isSigned = scalar.isSigned;
  if (scalar.kind != TypeKind::Float && scalar.kind != TypeKind::Int &&
      scalar.kind != TypeKind::Bool)
    return unsupported("an input or output of this type");
  uint32_t first = next.component, step = next.width == 64 ? 2 : 1;
  for (uint32_t i = 0; i < count; ++i, ++next.slot) {
    m_scalars.push_back(next);
    next.component += next.builtIn ? 1 : step;
    if (!next.builtIn && next.component >= 4 && i + 1 < count) {
      next.component -= 4;
      ++next.location;
    }
  }
  if (next.builtIn)
    return Error::success();
  next.component = first;
  ++next.location;
  return Error::success();
}

/// Adds \p count values of type \p element, one after the other.
Error InterfaceWalk::addElements(spirv::Id element, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i)
    if (Error error = add(element))
      return error;
  return Error::success();
}

/// Adds the members. Slot and location continue after each member; its decorations and its
/// component do not reach the next one.
Error InterfaceWalk::addStruct(const spirv::Type &type) {
  for (uint32_t i = 0; i < type.members.size(); ++i) {
    InterfaceScalar before = next;
    next.component = 0;
    decorate(m_module.memberDecorations(type.id, i));
    if (Error error = add(type.members[i]))
      return error;
    // What decorates a member concerns it alone.
    InterfaceScalar after = next;
    next = before;
    next.slot = after.slot;
    next.location = after.location;
  }
  return Error::success();
}

/// Adds the scalars of a type in the order of the flattened value. Scalars count as vectors of one
/// component.
Error InterfaceWalk::add(spirv::Id id) {
  const spirv::Type &type = m_module.type(id);
  switch (type.kind) {
  case TypeKind::Struct:
    return addStruct(type);
  case TypeKind::Array: {
    Expected<uint64_t> count = m_lengthOf(type.lengthId);
    return count ? addElements(type.element, *count) : count.takeError();
  }
  case TypeKind::Matrix:
    return addElements(type.element, type.count);
  case TypeKind::Vector:
    return addVector(m_module.type(type.element), type.count);
  default:
    return addVector(type, 1);
  }
}

/// Unsupported for built-ins that no stage here has.
Error Decoder::readInterface(const spirv::Instruction &inst, const spirv::Type &pointer) {
  bool isInput = pointer.storageClass == spv::StorageClass::Input;
  std::vector<InterfaceScalar> &scalars =
      isInput ? m_program.shaderInputs : m_program.shaderOutputs;
  size_t first = scalars.size();
  auto lengthOf = [this](spirv::Id id) { return constantValue(id); };
  InterfaceWalk walk(module(), lengthOf, scalars);
  walk.next.slot = m_program.privateSlots;
  walk.decorate(module().decorations(inst.resultId));
  if (Error error = walk.add(pointer.element))
    return error;
  for (const InterfaceScalar &scalar : ArrayRef(scalars).drop_front(first)) {
    if (!scalar.builtIn)
      continue;
    using spv::BuiltIn;
    static constexpr BuiltIn known[] = {
        BuiltIn::Position,         BuiltIn::PointSize,    BuiltIn::ClipDistance,
        BuiltIn::CullDistance,     BuiltIn::VertexIndex,  BuiltIn::InstanceIndex,
        BuiltIn::BaseVertex,       BuiltIn::BaseInstance, BuiltIn::DrawIndex,
        BuiltIn::ViewIndex,        BuiltIn::DeviceIndex,  BuiltIn::Layer,
        BuiltIn::ViewportIndex,    BuiltIn::FragCoord,    BuiltIn::PointCoord,
        BuiltIn::FrontFacing,      BuiltIn::SampleId,     BuiltIn::SamplePosition,
        BuiltIn::SampleMask,       BuiltIn::FragDepth,    BuiltIn::HelperInvocation,
        BuiltIn::PrimitiveId,      BuiltIn::BaryCoordKHR, BuiltIn::BaryCoordNoPerspKHR,
        BuiltIn::FragStencilRefEXT};
    if (!is_contained(known, *scalar.builtIn))
      return unsupported("BuiltIn " + spirv::builtInName(*scalar.builtIn) + " in a " +
                         getStageName(m_shader.stage) + " shader");
  }
  return Error::success();
}
