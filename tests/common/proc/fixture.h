// Helpers for tests: a temporary directory, and a child process that stays in a state that the test
// has set up.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/format.h"
#include "proc/maps.h"

namespace uscope::tests {

class TempFolder {
  public:
    TempFolder()
    {
        char name[] = "/tmp/uscope-test-XXXXXX";
        path_ = mkdtemp(name);
    }
    ~TempFolder() { std::filesystem::remove_all(path_); }

    const std::string &path() const { return path_; }
    std::string operator/(const std::string &name) const { return path_ + "/" + name; }

    std::string write(const std::string &name, std::string_view text, mode_t mode = 0644) const
    {
        std::string path = make_parent(name);
        int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
        [[maybe_unused]] ssize_t written = ::write(fd, text.data(), text.size());
        close(fd);
        return path;
    }
    std::string link(const std::string &name, const std::string &target) const
    {
        std::string path = make_parent(name);
        [[maybe_unused]] int status = symlink(target.c_str(), path.c_str());
        return path;
    }
    std::string copy(const std::string &name, const std::string &from) const
    {
        std::string path = make_parent(name);
        std::filesystem::copy_file(from, path);
        return path;
    }

  private:
    std::string make_parent(const std::string &name) const
    {
        std::filesystem::path path = path_ + "/" + name;
        std::filesystem::create_directories(path.parent_path());
        return path;
    }

    std::string path_;
};

// Runs `set_up` in a forked process, which then waits to be killed. `ready()` returns what set_up
// returned.
class Child {
  public:
    explicit Child(const std::function<bool()> &set_up)
    {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0)
            abort();
        pid_ = fork();
        if (pid_ == 0) {
            char ok = set_up();
            [[maybe_unused]] ssize_t written = ::write(ends[1], &ok, 1);
            for (;;)
                pause();
        }
        close(ends[1]);
        char ok = 0;
        ready_ = read(ends[0], &ok, 1) == 1 && ok;
        close(ends[0]);
    }
    ~Child() { end(); }

    void end()
    {
        if (pid_ > 0) {
            kill(pid_, SIGKILL);
            waitpid(pid_, nullptr, 0);
        }
        pid_ = 0;
    }

    pid_t pid() const { return pid_; }
    bool ready() const { return ready_; }

  private:
    pid_t pid_ = 0;
    bool ready_ = false;
};

// Maps a page of a file as executable; returns null on failure.
inline void *map_code(int fd, off_t offset = 0)
{
    void *address = mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, offset);
    return address == MAP_FAILED ? nullptr : address;
}
inline void *map_code(const std::string &path, off_t offset = 0)
{
    int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    void *address = map_code(fd, offset);
    close(fd);
    return address;
}

// Returns a line of /proc/PID/maps for a page of a file.
inline std::string maps_line(const std::string &path, uint64_t start,
                             const char *permissions = "r-xp", const std::string &shown = "")
{
    auto id = proc::file_id(path).value_or(proc::FileId());
    return fmt::format("{:x}-{:x} {} 00000000 {:02x}:{:02x} {}    {}\n", start, start + 4096,
                       permissions, major(id.device), minor(id.device), id.inode,
                       shown.empty() ? path : shown);
}

}  // namespace uscope::tests
