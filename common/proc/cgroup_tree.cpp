// Watches each folder of the tree by inotify: the kernel reports the cgroups that are made and
// removed in it. It reports nothing about folders in a new folder that were made before the new one
// was watched, so add() reads a new folder after that.
#include "proc/cgroup_tree.h"

#include <cerrno>
#include <memory>
#include <utility>

#include <dirent.h>
#include <sys/inotify.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/text.h"

namespace uscope::proc {
namespace {

constexpr uint64_t recent_ns = 10'000'000'000;
constexpr size_t max_recent = 1024;

std::vector<std::string> folders_in(const std::string &folder)
{
    std::vector<std::string> names;
    std::unique_ptr<DIR, int (*)(DIR *)> directory(opendir(folder.c_str()), closedir);
    while (dirent *entry = directory ? readdir(directory.get()) : nullptr) {
        std::string_view name = entry->d_name;
        if (entry->d_type == DT_DIR && name != "." && name != "..")
            names.emplace_back(name);
    }
    return names;
}

// Returns the cgroup's id; 0: it is gone.
uint64_t id_of(const std::string &folder)
{
    struct stat info;
    return stat(folder.c_str(), &info) == 0 ? info.st_ino : 0;
}

}  // namespace

// A line of mountinfo: ID PARENT MAJOR:MINOR ROOT MOUNTPOINT OPTIONS [FIELD...] - TYPE SOURCE
// OPTIONS. ROOT is relative to the cgroup namespace: "/..", if the mount shows what is outside.
std::optional<std::string> cgroup2_mount(const std::string &proc)
{
    auto lines = read_file(proc + "/self/mountinfo");
    std::optional<std::string> mount;
    bool is_outside = false;
    for (std::string_view line : split(lines ? std::string_view(*lines) : "", '\n')) {
        auto fields = split(line, ' ');
        bool is_cgroup2 = line.find(" - cgroup2 ") != line.npos;
        if (!is_cgroup2 || fields.size() < 5 || is_outside)
            continue;
        is_outside = fields[3].starts_with("/..");
        if (!mount || is_outside)
            mount = fields[4];
    }
    return mount;
}

std::optional<std::string> cgroup_path(uint64_t id, const std::string &mount)
{
    std::vector<std::string> left = {""};
    while (!left.empty()) {
        std::string path = std::move(left.back());
        left.pop_back();
        if (id_of(mount + path) == id)
            return path.empty() ? "/" : path;
        for (const std::string &name : folders_in(mount + path))
            left.push_back(path + "/" + name);
    }
    return std::nullopt;
}

Result<CgroupTree> CgroupTree::open(std::string root, Accepts accepts)
{
    CgroupTree tree;
    tree.inotify_ = Fd(inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
    if (!tree.inotify_)
        return fail_errno("cannot watch the cgroups in {}", root);
    tree.root_ = std::move(root);
    tree.accepts_ = std::move(accepts);
    tree.add("", false, false);
    return tree;
}

void CgroupTree::report_to(Handlers handlers)
{
    handlers_ = std::move(handlers);
    for (const auto &[path, group] : groups_) {
        if (group.is_wanted)
            handlers_.added(group.id);
    }
}

size_t CgroupTree::wanted() const
{
    size_t count = 0;
    for (const auto &[path, group] : groups_)
        count += group.is_wanted;
    return count;
}

// `is_wanted`: because one around it is.
void CgroupTree::add(const std::string &path, bool is_wanted, bool is_new)
{
    std::string folder = root_ + path;
    // Watches it before anything else, so that no folder in it is missed.
    int watch = inotify_add_watch(inotify_.get(), folder.c_str(), IN_CREATE | IN_DELETE);
    is_incomplete_ |= watch < 0 && errno == ENOSPC;
    uint64_t id = id_of(folder);
    if (!id)
        return remove(path);
    auto known = groups_.find(path);
    if (known != groups_.end() && known->second.id != id)
        remove(path);  // it has been removed and made again
    Group &group = groups_[path];
    group.watch = watch;
    group.id = id;
    if (watch >= 0)
        paths_[watch] = path;
    is_wanted |= group.is_wanted || accepts_(path.empty() ? "/" : path);
    if (is_wanted && !std::exchange(group.is_wanted, true))
        handlers_.added(id);
    else if (!is_wanted && is_new && recent_.size() < max_recent)
        recent_.push_back({path, monotonic_ns()});
    for (const std::string &name : folders_in(folder))
        add(path + "/" + name, is_wanted, is_new);
}

// Also removes the cgroups that were in it: the kernel has removed them before.
void CgroupTree::remove(const std::string &path)
{
    auto is_in = [&](const std::string &other) {
        return other == path || other.starts_with(path + "/");
    };
    auto found = groups_.lower_bound(path);
    while (found != groups_.end() && found->first.starts_with(path)) {
        if (!is_in(found->first)) {
            ++found;
            continue;
        }
        if (found->second.is_wanted)
            handlers_.removed(found->second.id);
        if (found->second.watch >= 0) {
            inotify_rm_watch(inotify_.get(), found->second.watch);
            paths_.erase(found->second.watch);
        }
        found = groups_.erase(found);
    }
}

// After the kernel has dropped reports.
void CgroupTree::look_at_all()
{
    std::vector<std::string> gone;
    for (const auto &[path, group] : groups_) {
        if (!id_of(root_ + path))
            gone.push_back(path);
    }
    for (const std::string &path : gone)
        remove(path);
    add("", false, true);
}

void CgroupTree::drain()
{
    alignas(inotify_event) char buffer[16384];
    ssize_t bytes;
    while ((bytes = read(inotify_.get(), buffer, sizeof(buffer))) > 0) {
        for (char *at = buffer; at < buffer + bytes;) {
            auto *event = reinterpret_cast<inotify_event *>(at);
            at += sizeof(*event) + event->len;
            if (event->mask & IN_Q_OVERFLOW)
                look_at_all();
            auto parent = paths_.find(event->wd);
            if (!(event->mask & IN_ISDIR) || !event->len || parent == paths_.end())
                continue;
            std::string around = parent->second, path = around + "/" + event->name;
            // A folder that was made again at once is still there.
            if (event->mask & IN_DELETE && !id_of(root_ + path))
                remove(path);
            else if (auto found = groups_.find(around); found != groups_.end())
                add(path, found->second.is_wanted, true);
        }
    }
}

void CgroupTree::look_again()
{
    uint64_t now = monotonic_ns();
    for (const Recent &group : std::exchange(recent_, {})) {
        auto found = groups_.find(group.path);
        if (now - group.since_ns > recent_ns || found == groups_.end() || found->second.is_wanted)
            continue;
        if (accepts_(group.path))
            add(group.path, true, true);
        else
            recent_.push_back(group);
    }
}

}  // namespace uscope::proc
