// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The wave: lanes with their stacks of frames, who runs next, and how a run ends.
#pragma once

#include "oracles/ir/Program.h"
#include "oracles/ir/Spaces.h"

namespace assay::ir {

/// A call in progress.
struct Frame {
  const Code *code = nullptr;
  uint32_t place = 0; ///< Next instruction; in a frame that waits for a callee, the call.
  std::vector<Scalar> slots;
  size_t allocas = 0; ///< Of the lane's scratch when the call began.
};

struct Lane {
  unsigned number = 0;
  bool isDone = false;
  unsigned depth = 0;        ///< Frames in use.
  std::vector<Frame> frames; ///< Not shrunk, so that slots are used again.
  Scalar *slots = nullptr;   ///< Of the top frame.
  Scratch scratch;
  Value result;

  Frame &top() { return frames[depth - 1]; }
  const Scalar *get(const Operand &operand) const {
    return operand.constant ? operand.constant : slots + operand.slot;
  }
};

/// Bytes that a lane wrote in the present instruction.
struct WriteNote {
  Place place;
  uint64_t bytes;
  unsigned lane;
  unsigned part; ///< Which of the instruction's parts, in the order of an access by parts.
  size_t copy;   ///< Where a copy of the bytes begins; that of their poison follows.
};

class Machine {
public:
  /// All must outlive this; \p environment may be null. \p limits may change between steps.
  Machine(llvm::Function &function, Memory &memory, const RunLimits &limits,
          const Environment *environment = nullptr);
  ~Machine();

  RunResult run(llvm::ArrayRef<std::vector<Value>> arguments);

  /// The same in steps, for who runs several waves: begin() once, resume() until it says that there
  /// is no more to do, which finish() tells about. A wave stands still where a handler calls
  /// pause().
  void begin(llvm::ArrayRef<std::vector<Value>> arguments);
  bool resume();
  RunResult finish();
  /// To be called for all lanes that are not done: else the run ends, as Unsupported.
  void pause();
  const Environment *environment() const { return m_environment; }
  /// Charged so far.
  uint64_t instructions() const { return m_instructions; }
  /// What the group did last; null before the first.
  const Inst *current() const { return m_current; }

  /// The lanes that do the present instruction, by rising number.
  llvm::ArrayRef<Lane *> group() const { return m_group; }
  unsigned laneCount() const { return m_environment ? m_environment->waveSize() : m_lanes.size(); }
  bool isStopped() const { return m_state != RunState::Returned; }
  /// Ends the run; the first reason stays.
  void stop(RunState state, const llvm::Twine &reason);
  /// Counts work beyond one step: \p amount instructions.
  void charge(uint64_t amount);

  /// Puts \p code on top of \p lane, which waits at its present instruction. Arguments are set by
  /// the caller before, in \p arguments.
  void enter(Lane &lane, const Code &code, llvm::ArrayRef<const Scalar *> arguments);
  /// Takes the top frame of \p lane away; \p value goes to the instruction that called.
  void leave(Lane &lane, const Scalar *value, uint32_t count);
  void takeEdge(Lane &lane, const Edge &edge);

  /// Lanes that write the same bytes by one instruction race, unless each does exactly the same
  /// part: a lowering may do parts in another order. What they disagree about becomes poison.
  void noteWrite(const Lane &lane, const Place &place, uint64_t bytes, unsigned part,
                 const uint8_t *data, const uint8_t *poison);

  /// The present instruction has read there, in memory that is not a lane's own.
  void tellRead(const Lane &lane, uint64_t address, uint64_t bytes) const;
  /// It has written \p bytes, none of them poison, by other means than noteWrite's callers have.
  void tellWrite(const Lane &lane, uint64_t address, llvm::ArrayRef<uint8_t> bytes) const;

  void record(const Event &event);
  /// The log and the thread in it of lane \p lane; null where there is none.
  std::pair<ExecutionLog *, uint64_t> logOf(unsigned lane) const;
  void noteFrozenPoison() { m_frozePoison = true; }
  /// An access outside of its buffer, which reads 0 or writes nothing.
  void noteOutside(bool isWrite) {
    m_readLostWrite |= m_lostWrite && !isWrite;
    m_lostWrite |= isWrite;
  }

  const RunLimits &limits() const { return m_limits; }
  Program &program() { return *m_program; }
  Spaces &spaces() { return *m_spaces; }
  const llvm::DataLayout &layout() const { return m_layout; }

  /// Does \p inst for \p lanes, by rising number, instead of for the group.
  void runFor(llvm::ArrayRef<Lane *> lanes, const Inst &inst);

  /// Does \p inst alone, for a lane of its own, whose slots are \p slots: for constants. Returns
  /// false if that stopped; the run goes on as if nothing had been.
  bool runAlone(const Inst &inst, llvm::MutableArrayRef<Scalar> slots, std::string &problem);

private:
  bool selectGroup();
  void runGroup();
  void settleWrites();
  bool start(llvm::ArrayRef<std::vector<Value>> arguments);
  bool checkArguments(const Code &code, llvm::ArrayRef<std::vector<Value>> arguments);

  llvm::Function &m_function;
  const RunLimits &m_limits;
  const Environment *m_environment;
  bool m_isPaused = false;
  const Inst *m_current = nullptr; ///< What the group does.
  const llvm::DataLayout &m_layout;
  std::unique_ptr<Spaces> m_spaces;
  std::unique_ptr<Program> m_program;
  std::vector<Lane> m_lanes;
  llvm::SmallVector<Lane *, 64> m_group;
  std::vector<Scalar> m_moved;     ///< Of takeEdge, kept for speed.
  std::vector<WriteNote> m_writes; ///< Of the present instruction; with more than one lane.
  std::vector<uint8_t> m_written;  ///< What m_writes wrote: bytes, then poison.
  RunState m_state = RunState::Returned;
  std::string m_reason;
  std::vector<Event> m_events;
  bool m_frozePoison = false;
  bool m_lostWrite = false, m_readLostWrite = false;
  uint64_t m_instructions = 0;
  uint64_t m_registers = 0;
};

} // namespace assay::ir
