// The signals that end a tool, and when they take effect.
//
// A signal that kills a process while it attaches or detaches probes makes the kernel stop halfway
// ("failed to unregister, leaking uprobe" in its log): breakpoints stay in the traced programs
// until these exit. So from the first attaching on, such signals are blocked: the loop (run/loop.h)
// reads them, or the tool ends anyway. Before that, nothing can be left behind, and searching the
// symbols of large programs takes long. So a signal then ends the tool at once, with status 0 as
// later.
#pragma once

#include <csignal>
#include <cstddef>

namespace uscope::attach {

// All signals whose default action ends a process, and that come from outside. Signals that were
// ignored when the process was started (nohup) stay ignored, except SIGINT and SIGTERM: a shell
// makes its background commands ignore them, but they are sent to such commands nevertheless.
const sigset_t &end_signals();

// Call it at the start of main(). From here on, an end signal ends the process at once.
void take_end_signals();
// Undoes take_end_signals(). May be called between fork() and exec().
void restore_end_signals();

// Blocks end signals from here on. Call it before anything is attached; further calls do nothing.
void hold_end_signals();
void release_end_signals();  // if nothing was attached after all
// Is one pending? Then nothing that takes long should be started.
bool end_signal_waits();

// The loop has ended and only cleanup is left, which is what the first signal asked for. While
// probes are attached, the tool answers a signal with a line that says so. When none are left, a
// further signal ends the process at once. `by_signal`: a signal ended the loop; the same one may
// arrive several times.
void answer_end_signals(bool by_signal);

// Counts attached probes: a program's probes count while one of these holds them.
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
