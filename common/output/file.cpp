#include "output/file.h"

#include <algorithm>
#include <climits>

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/format.h"
#include "proc/process.h"

namespace uscope::output {
namespace {

constexpr mode_t new_mode = 0666;  // without what umask takes away
constexpr int most_links = 40;     // as the kernel has it

std::string folder_of(const std::string &path)
{
    size_t slash = path.rfind('/');
    return slash == path.npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

// There links are no text: they lead to open files, /proc/self/fd/1.
bool is_in_proc(const std::string &path)
{
    struct statfs info;
    return statfs(folder_of(path).c_str(), &info) == 0 && info.f_type == PROC_SUPER_MAGIC;
}

// Where the links lead whose owner is trusted, one after another.
Result<std::string> follow(std::string path)
{
    std::string given = path;
    for (int i = 0; i < most_links; i++) {
        struct stat info;
        if (lstat(path.c_str(), &info) != 0 || !S_ISLNK(info.st_mode) || is_in_proc(path))
            return path;
        if (info.st_uid != 0 && info.st_uid != geteuid())
            return fail("{} is a link of another user: name the file itself", path);
        char target[PATH_MAX];
        ssize_t length = readlink(path.c_str(), target, sizeof(target));
        if (length <= 0 || size_t(length) == sizeof(target))
            return fail("cannot follow the link {}", path);
        std::string next(target, length);
        path = next[0] == '/' ? next : folder_of(path) + "/" + next;
    }
    return fail("{} is a link that leads to itself", given);
}

std::string random_name()
{
    uint64_t number = 0;
    [[maybe_unused]] ssize_t got = getrandom(&number, sizeof(number), 0);
    return fmt::format(".uscope-{:016x}", number);
}

bool write_all(int fd, std::string_view text)
{
    while (!text.empty()) {
        ssize_t written = write(fd, text.data(), text.size());
        if (written < 0 && errno != EINTR)
            return false;
        text.remove_prefix(std::max<ssize_t>(written, 0));
    }
    return true;
}

}  // namespace

Result<NewFile> NewFile::create(const std::string &given)
{
    if (proc::runs_as_set_id())
        return fail("cannot write {}: a tool that is set-user-ID writes no files", given);
    NewFile file;
    file.path_ = TRY(follow(given));
    struct stat info;
    bool exists = stat(file.path_.c_str(), &info) == 0;
    file.is_regular_ = !exists || S_ISREG(info.st_mode);
    if (!file.is_regular_ || (exists && is_in_proc(file.path_))) {
        TRY(file.open_as_it_is(given, O_TRUNC));
        return file;
    }
    if (exists && faccessat(AT_FDCWD, file.path_.c_str(), W_OK, AT_EACCESS) != 0)
        return fail_errno("cannot write {}", given);
    auto made = file.create_beside(given);
    bool no_place = !made && (made.error().code == EACCES || made.error().code == EPERM ||
                              made.error().code == EROFS);
    if (exists && no_place)
        made = file.open_as_it_is(given, O_TRUNC | O_NOFOLLOW);
    TRY(std::move(made));
    if (exists && !file.beside_.empty()) {
        [[maybe_unused]] int owned = fchown(file.fd(), info.st_uid, info.st_gid);
        fchmod(file.fd(), info.st_mode & 0777);
    }
    return file;
}

Result<> NewFile::create_beside(const std::string &given)
{
    beside_ = folder_of(path_) + "/" + random_name();
    fd_ = Fd(open(beside_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, new_mode));
    if (fd_)
        return {};
    beside_.clear();
    return fail_errno("cannot write {}", given);
}

Result<> NewFile::open_as_it_is(const std::string &given, int flags)
{
    fd_ = Fd(open(path_.c_str(), O_WRONLY | O_CLOEXEC | flags));
    if (!fd_)
        return fail_errno("cannot write {}", given);
    return {};
}

NewFile::~NewFile()
{
    if (!beside_.empty())
        unlink(beside_.c_str());
}

Result<Fd> NewFile::put() &&
{
    if (!beside_.empty() && rename(beside_.c_str(), path_.c_str()) != 0)
        return fail_errno("cannot write {}", path_);
    beside_.clear();
    return std::move(fd_);
}

Result<> check_new_file(const std::string &path, std::string_view option)
{
    struct stat info;
    if (stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode))
        return fail("{} is not a regular file, which {} needs", path, option);
    TRY(NewFile::create(path));
    return {};
}

Result<> write_whole(const std::string &path, std::string_view text)
{
    NewFile file = TRY(NewFile::create(path));
    if (!write_all(file.fd(), text))
        return fail_errno("cannot write {}", path);
    TRY(std::move(file).put());
    return {};
}

}  // namespace uscope::output
