// The signals that end a tool, and when they take effect.
//
// A signal that kills a process while it attaches or detaches probes makes the kernel stop halfway
// ("failed to unregister, leaking uprobe" in its log): breakpoints stay in the traced programs
// until these exit. So the tool blocks such signals before it attaches the first probe, and the
// loop (run/loop.h) reads them. Earlier, a killed tool leaves nothing behind, and a search through
// the symbols of large programs may take long: there, a signal ends the tool at once, also with
// status 0.
#pragma once

#include <csignal>
#include <cstddef>

namespace uscope::attach {

// The end signals: those whose default action ends a process, except the ones that its own errors
// raise, such as SIGSEGV. Signals that the process ignored when it was started (by nohup) stay
// ignored, except SIGINT and SIGTERM: a shell makes its background commands ignore SIGINT, but
// users send it to such commands nevertheless.
const sigset_t &end_signals();

// Call it at the start of main(). After it, an end signal ends the process at once.
void install_end_handlers();
// Undoes install_end_handlers(). May be called between fork() and exec().
void restore_end_signals();

// Blocks end signals. Call it before each attachment; repeated calls do no harm.
void block_end_signals();
// Undoes block_end_signals(), if nothing is attached after all.
void unblock_end_signals();
// Is an end signal pending? Then do not start anything that takes long.
bool is_end_signal_pending();

// Call when the loop has ended and only cleanup is left. While probes are attached, the tool
// answers a signal with a line that says so. When none are left, a second signal ends the process
// at once; the first one only asks for the cleanup. `by_signal`: the first signal has ended the
// loop, and may arrive once more.
void handle_signals_in_cleanup(bool by_signal);

// Adds its number of probes to attached_probes() while it exists.
class AttachedCount {
  public:
    explicit AttachedCount(size_t probes = 0);
    AttachedCount(AttachedCount &&other) noexcept;
    AttachedCount &operator=(AttachedCount &&other) noexcept;
    ~AttachedCount();

    size_t probes() const { return probes_; }

  private:
    size_t probes_;
};
// How many probes of this process are attached.
size_t attached_probes();

}  // namespace uscope::attach
