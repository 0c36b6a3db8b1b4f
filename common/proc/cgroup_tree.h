// The folders of the cgroups of version 2, as they appear and disappear.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace uscope::proc {

// Returns where the file system cgroup2 is mounted; nullopt: nowhere. In a cgroup namespace,
// prefers a mount that shows more than the namespace's own cgroups.
std::optional<std::string> cgroup2_mount(const std::string &proc = "/proc");

// Returns the path of the cgroup with this id, below the folder `mount`: "/system.slice"; nullopt:
// it is gone, or not there.
std::optional<std::string> cgroup_path(uint64_t id, const std::string &mount);

// Follows which cgroups are wanted. A cgroup's id, which the kernel's programs compare, is the
// inode number of its folder.
class CgroupTree {
  public:
    // Is the cgroup wanted? `path`: "/system.slice/nginx.service". Those below a wanted one are
    // also wanted.
    using Accepts = std::function<bool(std::string_view path)>;
    struct Handlers {
        std::function<void(uint64_t id)> added = [](uint64_t) {}, removed = [](uint64_t) {};
    };

    // `root`: where cgroup2 is mounted. Reads the whole tree, and watches it from then on. Errors:
    // the kernel lets this process watch nothing.
    static Result<CgroupTree> open(std::string root, Accepts accepts);

    // Calls `handlers.added` for each wanted cgroup that is known, and `handlers` from then on.
    void report_to(Handlers handlers);
    size_t wanted() const;  // the number of wanted cgroups that are known
    // Are there cgroups that cannot be watched, because the kernel allows no more?
    bool is_incomplete() const { return is_incomplete_; }

    int fd() const { return inotify_.get(); }  // readable if cgroups have appeared or disappeared
    void drain();
    // Looks again at cgroups that were not wanted when they appeared, in the last 10 seconds: the
    // name of a container may be written after that.
    void look_again();

  private:
    struct Group {
        int watch = -1;
        uint64_t id = 0;
        bool is_wanted = false;
    };
    struct Recent {
        std::string path;
        uint64_t since_ns;
    };

    CgroupTree() = default;
    void add(const std::string &path, bool is_wanted, bool is_new);
    void remove(const std::string &path);
    void look_at_all();

    std::string root_;
    Accepts accepts_;
    Handlers handlers_;
    Fd inotify_;
    std::map<std::string, Group> groups_;  // by path
    std::map<int, std::string> paths_;     // by watch
    std::vector<Recent> recent_;
    bool is_incomplete_ = false;
};

}  // namespace uscope::proc
