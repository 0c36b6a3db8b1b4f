// Signals that end a tool, and when they may.
//
// A signal that kills a process while it attaches or detaches probes makes the kernel give up
// half-way ("failed to unregister, leaking uprobe" in its log): breakpoints stay in the traced
// programs as long as these run. So every such signal waits from the first attaching on: the loop
// (run/loop.h) reads it, or the end comes anyway. Before, nothing can be left behind, and looking
// through the symbols of large programs takes long: there it ends the tool at once, with status 0
// as later.
#pragma once

#include <csignal>
#include <cstddef>

namespace uscope::attach {

// All whose default is to end a process, and that come from outside. Those that the process was
// started to ignore (nohup) it goes on to ignore; except SIGINT and SIGTERM, which a shell's
// background commands ignore and are yet sent.
const sigset_t &end_signals();

// At the start of main(). From here on an end signal ends the process at once.
void take_end_signals();
// As before take_end_signals(). May be called between fork() and exec().
void restore_end_signals();

// They wait from here on. Called before anything is attached; again, it does nothing.
void hold_end_signals();
void release_end_signals();  // nothing is attached after all
// Does one wait? Then what takes long is not begun any more.
bool end_signal_waits();

// The loop has ended: nothing but the end is to be done, and the first signal asks for no more than
// that. As long as probes are attached, a signal is answered by a line that says so. When none is
// attached any more, a further one ends the process at once. `by_signal`: the first has ended the
// loop; the same one may come several times.
void answer_end_signals(bool by_signal);

// How many probes are attached: counted as long as one of these holds them.
class Attached {
  public:
    explicit Attached(size_t probes = 0);
    Attached(Attached &&other) noexcept;
    Attached &operator=(Attached &&other) noexcept;
    ~Attached();

    size_t probes() const { return probes_; }

  private:
    size_t probes_;
};
size_t attached_probes();

}  // namespace uscope::attach
