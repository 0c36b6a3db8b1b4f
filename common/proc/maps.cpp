// Parses /proc/PID/maps, whose paths and device numbers cannot always be trusted. A line:
//
//     7f12a4026000-7f12a417b000 r-xp 00026000 fe:00 247498                     /usr/lib/libc.so.6
//     start        end          perm offset   dev   inode                      path
//
// All numbers are hexadecimal except the inode. In the path, the kernel escapes only newlines, as
// \012. It does not escape backslashes, so a name that really contains "\012" looks the same. The
// path is followed by " (deleted)" if the file has no name any more, also if another file now has
// that path; but a file's real name may also end with this text. If the process is in another mount
// namespace (a container), its path starts at the root directory of that process; if the process
// only did a chroot, the path starts at our root directory. So a path is a hint; the file's
// identity is its device and inode.
//
// Even these two numbers need care. On some file systems, stat(2) shows another device than maps:
// on btrfs, because stat shows an invented device number for each subvolume; and on overlay,
// because on older kernels, maps shows the file of the lower layer. With overlay's "xino" option,
// the upper 32 bits of the inode number in stat contain the number of the layer.
#include "proc/maps.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include <dirent.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include "base/fd.h"
#include "base/format.h"
#include "proc/process.h"

namespace uscope::proc {
namespace {

// Removes a number and the character `terminator` after it from the beginning of `text`.
bool take(std::string_view &text, uint64_t &value, int base, char terminator)
{
    auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    size_t used = rest - text.data();
    if (error != std::errc() || used == text.size() || *rest != terminator)
        return false;
    text.remove_prefix(used + 1);
    return true;
}

std::string unescape_newlines(std::string_view text)
{
    constexpr std::string_view escape = "\\012";
    std::string out;
    for (size_t at; (at = text.find(escape)) != text.npos;) {
        out.append(text.substr(0, at)).append(1, '\n');
        text.remove_prefix(at + escape.size());
    }
    return out.append(text);
}

std::optional<Mapping> parse_line(std::string_view line)
{
    Mapping m;
    uint64_t major, minor;
    if (!take(line, m.start, 16, '-') || !take(line, m.end, 16, ' ') || m.end <= m.start)
        return std::nullopt;
    if (line.size() < 5 || line[4] != ' ')
        return std::nullopt;
    m.readable = line[0] == 'r';
    m.writable = line[1] == 'w';
    m.executable = line[2] == 'x';
    m.shared = line[3] == 's';
    line.remove_prefix(5);
    if (!take(line, m.offset, 16, ' ') || !take(line, major, 16, ':') ||
        !take(line, minor, 16, ' '))
        return std::nullopt;
    // A space follows the inode even if there is no path.
    if (!take(line, m.file.inode, 10, ' '))
        return std::nullopt;
    m.file.device = makedev(major, minor);

    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    m.deleted = m.is_file() && line.ends_with(deleted_suffix);
    if (m.deleted)
        line.remove_suffix(deleted_suffix.size());
    m.path = unescape_newlines(line);
    return m;
}

// Returns the path below /proc/PID/fd of the process's open file with this identity. Without
// capabilities, this is the only way to open a memfd.
std::optional<std::string> find_open_file(const std::string &process, const FileId &id)
{
    std::string folder = process + "/fd";
    DIR *directory = opendir(folder.c_str());
    if (!directory)
        return std::nullopt;
    std::optional<std::string> found;
    while (dirent *entry = readdir(directory)) {
        std::string path = folder + "/" + entry->d_name;
        if (entry->d_name[0] != '.' && is_same_file(path, id)) {
            found = path;
            break;
        }
    }
    closedir(directory);
    return found;
}

}  // namespace

std::optional<FileId> file_id(const std::string &path)
{
    struct stat info;
    if (stat(path.c_str(), &info) != 0)
        return std::nullopt;
    return FileId{info.st_dev, info.st_ino};
}

std::vector<pid_t> one_for_each_executable(const std::vector<pid_t> &pids, const std::string &proc)
{
    std::vector<pid_t> first;
    std::set<FileId> seen;
    for (pid_t pid : pids) {
        auto id = file_id(fmt::format("{}/{}/exe", proc, pid));
        if (id && seen.insert(*id).second)
            first.push_back(pid);
    }
    return first;
}

bool is_same_file(const std::string &path, const FileId &id)
{
    struct stat info;
    if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode))
        return false;
    if (info.st_ino == id.inode && info.st_dev == id.device)
        return true;
    struct statfs filesystem;
    if (uint32_t(info.st_ino) != uint32_t(id.inode) || statfs(path.c_str(), &filesystem) != 0)
        return false;
    return filesystem.f_type == OVERLAYFS_SUPER_MAGIC ||
           (filesystem.f_type == BTRFS_SUPER_MAGIC && info.st_ino == id.inode);
}

std::vector<Mapping> parse_maps(std::string_view text)
{
    std::vector<Mapping> mappings;
    while (!text.empty()) {
        std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        if (auto mapping = parse_line(line))
            mappings.push_back(std::move(*mapping));
    }
    return mappings;
}

Result<std::vector<Mapping>> read_maps(pid_t pid, const std::string &proc)
{
    auto text = read_file(fmt::format("{}/{}/maps", proc, pid));
    if (text)
        return parse_maps(*text);
    if (!exists(pid, proc))
        return fail("there is no process {}", pid);
    bool is_refused = text.error().code == EACCES || text.error().code == EPERM;
    return is_refused ? fail("cannot read process {}: {}", pid, needs_ptrace())
                      : fail("{}", text.error().text);
}

namespace {

// Like the public open_path(). `process`: /proc/PID. `root`: the result of root_of(), so that
// callers compute it only once for all files of a process.
std::optional<std::string> open_path(const std::string &process, const std::string &root,
                                     const Mapping &mapping)
{
    bool has_path = mapping.path.starts_with('/') && !mapping.deleted;
    if (root.empty() && has_path && is_same_file(mapping.path, mapping.file))
        return mapping.path;

    std::string map_file =
        fmt::format("{}/map_files/{:x}-{:x}", process, mapping.start, mapping.end);
    if (is_same_file(map_file, mapping.file))
        return map_file;
    if (has_path && !root.empty()) {
        for (const std::string &path : {root + mapping.path, mapping.path})
            if (is_same_file(path, mapping.file))
                return path;
    }
    if (is_same_file(process + "/exe", mapping.file))
        return process + "/exe";
    return find_open_file(process, mapping.file);
}

}  // namespace

std::optional<std::string> open_path(pid_t pid, const Mapping &mapping, const std::string &proc)
{
    return open_path(fmt::format("{}/{}", proc, pid), root_of(pid, proc), mapping);
}

std::optional<uint64_t> MappedObject::address_of(uint64_t file_offset, bool writable) const
{
    for (const Mapping &m : mappings)
        if (file_offset >= m.offset && file_offset - m.offset < m.end - m.start &&
            (m.writable || !writable))
            return m.start + (file_offset - m.offset);
    return std::nullopt;
}

Result<std::vector<MappedObject>> mapped_objects(pid_t pid, const std::string &proc)
{
    return mapped_objects(pid, TRY(read_maps(pid, proc)), proc);
}

Result<std::vector<MappedObject>> mapped_objects(pid_t pid, std::vector<Mapping> mappings,
                                                 const std::string &proc)
{
    std::vector<MappedObject> objects;
    std::map<FileId, size_t> known;
    if (mappings.empty()) {
        TRY(must_run(pid, proc));
        if (is_kernel_thread(pid, proc))
            return fail("process {} is a kernel thread: it maps no files", pid);
    }
    for (Mapping &mapping : mappings) {
        if (!mapping.is_file())
            continue;
        auto [entry, is_new] = known.try_emplace(mapping.file, objects.size());
        if (is_new)
            objects.push_back({mapping.file, mapping.path, "", mapping.deleted, {}});
        objects[entry->second].mappings.push_back(std::move(mapping));
    }
    std::string process = fmt::format("{}/{}", proc, pid), root = root_of(pid, proc);
    std::erase_if(objects, [&](MappedObject &object) {
        auto path = open_path(process, root, object.mappings.front());
        if (path)
            object.open_path = std::move(*path);
        return !path;
    });
    return objects;
}

}  // namespace uscope::proc
