// The signals that end a tool, and when they take effect.
//
// A signal that kills a process while it attaches or detaches probes makes the kernel stop halfway
// ("failed to unregister, leaking uprobe" in its log): breakpoints stay in the traced programs
// until these exit. So the tool blocks such signals before it attaches the first probe; from then
// on, the loop (run/loop.h) reads them. Before that point, a killed tool leaves nothing behind, but
// may be busy for long, for example with a search through the symbols of large programs. So until
// then, a signal ends the tool at once; the exit status is 0, as after the loop.
#pragma once

#include <csignal>
#include <cstddef>

namespace uscope::attach {

// Returns the end signals: those whose default action ends a process, except signals that a
// program's own errors raise, such as SIGSEGV. Signals that the process ignored when it was started
// (by nohup) stay ignored, except SIGINT and SIGTERM: a shell makes its background commands ignore
// SIGINT, but users send it to such commands nevertheless.
const sigset_t &end_signals();

// Makes end signals end the process at once. Call it at the start of main().
void install_end_handlers();
// Undoes install_end_handlers(). May be called between fork() and exec().
void restore_end_signals();

// Blocks end signals. Call it before each attachment; repeated calls do no harm.
void block_end_signals();
// Undoes block_end_signals(), if nothing is attached after all.
void unblock_end_signals();
// Is an end signal pending? Then do not start anything that takes long.
bool is_end_signal_pending();

// Call when the loop has ended and only cleanup is left. While probes are still attached, the tool
// answers an end signal with a line that says so. When none are attached, the first signal does
// nothing, because it only asks for the cleanup that is under way, and a second one ends the
// process at once. `by_signal`: a first signal has already ended the loop; the same signal may
// arrive once more.
void handle_signals_in_cleanup(bool by_signal);

// While it exists, an end signal in cleanup only makes is_interrupted() true, from then on: for a
// wait that is not worth more time if the user asks again.
class CleanupWait {
  public:
    CleanupWait();
    CleanupWait(const CleanupWait &) = delete;
    ~CleanupWait();
    bool is_interrupted() const;
};

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
// Returns at how many sites in user programs this process has probes, over all links.
size_t attached_probes();

}  // namespace uscope::attach
