// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The graph of values in the form of the ir3 notes' figure. Inputs and outputs are records of the
// cluster; other instructions have a port for each source.
#include "compiler/ir3/ir/Printer.h"

using namespace llvm;

namespace assay::ir3 {

/// The name of the opcode, with the types of a move or the condition of a compare.
static std::string mnemonicOf(const Instruction &inst) {
  std::string name = inst.info().name.str();
  if (inst.opcode == Opcode::Mov)
    name +=
        "." + typeName(Type(inst.fields.sourceType)).str() + typeName(Type(inst.fields.type)).str();
  if (inst.info().has(property::Compare))
    name += "." + conditionName(Condition(inst.fields.condition)).str();
  return name;
}

/// The graphviz port of the result of \p inst: of the record of inputs, or of its node.
static std::string portOf(const Instruction &inst) {
  std::string name = std::to_string(inst.name);
  return inst.opcode == Opcode::MetaInput ? "input:<in" + name + ">:w" : "instr" + name + ":<dst0>";
}

/// One record with a port for each input, labelled with the vector and component of its number.
/// Nothing without inputs.
static void printInputs(raw_ostream &os, const std::vector<Instruction *> &all) {
  std::string ports;
  for (const Instruction *inst : all)
    if (inst->opcode == Opcode::MetaInput)
      ports += "|<in" + std::to_string(inst->name) + "> i" +
               std::to_string(inst->fields.index / 4) + "." + "xyzw"[inst->fields.index % 4];
  if (!ports.empty())
    os << "input [shape=record,label=\"inputs" << ports << "\"];\n";
}

/// The record of one instruction: mnemonic and result, a port for each source, and one for an
/// address.
static void printNode(raw_ostream &os, const Instruction &inst) {
  os << "instr" << inst.name << " [shape=record,style=filled,fillcolor=lightgrey,label=\"{"
     << mnemonicOf(inst) << "|<dst0>";
  for (size_t i = 0; i < inst.sources().size(); ++i)
    os << "|<src" << i << "> ";
  if (inst.address)
    os << "|<address> ";
  os << "}\"];\n";
}

/// An edge from each producer to the port of the source. Constants and immediates have none.
static void printEdges(raw_ostream &os, const Instruction &inst) {
  for (auto [index, source] : enumerate(inst.sources()))
    if (source.isSsa())
      os << portOf(*source.def) << " -> instr" << inst.name << ":<src" << index << ">\n";
  if (inst.address)
    os << portOf(*inst.address) << " -> instr" << inst.name << ":<address>\n";
}

/// The record of the outputs of \p end, and the edges to it.
static void printOutputs(raw_ostream &os, const Instruction &end) {
  os << "output [shape=record,label=\"outputs";
  for (size_t i = 0; i < end.sources().size(); ++i)
    os << "|<out" << i << "> o" << i / 4 << '.' << "xyzw"[i % 4];
  os << "\"];\n";
  for (auto [index, source] : enumerate(end.sources()))
    if (source.isSsa())
      os << portOf(*source.def) << " -> output:<out" << index << ">:e\n";
}

std::string printGraph(const Program &program, StringRef label) {
  std::string text;
  raw_string_ostream os(text);
  os << "digraph G {\nrankdir=RL;\nnodesep=0.25;\nranksep=1.5;\nsubgraph cluster0 {\nlabel=\""
     << label << "\";\n";
  std::vector<Instruction *> all = program.instructions();
  printInputs(os, all);
  for (const Instruction *inst : all)
    if (inst->opcode != Opcode::MetaInput && inst->opcode != Opcode::End)
      printNode(os, *inst);
  for (const Instruction *inst : all)
    inst->opcode == Opcode::End ? printOutputs(os, *inst) : printEdges(os, *inst);
  os << "}\n}\n";
  return text;
}

} // namespace assay::ir3
