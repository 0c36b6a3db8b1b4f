// Facts about processes, from /proc.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "base/result.h"

namespace uscope::proc {

bool exists(pid_t pid, const std::string &proc = "/proc");  // also if it is a zombie
// Errors: the process does not exist, or it is a zombie.
Result<> must_run(pid_t pid, const std::string &proc = "/proc");
// Has the process given back its code and data? A program that exits frees its memory before it
// becomes a zombie. (Also true for kernel threads.)
bool has_left_memory(pid_t pid, const std::string &proc = "/proc");
bool is_kernel_thread(pid_t pid, const std::string &proc = "/proc");
std::string comm(pid_t pid, const std::string &proc = "/proc");  // "" if it is gone
std::string command_line(pid_t pid, const std::string &proc = "/proc");
// The name of the file that it executes, without directories: "mariadbd", even if it was started
// under another name or the file was deleted since; "" if the process is gone.
std::string executable_name(pid_t pid, const std::string &proc = "/proc");
std::vector<pid_t> all_pids(const std::string &proc = "/proc");
std::vector<pid_t> threads(pid_t pid, const std::string &proc = "/proc");
std::vector<pid_t> children(pid_t pid, const std::string &proc = "/proc");  // direct ones
// All descendants, each after its parent.
std::vector<pid_t> descendants(pid_t pid, const std::string &proc = "/proc");
std::optional<pid_t> parent(pid_t pid, const std::string &proc = "/proc");
// The thread group of a thread id; nullopt if there is no such thread.
std::optional<pid_t> thread_group(pid_t tid, const std::string &proc = "/proc");
// The process's id in its own innermost pid namespace, by which perf-PID.map is named.
pid_t namespace_pid(pid_t pid, const std::string &proc = "/proc");
bool same_mount_namespace(pid_t pid, const std::string &proc = "/proc");
bool same_pid_namespace(pid_t pid, const std::string &proc = "/proc");  // false if it is gone
// "/proc/PID/root" if the process's root differs from ours (mount namespace or chroot), else "".
std::string root_of(pid_t pid, const std::string &proc = "/proc");

// Does this process have the rights of another user or group than the one who started it?
// Capabilities of its file do not count.
bool runs_as_set_id();

// Does this process have its own user namespace (a rootless container)? Its capabilities then
// hardly matter outside of it.
bool has_own_user_namespace(const std::string &proc = "/proc");
// Is it criu, which docker, podman, LXC and others execute, with the capabilities for checkpoints
// of other users' processes?
bool takes_checkpoints(pid_t pid, const std::string &proc = "/proc");
bool has_seccomp_filter(const std::string &proc = "/proc");

// For an error's text: why a process cannot be read, and how to get the permission.
std::string needs_ptrace();

// The lower-case names of those capabilities in `wanted` (CAP_BPF …) that this process lacks.
std::vector<std::string> missing_capabilities(const std::vector<int> &wanted,
                                              const std::string &proc = "/proc");

}  // namespace uscope::proc
