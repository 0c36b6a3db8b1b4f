// Finds breakpoints of killed tools by their records, and removes them.
#include "attach/left_behind.h"

#include <algorithm>
#include <set>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "abi/registers.h"
#include "attach/attach.h"
#include "attach/record.h"
#include "attach/uprobe_event.h"
#include "base/format.h"
#include "base/text.h"
#include "kernel/features.h"
#include "proc/process.h"

namespace uscope::attach {
namespace {

constexpr uint64_t largest_record = 64 << 20;  // two million sites

// The length of a breakpoint instruction: int3, brk.
constexpr size_t breakpoint_bytes = abi::host_machine == abi::Machine::Aarch64 ? 4 : 1;

// A file with sites noted in the records of killed tools, and its mappings in processes.
struct File {
    Noted noted;
    std::string path;  // a path that opens the file
    std::string name;  // for messages
    std::vector<std::pair<pid_t, proc::Mapping>> mappings;
};

// Returns the sites whose code in some process's memory differs from the file. Returns nullopt if
// the file, or the memory of a living process, cannot be read.
std::optional<std::vector<UprobeSite>> find_breakpoints(const File &file)
{
    std::set<size_t> found;
    Fd text(open(file.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    for (const auto &[pid, mapping] : file.mappings) {
        Fd memory(open(fmt::format("/proc/{}/mem", pid).c_str(), O_RDONLY | O_CLOEXEC));
        if (!text || (!memory && proc::must_run(pid)))
            return std::nullopt;
        for (size_t i = 0; i < file.noted.sites.size(); i++) {
            uint64_t at = file.noted.sites[i].offset - mapping.offset;
            if (file.noted.sites[i].offset < mapping.offset || at >= mapping.end - mapping.start)
                continue;
            char now[breakpoint_bytes], wanted[breakpoint_bytes];
            ssize_t size = sizeof(now);
            if (pread(memory.get(), now, size, off_t(mapping.start + at)) == size &&
                pread(text.get(), wanted, size, off_t(mapping.offset + at)) == size &&
                !std::equal(now, now + size, wanted))
                found.insert(i);
        }
    }
    std::vector<UprobeSite> sites;
    for (size_t i : found)
        sites.push_back(file.noted.sites[i]);
    return sites;
}

// Returns those files of `noted` that some process maps; the others need no repair.
std::vector<File> find_files(const std::vector<Noted> &noted)
{
    std::vector<File> files;
    for (pid_t pid : proc::all_pids()) {
        auto mappings = proc::read_maps(pid);
        for (const proc::Mapping &mapping : mappings ? *mappings : std::vector<proc::Mapping>()) {
            for (const Noted &record : noted) {
                if (mapping.file.inode != record.file.inode)
                    continue;
                auto path = proc::open_path(pid, mapping);
                if (!path || proc::file_id(*path) != record.file)
                    continue;
                auto known = std::find_if(files.begin(), files.end(), [&](const File &file) {
                    return file.noted.file == record.file;
                });
                if (known == files.end())
                    known = files.insert(known, {{record.file, {}}, *path, mapping.path, {}});
                known->mappings.emplace_back(pid, mapping);
            }
        }
    }
    return files;
}

// Collects all sites that are noted for the file. Adds each site only once, because several probes
// may have been attached to it.
void gather_sites(const std::vector<Noted> &noted, File &file)
{
    std::set<std::pair<uint64_t, uint64_t>> sites;
    for (const Noted &record : noted) {
        if (record.file != file.noted.file)
            continue;
        for (const UprobeSite &site : record.sites)
            sites.emplace(site.offset, site.ref_ctr_offset);
    }
    for (auto [offset, semaphore] : sites)
        file.noted.sites.push_back({.offset = offset, .ref_ctr_offset = semaphore});
}

// Removes breakpoints by attaching a program to their sites and detaching it: when a program is
// detached, the kernel removes the breakpoints from all processes. The program is attached only to
// this process, which does not run the file, so no process gets new breakpoints.
Result<> attach_and_detach(const File &file, const std::vector<UprobeSite> &sites)
{
    Fd program = kernel::load_trivial(kernel::has_uprobe_multi() ? kernel::trace_uprobe_multi : 0);
    if (!program)
        return fail_errno("cannot load a program");
    UprobeRequest request;
    request.program = program.get();
    request.path = file.path;
    request.name = file.name;
    request.sites = sites;
    request.pid = getpid();
    TRY(attach_uprobes(request));
    return {};
}

std::string describe(const File &file)
{
    std::set<pid_t> pids;
    for (const auto &[pid, mapping] : file.mappings)
        pids.insert(pid);
    pid_t first = *pids.begin();
    return fmt::format("{} of {} ({}{})", file.name, proc::comm(first), first,
                       pids.size() > 1 ? fmt::format(" and {} more", pids.size() - 1) : "");
}

// Removes the breakpoints at the noted sites. Errors: this process lacks the permission, so the
// record must be kept. Other failures are only passed to `note`.
Result<> mend(const std::vector<Noted> &noted, std::string_view tool,
              const std::function<void(const std::string &)> &note)
{
    for (File &file : find_files(noted)) {
        gather_sites(noted, file);
        auto before = find_breakpoints(file);
        if (before && before->empty())
            continue;
        auto done = attach_and_detach(file, before ? *before : file.noted.sites);
        if (!done && (done.error().code == EPERM || done.error().code == EACCES))
            return done;
        if (!done)
            note(fmt::format(
                "cannot remove the breakpoints that {} left in {} when it was killed: {}", tool,
                describe(file), done.error().text));
        if (!done || !before)
            continue;
        auto after = find_breakpoints(file);
        size_t left = after ? after->size() : 0;
        if (left < before->size())
            note(fmt::format("removed {} breakpoint{} that {} left in {} when it was killed",
                             before->size() - left, before->size() - left == 1 ? "" : "s", tool,
                             describe(file)));
    }
    return {};
}

// Opens the file if it is a record that no process has locked; else returns an invalid descriptor.
Fd open_record(const Fd &folder, const char *name)
{
    Fd file(openat(folder.get(), name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
    struct stat info;
    bool is_left = file && flock(file.get(), LOCK_EX | LOCK_NB) == 0 &&
                   fstat(file.get(), &info) == 0 && S_ISREG(info.st_mode) && info.st_nlink == 1 &&
                   uint64_t(info.st_size) <= largest_record;
    return is_left ? std::move(file) : Fd();
}

}  // namespace

void remove_left_behind(const std::function<void(const std::string &)> &note)
{
    auto folder = open_record_folder();
    if (!folder)
        return;
    DIR *directory = fdopendir(fcntl(folder->get(), F_DUPFD_CLOEXEC, 0));
    if (!directory)
        return;
    bool any_killed = false;
    while (const dirent *entry = readdir(directory)) {
        std::string name = entry->d_name;
        Fd file = name[0] == '.' ? Fd() : open_record(*folder, name.c_str());
        if (!file)
            continue;
        auto text = read_file(fmt::format("/proc/self/fd/{}", file.get()));
        if (!text)
            continue;
        any_killed = true;
        auto tool = fmt::format("a tool (pid {})", name.substr(0, name.find('.')));
        if (mend(parse_record(*text), tool, note))
            unlinkat(folder->get(), name.c_str(), 0);
    }
    closedir(directory);
    if (any_killed)
        remove_stale_events();
    remove_record_folder();
    if (!attached_probes())
        unblock_end_signals();
}

}  // namespace uscope::attach
