// Reads files and links in /proc/PID.
#include "proc/process.h"

#include <algorithm>
#include <array>
#include <climits>
#include <map>

#include <dirent.h>
#include <linux/capability.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/format.h"
#include "base/text.h"
#include "proc/maps.h"

namespace uscope::proc {
namespace {

std::string folder_of(pid_t pid, const std::string &proc)
{
    return fmt::format("{}/{}", proc, pid);
}

std::string read_or_empty(const std::string &path)
{
    return read_file(path).value_or("");
}

// Returns the value from the line "KEY:\tvalue" of a status file. (A process's name cannot imitate
// such a line, because newlines in it are escaped.)
std::optional<std::string> status_field(const std::string &process, std::string_view key)
{
    std::string status = read_or_empty(process + "/status");
    for (std::string_view line : split(status, '\n'))
        if (line.starts_with(key) && line.substr(key.size()).starts_with(':'))
            return std::string(trim(line.substr(key.size() + 1)));
    return std::nullopt;
}

std::optional<pid_t> status_pid(const std::string &process, std::string_view key)
{
    auto text = status_field(process, key);
    auto number = text ? parse_number(*text) : std::nullopt;
    if (!number)
        return std::nullopt;
    return pid_t(*number);
}

// Returns the fields of a stat file from the third on, which follow the process's name. They are
// searched for from the end, because the name may contain any characters.
std::vector<std::string> stat_fields(const std::string &process)
{
    std::string stat = read_or_empty(process + "/stat");
    size_t name_end = stat.rfind(") ");
    std::vector<std::string> fields;
    if (name_end != stat.npos)
        for (std::string_view field : split(trim(stat).substr(name_end + 2), ' '))
            fields.emplace_back(field);
    return fields;
}

// proc_pid_stat(5) counts fields from 1; the name is the second.
constexpr size_t stat_state = 3 - 3, stat_flags = 9 - 3, stat_threads = 20 - 3;
constexpr uint64_t kernel_thread_flag = 0x00200000;  // PF_KTHREAD, include/linux/sched.h

// Indexed by capability number, <linux/capability.h>.
constexpr std::array<std::string_view, 41> capability_names = {
    "cap_chown",
    "cap_dac_override",
    "cap_dac_read_search",
    "cap_fowner",
    "cap_fsetid",
    "cap_kill",
    "cap_setgid",
    "cap_setuid",
    "cap_setpcap",
    "cap_linux_immutable",
    "cap_net_bind_service",
    "cap_net_broadcast",
    "cap_net_admin",
    "cap_net_raw",
    "cap_ipc_lock",
    "cap_ipc_owner",
    "cap_sys_module",
    "cap_sys_rawio",
    "cap_sys_chroot",
    "cap_sys_ptrace",
    "cap_sys_pacct",
    "cap_sys_admin",
    "cap_sys_boot",
    "cap_sys_nice",
    "cap_sys_resource",
    "cap_sys_time",
    "cap_sys_tty_config",
    "cap_mknod",
    "cap_lease",
    "cap_audit_write",
    "cap_audit_control",
    "cap_setfcap",
    "cap_mac_override",
    "cap_mac_admin",
    "cap_syslog",
    "cap_wake_alarm",
    "cap_block_suspend",
    "cap_audit_read",
    "cap_perfmon",
    "cap_bpf",
    "cap_checkpoint_restore",
};

}  // namespace

std::vector<pid_t> numbered_entries(const std::string &folder)
{
    std::vector<pid_t> pids;
    DIR *directory = opendir(folder.c_str());
    if (!directory)
        return pids;
    while (dirent *entry = readdir(directory))
        if (auto number = parse_number(entry->d_name))
            pids.push_back(pid_t(*number));
    closedir(directory);
    std::sort(pids.begin(), pids.end());
    return pids;
}

bool exists(pid_t pid, const std::string &proc)
{
    struct stat info;
    return stat(folder_of(pid, proc).c_str(), &info) == 0;
}

Result<> must_run(pid_t pid, const std::string &proc)
{
    if (!exists(pid, proc))
        return fail("there is no process {}", pid);
    auto fields = stat_fields(folder_of(pid, proc));
    // The first thread may have exited before the others; then the process is not a zombie.
    bool has_ended =
        fields.size() > stat_threads && fields[stat_state] == "Z" && fields[stat_threads] == "1";
    if (has_ended)
        return fail("process {} has ended and waits for its parent (zombie)", pid);
    return {};
}

bool has_left_memory(pid_t pid, const std::string &proc)
{
    auto mappings = read_maps(pid, proc);
    return !must_run(pid, proc) || (mappings && mappings->empty());
}

bool is_kernel_thread(pid_t pid, const std::string &proc)
{
    auto fields = stat_fields(folder_of(pid, proc));
    auto flags = fields.size() > stat_flags ? parse_number(fields[stat_flags]) : std::nullopt;
    return flags && (*flags & kernel_thread_flag);
}

std::string comm(pid_t pid, const std::string &proc)
{
    std::string name = read_or_empty(folder_of(pid, proc) + "/comm");
    if (name.ends_with('\n'))
        name.pop_back();
    return name;
}

std::string executable_name(pid_t pid, const std::string &proc)
{
    constexpr std::string_view deleted = " (deleted)";
    std::string path = link_target(folder_of(pid, proc) + "/exe").value_or("");
    if (path.ends_with(deleted))
        path.resize(path.size() - deleted.size());
    return path.substr(path.rfind('/') + 1);
}

std::string command_line(pid_t pid, const std::string &proc)
{
    std::string line = read_or_empty(folder_of(pid, proc) + "/cmdline");
    while (line.ends_with('\0'))
        line.pop_back();
    std::replace(line.begin(), line.end(), '\0', ' ');
    return line;
}

std::vector<pid_t> all_pids(const std::string &proc)
{
    return numbered_entries(proc);
}

std::vector<pid_t> threads(pid_t pid, const std::string &proc)
{
    return numbered_entries(folder_of(pid, proc) + "/task");
}

std::vector<pid_t> children(pid_t pid, const std::string &proc)
{
    // This does not read task/TID/children, which some kernels lack, and which is incomplete while
    // processes exit.
    std::vector<pid_t> pids = all_pids(proc);
    std::erase_if(pids, [&](pid_t other) { return parent(other, proc) != pid; });
    return pids;
}

std::vector<pid_t> descendants(pid_t pid, const std::string &proc)
{
    std::multimap<pid_t, pid_t> by_parent;
    for (pid_t other : all_pids(proc))
        by_parent.emplace(parent(other, proc).value_or(0), other);
    std::vector<pid_t> found = {pid};
    for (size_t i = 0; i < found.size(); i++) {
        auto [begin, end] = by_parent.equal_range(found[i]);
        for (auto child = begin; child != end; ++child)
            found.push_back(child->second);
    }
    found.erase(found.begin());
    return found;
}

std::optional<pid_t> parent(pid_t pid, const std::string &proc)
{
    return status_pid(folder_of(pid, proc), "PPid");
}

std::optional<pid_t> thread_group(pid_t tid, const std::string &proc)
{
    return status_pid(folder_of(tid, proc), "Tgid");
}

pid_t namespace_pid(pid_t pid, const std::string &proc)
{
    // The field has one number for each nested pid namespace: first for that of this process, last
    // for the innermost one of the process `pid`.
    std::string ids = status_field(folder_of(pid, proc), "NSpid").value_or("");
    size_t last = ids.find_last_of("\t ");
    auto number = parse_number(last == ids.npos ? ids : ids.substr(last + 1));
    return number ? pid_t(*number) : pid;
}

bool same_mount_namespace(pid_t pid, const std::string &proc)
{
    auto theirs = link_target(folder_of(pid, proc) + "/ns/mnt");
    return !theirs || theirs == link_target(proc + "/self/ns/mnt");
}

bool same_pid_namespace(pid_t pid, const std::string &proc)
{
    auto theirs = link_target(folder_of(pid, proc) + "/ns/pid");
    return theirs && theirs == link_target(proc + "/self/ns/pid");
}

std::string root_of(pid_t pid, const std::string &proc)
{
    std::string root = folder_of(pid, proc) + "/root";
    auto theirs = file_id(root);
    if (!theirs)  // the process is gone, or this process may not read it
        return "";
    bool same = same_mount_namespace(pid, proc) && theirs == file_id(proc + "/self/root");
    return same ? "" : root;
}

bool runs_as_set_id()
{
    return getuid() != geteuid() || getgid() != getegid();
}

bool has_own_user_namespace(const std::string &proc)
{
    // The number of the initial user namespace: PROC_USER_INIT_INO in include/linux/proc_ns.h.
    auto space = link_target(proc + "/self/ns/user");
    return space && *space != "user:[4026531837]";
}

// Checks the capabilities, because any user can run a program with this name; and the user
// namespace, because any user can have all capabilities in a user namespace of their own.
bool takes_checkpoints(pid_t pid, const std::string &proc)
{
    if (comm(pid, proc) != "criu" || !must_run(pid, proc))
        return false;
    constexpr uint64_t any_of = 1ull << CAP_SYS_ADMIN | 1ull << CAP_CHECKPOINT_RESTORE;
    auto capabilities = status_field(folder_of(pid, proc), "CapEff");
    uint64_t effective = capabilities ? parse_number("0x" + *capabilities).value_or(0) : 0;
    auto own = link_target(proc + "/self/ns/user"),
         theirs = link_target(folder_of(pid, proc) + "/ns/user");
    return (effective & any_of) && (!theirs || theirs == own);
}

bool has_seccomp_filter(const std::string &proc)
{
    return status_field(proc + "/self", "Seccomp") == "2";
}

std::string needs_ptrace()
{
    return geteuid() == 0
               ? "this needs CAP_SYS_PTRACE; start the container with --cap-add=SYS_PTRACE"
               : "it belongs to another user; run as root or with CAP_SYS_PTRACE";
}

std::vector<std::string> missing_capabilities(const std::vector<int> &wanted,
                                              const std::string &proc)
{
    auto text = status_field(proc + "/self", "CapEff");
    uint64_t effective = text ? parse_number("0x" + *text).value_or(0) : 0;
    std::vector<std::string> missing;
    for (int capability : wanted)
        if (!(effective >> capability & 1))
            missing.emplace_back(capability_names.at(capability));
    return missing;
}

}  // namespace uscope::proc
