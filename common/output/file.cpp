// Follows trusted links, and replaces files by new ones.
#include "output/file.h"

#include <algorithm>
#include <climits>

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/fd.h"
#include "base/format.h"
#include "proc/process.h"

namespace uscope::output {
namespace {

constexpr mode_t new_mode = 0666;  // before the umask
constexpr int max_links = 40;      // the kernel's limit

std::string folder_of(const std::string &path)
{
    size_t slash = path.rfind('/');
    return slash == path.npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

// Links in /proc are not paths: /proc/self/fd/1 leads to an open file.
bool is_in_proc(const std::string &path)
{
    struct statfs info;
    return statfs(folder_of(path).c_str(), &info) == 0 && info.f_type == PROC_SUPER_MAGIC;
}

// Follows symbolic links one after another, as long as their owner is trusted. Errors: a link of
// another user, or too many links.
Result<std::string> follow(std::string path)
{
    std::string given = path;
    for (int i = 0; i < max_links; i++) {
        struct stat info;
        if (lstat(path.c_str(), &info) != 0 || !S_ISLNK(info.st_mode) || is_in_proc(path))
            return path;
        if (info.st_uid != 0 && info.st_uid != geteuid())
            return fail("{} is a symbolic link of another user: name the file itself", path);
        auto next = link_target(path);
        if (!next || next->empty() || next->size() == PATH_MAX)
            return fail("cannot follow the link {}", path);
        path = next->front() == '/' ? *next : folder_of(path) + "/" + *next;
    }
    return fail("{} is a symbolic link that leads to itself", given);
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
        return fail("cannot write {}: a set-user-ID tool does not write files", given);
    NewFile file;
    file.path_ = TRY(follow(given));
    struct stat info;
    bool exists = stat(file.path_.c_str(), &info) == 0;
    file.is_regular_ = !exists || (S_ISREG(info.st_mode) && !is_in_proc(file.path_));
    if (!file.is_regular_) {
        TRY(file.open_directly(given, O_TRUNC));
        return file;
    }
    if (exists && faccessat(AT_FDCWD, file.path_.c_str(), W_OK, AT_EACCESS) != 0)
        return fail_errno("cannot write {}", given);
    auto made = file.create_temporary(given);
    bool is_refused = !made && (made.error().code == EACCES || made.error().code == EPERM ||
                                made.error().code == EROFS);
    if (exists && is_refused)
        made = file.open_directly(given, O_NOFOLLOW);
    TRY(std::move(made));
    if (exists && !file.temporary_.empty()) {
        [[maybe_unused]] int owned = fchown(file.fd(), info.st_uid, info.st_gid);
        fchmod(file.fd(), info.st_mode & 0777);
    }
    return file;
}

Result<> NewFile::create_temporary(const std::string &given)
{
    temporary_ = folder_of(path_) + "/" + random_name();
    constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    fd_ = Fd(open(temporary_.c_str(), flags, new_mode));
    if (fd_)
        return {};
    temporary_.clear();
    return fail_errno("cannot write {}", given);
}

Result<> NewFile::open_directly(const std::string &given, int flags)
{
    fd_ = Fd(open(path_.c_str(), O_WRONLY | O_CLOEXEC | flags));
    if (!fd_)
        return fail_errno("cannot write {}", given);
    return {};
}

NewFile::~NewFile()
{
    if (!temporary_.empty())
        unlink(temporary_.c_str());
}

Result<Fd> NewFile::put() &&
{
    if (temporary_.empty() && is_regular_ && ftruncate(fd(), lseek(fd(), 0, SEEK_CUR)) != 0)
        return fail_errno("cannot write {}", path_);
    if (!temporary_.empty() && rename(temporary_.c_str(), path_.c_str()) != 0)
        return fail_errno("cannot write {}", path_);
    temporary_.clear();
    return std::move(fd_);
}

Result<> check_new_file(const std::string &path, std::string_view option)
{
    if (path == "-")
        return {};
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
