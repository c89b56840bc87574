// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A fragment shader that writes one colour wherever it wrote colours, for the test of
// corpora/graphics.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/bit.h"
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <spirv/unified1/spirv.hpp11>
#include <utility>
#include <vector>

namespace assay {

using ConstantColor = std::array<double, 4>;

/// Rewrites SPIR-V words: what is stored to an output that is no built-in becomes a constant.
class ConstantShader {
public:
  ConstantShader(llvm::ArrayRef<uint32_t> words, const ConstantColor &color)
      : m_words(words), m_color(color), m_bound(words[3]) {}

  /// Returns the module with all stores to outputs replaced. The words must be a valid module;
  /// stores to parts of outputs by access chains are replaced, too.
  std::vector<uint32_t> rewrite() {
    forEach([&](spv::Op op, llvm::ArrayRef<uint32_t> inst) { note(op, inst); });
    std::vector<uint32_t> result(m_words.begin(), m_words.begin() + 5), functions;
    bool inFunction = false;
    forEach([&](spv::Op op, llvm::ArrayRef<uint32_t> inst) {
      inFunction |= op == spv::Op::OpFunction;
      std::vector<uint32_t> copy(inst.begin(), inst.end());
      if (op == spv::Op::OpAccessChain || op == spv::Op::OpInBoundsAccessChain)
        if (m_outputs.contains(inst[3]))
          m_outputs[inst[2]] = m_pointees[inst[1]];
      if (op == spv::Op::OpStore && m_outputs.contains(inst[1]))
        copy[2] = getConstant(m_outputs[inst[1]], 0);
      std::vector<uint32_t> &into = inFunction ? functions : result;
      into.insert(into.end(), copy.begin(), copy.end());
    });
    result.insert(result.end(), m_constants.begin(), m_constants.end());
    result.insert(result.end(), functions.begin(), functions.end());
    result[3] = m_bound;
    return result;
  }

private:
  /// A scalar, or with a count other than 0 a vector.
  struct Type {
    bool isFloat = false;
    uint32_t element = 0, count = 0; ///< Of a vector.
  };

  /// Calls visit(opcode, words) for each instruction; the first word has opcode and word count.
  template <typename Visit> void forEach(Visit visit) const {
    for (size_t at = 5; at < m_words.size(); at += m_words[at] >> 16)
      visit(static_cast<spv::Op>(m_words[at] & 0xffff), m_words.slice(at, m_words[at] >> 16));
  }

  /// Notes types, pointers, built-ins and outputs. Decorations precede variables in a valid module.
  void note(spv::Op op, llvm::ArrayRef<uint32_t> inst) {
    if (op == spv::Op::OpTypeFloat || op == spv::Op::OpTypeInt)
      m_types[inst[1]] = {op == spv::Op::OpTypeFloat};
    else if (op == spv::Op::OpTypeVector)
      m_types[inst[1]] = {false, inst[2], inst[3]};
    else if (op == spv::Op::OpTypePointer)
      m_pointees[inst[1]] = inst[3];
    else if (op == spv::Op::OpDecorate && inst[2] == uint32_t(spv::Decoration::BuiltIn))
      m_builtIns.insert(inst[1]);
    else if (op == spv::Op::OpVariable && inst[3] == uint32_t(spv::StorageClass::Output) &&
             !m_builtIns.contains(inst[2]))
      m_outputs[inst[2]] = m_pointees[inst[1]];
  }

  /// The id of a constant of \p type, which has components of the colour from \p component on.
  uint32_t getConstant(uint32_t type, unsigned component) {
    auto [place, isNew] = m_ids.try_emplace({type, component}, 0);
    if (!isNew)
      return place->second;
    const Type of = m_types[type];
    std::vector<uint32_t> parts;
    for (unsigned i = 0; i < of.count; ++i)
      parts.push_back(getConstant(of.element, i));
    if (!of.count)
      parts.push_back(of.isFloat ? llvm::bit_cast<uint32_t>(static_cast<float>(m_color[component]))
                                 : static_cast<uint32_t>(static_cast<int64_t>(m_color[component])));
    uint32_t id = m_bound++;
    spv::Op op = of.count ? spv::Op::OpConstantComposite : spv::Op::OpConstant;
    m_constants.push_back(static_cast<uint32_t>(3 + parts.size()) << 16 | uint32_t(op));
    m_constants.insert(m_constants.end(), {type, id});
    m_constants.insert(m_constants.end(), parts.begin(), parts.end());
    return m_ids[{type, component}] = id;
  }

  llvm::ArrayRef<uint32_t> m_words;
  ConstantColor m_color;
  uint32_t m_bound;
  std::map<uint32_t, Type> m_types;
  std::map<uint32_t, uint32_t> m_pointees; ///< By pointer type.
  std::map<uint32_t, uint32_t> m_outputs;  ///< Pointers to outputs; the type of what they point to.
  std::set<uint32_t> m_builtIns;
  std::map<std::pair<uint32_t, unsigned>, uint32_t> m_ids;
  std::vector<uint32_t> m_constants;
};

} // namespace assay
