// Processes by what people call them, and facts about one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "base/result.h"

namespace uscope::proc {

bool exists(pid_t pid, const std::string &proc = "/proc");  // also a zombie
// Errors: there is no such process, or it has ended and only waits for its parent.
Result<> must_run(pid_t pid, const std::string &proc = "/proc");
// Has it no code any more? A program that ends gives its memory back before it is a zombie. (True of the kernel's own threads.)
bool has_left_memory(pid_t pid, const std::string &proc = "/proc");
bool is_kernel_thread(pid_t pid, const std::string &proc = "/proc");
std::string comm(pid_t pid, const std::string &proc = "/proc");  // "" when gone
std::string command_line(pid_t pid, const std::string &proc = "/proc");
// The file's name that it executes, without its folders: "mariadbd", also when it was started by
// another name or deleted since; "" when gone.
std::string executable_name(pid_t pid, const std::string &proc = "/proc");
std::vector<pid_t> all_pids(const std::string &proc = "/proc");
std::vector<pid_t> threads(pid_t pid, const std::string &proc = "/proc");
std::vector<pid_t> children(pid_t pid, const std::string &proc = "/proc");  // direct ones
// And theirs, each behind its parent.
std::vector<pid_t> descendants(pid_t pid, const std::string &proc = "/proc");
std::optional<pid_t> parent(pid_t pid, const std::string &proc = "/proc");
// The thread group of a thread id, or nothing when there is no such thread.
std::optional<pid_t> thread_group(pid_t tid, const std::string &proc = "/proc");
// The process's id in its own innermost pid namespace (perf-PID.map is named by it).
pid_t namespace_pid(pid_t pid, const std::string &proc = "/proc");
bool same_mount_namespace(pid_t pid, const std::string &proc = "/proc");
bool same_pid_namespace(pid_t pid, const std::string &proc = "/proc");  // false when gone
// "/proc/PID/root" when the process's root differs from ours (mount namespace or chroot), else "".
std::string root_of(pid_t pid, const std::string &proc = "/proc");

// Does this process have the rights of another user or group than the one who started it? Not so by
// capabilities of its file.
bool runs_as_set_id();

// A container's: with a user namespace of its own (rootless), its capabilities mean little outside of it.
bool has_own_user_namespace(const std::string &proc = "/proc");
// Is it criu, which docker, podman, LXC and others execute, with the capabilities that take checkpoints of other users' processes?
bool takes_checkpoints(pid_t pid, const std::string &proc = "/proc");
bool has_seccomp_filter(const std::string &proc = "/proc");

// For an error's text: "needs CAP_SYS_PTRACE", and how root in a container gets it.
std::string needs_ptrace();

// The lower-case names of effective capabilities this process lacks out of `wanted` (CAP_BPF …).
std::vector<std::string> missing_capabilities(const std::vector<int> &wanted,
                                              const std::string &proc = "/proc");

}  // namespace uscope::proc
