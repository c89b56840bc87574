// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// STRUCT of AmberScript.
#include "oracles/input/Limits.h"
#include "oracles/input/amber/AmberReader.h"
#include "support/Error.h"

using namespace llvm;
using namespace assay;
using namespace assay::input;

/// Reads type name [OFFSET n] [MATRIX_STRIDE n] [ARRAY_STRIDE n], in bytes. The type is a structure
/// that is declared already, a texel format, or a type; an array has one element, as in Amber, so
/// that its stride changes nothing. InvalidInput for an option that is given twice or that the type
/// does not have, and for a matrix with columns that overlap.
Expected<StructMember> AmberReader::readMember(LineCursor &line) {
  StructMember member;
  member.line = line.line();
  StringRef typeName = cantFail(line.word(""));
  auto nested = m_structs.find(typeName);
  std::optional<DataType> type = parseAmberType(typeName);
  if (nested != m_structs.end()) {
    member.type = nested->second.get();
  } else if (std::optional<TexelFormat> format = findTexelFormat(typeName)) {
    DataFormat shape = dataFormatOf(*format);
    member.type = DataType{shape.scalar, shape.rows, 1, false};
  } else if (type) {
    member.type = *type;
  } else {
    return line.error("unknown data type '" + typeName.take_front(40) + "' of a member");
  }
  Expected<StringRef> name = line.word("a member's name");
  if (!name)
    return name.takeError();
  member.name = name->str();
  std::optional<uint64_t> arrayStride;
  while (!line.atEnd()) {
    StringRef option = cantFail(line.word(""));
    std::optional<uint64_t> *place = option == "OFFSET"          ? &member.offset
                                     : option == "MATRIX_STRIDE" ? &member.matrixStride
                                     : option == "ARRAY_STRIDE"  ? &arrayStride
                                                                 : nullptr;
    if (!place)
      return line.error("unknown option '" + option.take_front(40) + "' of a member");
    if (*place)
      return line.error("an option is given twice");
    Expected<uint64_t> number = line.number(option, maxStructOffset);
    if (!number)
      return number.takeError();
    *place = *number;
  }
  const auto *shape = std::get_if<DataType>(&member.type);
  if (arrayStride && (!shape || !shape->isArray))
    return line.error("ARRAY_STRIDE is for arrays");
  if (!member.matrixStride)
    return member;
  if (!shape || shape->columns == 1)
    return line.error("MATRIX_STRIDE is for matrices");
  if (*member.matrixStride < uint64_t(shape->rows) * scalarBytes(shape->scalar))
    return line.error("the columns of the matrix overlap");
  return member;
}

/// Reads name [STRIDE n], and members up to END. Names of members are unique. The structure is only
/// known after its END, so that it cannot contain itself. InvalidInput for a structure without
/// members.
Error AmberReader::readStruct(LineCursor &line) {
  Expected<StringRef> name = line.word("a structure's name");
  if (!name)
    return name.takeError();
  if (m_structs.contains(*name))
    return line.error("structure '" + *name + "' was declared before");
  auto type = std::make_unique<ScriptStruct>();
  if (line.tryWord("STRIDE")) {
    Expected<uint64_t> stride = line.number("STRIDE", maxStructOffset);
    if (!stride)
      return stride.takeError();
    type->stride = *stride;
  }
  if (Error error = line.expectEnd())
    return error;
  while (std::optional<LineCursor> inner = m_lines.nextLogical()) {
    if (inner->tryWord("END")) {
      if (type->members.empty())
        return line.error("a structure needs members");
      m_structs[*name] = std::move(type);
      return inner->expectEnd();
    }
    Expected<StructMember> member = readMember(*inner);
    if (!member)
      return member.takeError();
    for (const StructMember &other : type->members)
      if (other.name == member->name)
        return inner->error("two members are called '" + member->name + "'");
    if (Error error = type->add(std::move(*member)))
      return error;
  }
  return line.error("STRUCT has no END");
}

/// Returns the layout of structure \p name, which exists. InvalidInput for overlapping members and
/// for a structure of 0 bytes.
Expected<ElementLayout> AmberReader::structLayout(const LineCursor &line, StringRef name,
                                                  BlockLayout layout) const {
  Expected<ElementLayout> result = layoutOf(*m_structs.find(name)->second, layout);
  if (!result)
    return result.takeError();
  if (result->stride() == 0)
    return line.error("structure '" + name + "' has no bytes");
  return result;
}
