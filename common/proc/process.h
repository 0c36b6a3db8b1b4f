// Facts about processes, from /proc.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "base/result.h"

namespace uscope::proc {

// Returns those entries of a directory that are numbers, in ascending order.
std::vector<pid_t> numbered_entries(const std::string &folder);

bool exists(pid_t pid, const std::string &proc = "/proc");  // also if it is a zombie
// Errors: the process does not exist, or it is a zombie.
Result<> must_run(pid_t pid, const std::string &proc = "/proc");
// Has the process no memory, because it has exited or is exiting? A program that exits frees its
// memory before it becomes a zombie. (Also true for kernel threads.)
bool has_left_memory(pid_t pid, const std::string &proc = "/proc");
bool is_kernel_thread(pid_t pid, const std::string &proc = "/proc");
std::string comm(pid_t pid, const std::string &proc = "/proc");  // "" if the process is gone
std::string command_line(pid_t pid, const std::string &proc = "/proc");
// Returns the name of the file that the process executes, without directories: "mariadbd", even if
// it was started under another name, or if the file was deleted since; "" if the process is gone.
std::string executable_name(pid_t pid, const std::string &proc = "/proc");
std::vector<pid_t> all_pids(const std::string &proc = "/proc");
std::vector<pid_t> threads(pid_t pid, const std::string &proc = "/proc");
std::vector<pid_t> children(pid_t pid, const std::string &proc = "/proc");  // direct ones
// Returns all descendants of the process, each after its parent.
std::vector<pid_t> descendants(pid_t pid, const std::string &proc = "/proc");
std::optional<pid_t> parent(pid_t pid, const std::string &proc = "/proc");
// Returns the process (thread group) to which the thread belongs; nullopt if there is no such
// thread.
std::optional<pid_t> thread_group(pid_t tid, const std::string &proc = "/proc");
// Returns the process's id as the process itself sees it, in its innermost pid namespace. The name
// of a file perf-PID.map contains this id.
pid_t namespace_pid(pid_t pid, const std::string &proc = "/proc");
// Is the process in the mount namespace of this process? Also true if this is unknown.
bool same_mount_namespace(pid_t pid, const std::string &proc = "/proc");
bool same_pid_namespace(pid_t pid,
                        const std::string &proc = "/proc");  // false if the process is gone
// Returns "/proc/PID/root" if the process has another root directory than this process (because of
// a mount namespace or chroot), else "".
std::string root_of(pid_t pid, const std::string &proc = "/proc");

// Does this process have the rights of a user or group other than the one that started it, because
// its file is set-user-ID or set-group-ID? Capabilities of its file do not matter here.
bool runs_as_set_id();

// Does this process have its own user namespace (a rootless container)? Its capabilities then have
// little effect outside of that namespace.
bool has_own_user_namespace(const std::string &proc = "/proc");
// Is the process criu, with the capabilities to checkpoint other users' processes? docker, podman,
// LXC and others execute criu.
bool takes_checkpoints(pid_t pid, const std::string &proc = "/proc");
// Does this process have a seccomp filter?
bool has_seccomp_filter(const std::string &proc = "/proc");

// Returns text for an error: why this process may not read another process, and how to get the
// permission.
std::string needs_ptrace();

// Returns the names, in lower case, of those capabilities in `wanted` (CAP_BPF …) that this process
// lacks.
std::vector<std::string> missing_capabilities(const std::vector<int> &wanted,
                                              const std::string &proc = "/proc");

}  // namespace uscope::proc
