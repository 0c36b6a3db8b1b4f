// Opens, creates and removes the files of a cache.
#include "base/cache_folder.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/format.h"

namespace uscope {
namespace {

// Does it belong to this user, and can nobody else write it?
bool is_own(const Fd &fd, mode_t type)
{
    struct stat info;
    return fd && fstat(fd.get(), &info) == 0 && (info.st_mode & S_IFMT) == type &&
           info.st_uid == geteuid() && (info.st_mode & 022) == 0;
}

Fd open_folder(const std::string &path)
{
    Fd folder;
    if (!path.empty())
        folder = Fd(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    return is_own(folder, S_IFDIR) ? std::move(folder) : Fd();
}

Fd make_folder(const std::string &path)
{
    for (size_t at = 1; at < path.size(); at++) {
        if (path[at] == '/')
            mkdir(path.substr(0, at).c_str(), 0755);
    }
    if (!path.empty())
        mkdir(path.c_str(), 0700);
    return open_folder(path);
}

// Removes the oldest files until another one, of `bytes`, has room. `ignored`: the temporary name
// of that one.
void make_room(const Fd &folder, uint64_t bytes, const std::string &ignored,
               const CacheFolder::Limits &limits)
{
    struct File {
        int64_t written;
        std::string name;
        uint64_t bytes;
        auto operator<=>(const File &) const = default;
    };
    std::vector<File> files;
    DIR *entries = fdopendir(openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!entries)
        return;
    while (const dirent *entry = readdir(entries)) {
        struct stat info;
        if (fstatat(folder.get(), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
            !S_ISDIR(info.st_mode) && entry->d_name != ignored) {
            files.push_back({info.st_mtime, entry->d_name, uint64_t(info.st_size)});
            bytes += uint64_t(info.st_size);
        }
    }
    closedir(entries);
    std::sort(files.begin(), files.end());
    size_t count = files.size();
    for (const File &file : files) {
        if (count < limits.files && bytes <= limits.bytes)
            return;
        unlinkat(folder.get(), file.name.c_str(), 0);
        count--;
        bytes -= file.bytes;
    }
}

}  // namespace

std::string CacheFolder::usual_path(std::string_view name)
{
    const char *base = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
    if (base && base[0] == '/')
        return fmt::format("{}/uscope/{}", base, name);
    if (geteuid() == 0)
        return fmt::format("/var/cache/uscope/{}", name);
    return home && home[0] == '/' ? fmt::format("{}/.cache/uscope/{}", home, name) : "";
}

Fd CacheFolder::open(const std::string &name) const
{
    Fd folder = open_folder(path_), file;
    if (folder)
        file = Fd(openat(folder.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
    return is_own(file, S_IFREG) ? std::move(file) : Fd();
}

void CacheFolder::remove(const std::string &name) const
{
    if (Fd folder = open_folder(path_))
        unlinkat(folder.get(), name.c_str(), 0);
}

CacheFolder::NewFile CacheFolder::create() const
{
    NewFile file = {.folder = {}, .fd = {}};
    if (getuid() != geteuid() || getgid() != getegid())
        return file;
    file.folder = make_folder(path_);
    if (!file.folder)
        return file;
    int folder = file.folder.get();
    file.fd = Fd(openat(folder, ".", O_RDWR | O_TMPFILE | O_CLOEXEC, 0600));
    if (file.fd)
        return file;
    file.name = fmt::format(".{}", getpid());
    unlinkat(folder, file.name.c_str(), 0);  // of a killed tool with the same process id
    file.fd = Fd(openat(folder, file.name.c_str(),
                        O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    return file;
}

bool CacheFolder::keep(NewFile file, const std::string &name, const Limits &limits)
{
    struct stat info;
    if (!file.fd || fstat(file.fd.get(), &info) != 0)
        return false;
    int folder = file.folder.get();
    make_room(file.folder, uint64_t(info.st_size), file.name, limits);
    if (file.name.empty()) {  // linkat() does not replace a file
        file.name = fmt::format(".{}", getpid());
        unlinkat(folder, file.name.c_str(), 0);
        std::string opened = fmt::format("/proc/self/fd/{}", file.fd.get());
        if (linkat(AT_FDCWD, opened.c_str(), folder, file.name.c_str(), AT_SYMLINK_FOLLOW) != 0)
            return false;
    }
    if (renameat(folder, file.name.c_str(), folder, name.c_str()) == 0)
        return true;
    discard(std::move(file));
    return false;
}

void CacheFolder::discard(NewFile file)
{
    if (!file.name.empty())
        unlinkat(file.folder.get(), file.name.c_str(), 0);
}

}  // namespace uscope
