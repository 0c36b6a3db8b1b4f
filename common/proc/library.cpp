// Finds a file by the word that a user types, as library.h describes. Two things are not obvious:
//
// - A mapped file is not always the file to which its path leads: after an upgrade, a process still
// uses the library's old file. So this searches the process's mappings first, and opens the mapped
// file itself (proc/maps.h).
// - Below /proc/PID/root, the kernel follows an absolute symbolic link from the root directory of
// *this* process. So this code follows symbolic links itself, one path component at a time, from
// the root directory of the process PID.
#include "proc/library.h"

#include <algorithm>
#include <climits>

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/format.h"
#include "base/text.h"
#include "proc/ld_cache.h"
#include "proc/maps.h"
#include "proc/process.h"

namespace uscope::proc {
namespace {

std::string_view base_name(std::string_view path)
{
    return path.substr(path.rfind('/') + 1);
}

// musl's C library is also its dynamic linker, and Alpine's processes map it by the linker's name.
bool is_musl(std::string_view file)
{
    return file.starts_with("ld-musl-") || file.starts_with("libc.musl-");
}

// How well a file matches a name, from worst to best: for "sqlite3", the library libsqlite3.so is
// better than the program sqlite3.
enum Rank {
    NoMatch,
    ByStem,     // NAME.so*
    ByProgram,  // the process's executable, which was started as NAME
    ByLibrary,  // libNAME.so*
    ByName      // NAME
};

// Returns the rank of a file called `file`. Before glibc 2.34, the files of glibc itself have names
// like libNAME-2.31.so.
Rank rank(std::string_view file, std::string_view name)
{
    auto is_library = [](std::string_view rest) {
        if (rest.size() > 1 && rest[0] == '-' && rest[1] >= '0' && rest[1] <= '9')
            rest.remove_prefix(std::min(rest.find(".so"), rest.size()));
        return rest == ".so" || rest.starts_with(".so.");
    };
    if (file == name)
        return ByName;
    if (file.starts_with("lib") && file.substr(3).starts_with(name) &&
        is_library(file.substr(3 + name.size())))
        return ByLibrary;
    if (name == "c" && is_musl(file))
        return ByLibrary;
    bool is_stem = file.starts_with(name) && is_library(file.substr(name.size()));
    return is_stem ? ByStem : NoMatch;
}

bool is_executable_file(const std::string &path)
{
    struct stat info;
    return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
           access(path.c_str(), X_OK) == 0;
}

// Follows `path` in the file tree below `root`. Returns the resulting path relative to `root`,
// without symbolic links, or nullopt if there is no such file.
std::optional<std::string> resolve_under(const std::string &root, std::string_view path)
{
    constexpr int max_links = 40;  // the kernel's limit
    std::string done, todo(path);
    int links = 0;
    while (!todo.empty()) {
        std::string part = todo.substr(0, todo.find('/'));
        todo.erase(0, part.size() + 1);
        if (part.empty() || part == ".")
            continue;
        if (part == "..") {
            done.erase(std::min(done.rfind('/'), done.size()));
            continue;
        }
        auto target = link_target(root + done + "/" + part);
        if (!target) {
            done += "/" + part;
            continue;
        }
        if (++links > max_links)
            return std::nullopt;
        if (target->starts_with('/'))
            done.clear();
        todo = *target + "/" + todo;
        if (todo.size() > PATH_MAX)
            return std::nullopt;
    }
    struct stat info;
    if (done.empty() || stat((root + done).c_str(), &info) != 0)
        return std::nullopt;
    return done;
}

// Returns a file as this process sees it. Messages show the path that the user knows.
FoundFile ours(const std::string &path)
{
    return {path, resolve_under("", path).value_or(path)};
}

std::string describe_process(pid_t pid, const SearchPaths &search)
{
    return fmt::format("process {} ({})", pid, comm(pid, search.proc));
}

// Returns the name as which a process was started: "redis-server" for the command line
// "/usr/bin/redis-server *:6379".
std::string started_as(pid_t pid, const SearchPaths &search)
{
    std::string line = command_line(pid, search.proc);
    return std::string(base_name(line.substr(0, line.find(' '))));
}

Result<FoundFile> find_path(const std::string &path, std::optional<pid_t> pid,
                            const SearchPaths &search)
{
    if (path[0] != '/' || !pid) {
        if (access(path.c_str(), F_OK) != 0)
            return fail_errno("cannot find {}", path);
        return path[0] == '/' ? ours(path) : FoundFile{path, path};
    }
    std::string root = root_of(*pid, search.proc);
    auto resolved = resolve_under(root, path);
    // A path below /proc, such as /proc/PID/exe, is compared by file and not by name: the file to
    // which it leads may be deleted, or below another root directory.
    bool is_link = path.starts_with(search.proc + "/");
    for (MappedObject &object : TRY(mapped_objects(*pid, search.proc)))
        if (object.path == path || object.path == resolved ||
            (is_link && is_same_file(path, object.file)))
            return FoundFile{path, object.open_path, root};
    if (!resolved)
        return fail("{} is neither mapped by {} nor a file under its root", path,
                    describe_process(*pid, search));
    return FoundFile{path, root + *resolved, root};
}

bool is_whole_name(std::string_view name)
{
    return name.find(".so") != name.npos;
}

// Is there a link `name` in the mapped file's directory that leads to this file, as libsqlite3.so.0
// leads to libsqlite3.so.0.8.6?
bool is_link_to(std::string_view name, const MappedObject &object, const std::string &root)
{
    size_t folder = object.path.size() - base_name(object.path).size();
    return is_whole_name(name) &&
           resolve_under(root, object.path.substr(0, folder).append(name)) == object.path;
}

Result<FoundFile> find_mapped(std::string_view name, pid_t pid, const SearchPaths &search)
{
    std::string root = root_of(pid, search.proc);
    auto executable = file_id(fmt::format("{}/{}/exe", search.proc, pid));
    bool is_started_as = started_as(pid, search) == name;

    std::vector<MappedObject> objects = TRY(mapped_objects(pid, search.proc));
    if (objects.empty() && !executable)
        return fail("cannot read the files of {}: {}", describe_process(pid, search),
                    needs_ptrace());
    std::erase_if(objects, [](const MappedObject &object) {
        return std::none_of(object.mappings.begin(), object.mappings.end(),
                            [](const Mapping &m) { return m.executable; });
    });
    const MappedObject *best = nullptr;
    Rank best_rank = NoMatch;
    std::vector<std::string> names;
    bool is_static = true;
    for (const MappedObject &object : objects) {
        Rank found = rank(base_name(object.path), name);
        bool is_executable = executable && is_same_file(object.open_path, *executable);
        if (!found && is_link_to(name, object, root))
            found = ByName;
        if (is_executable && (is_started_as || found == ByName))
            found = ByProgram;
        is_static &= is_executable;
        if (found > best_rank) {
            best = &object;
            best_rank = found;
        }
        names.emplace_back(base_name(object.path));
    }
    if (!best && is_static && !names.empty())
        return fail(
            "{} is a static program and maps no {}: the libraries that it uses are linked into "
            "it; use {} instead",
            describe_process(pid, search), name, names[0]);
    if (!best)
        return fail("{} maps no executable file {}{}{}", describe_process(pid, search), name,
                    is_whole_name(name) ? "" : fmt::format(", lib{0}.so* or {0}.so*", name),
                    did_you_mean(near_names(name, names)));
    return FoundFile{best->path, best->open_path, root};
}

// Returns the path of the file in the directory that matches `name` best; "" if none matches.
std::string find_in_folder(const std::string &folder, std::string_view name)
{
    DIR *directory = opendir(folder.c_str());
    if (!directory)
        return "";
    std::pair<Rank, std::string> best;
    while (dirent *entry = readdir(directory))
        best = std::max(best, std::pair(rank(entry->d_name, name), std::string(entry->d_name)));
    closedir(directory);
    struct stat info;
    std::string path = folder + "/" + best.second;
    return best.first && stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) ? path : "";
}

Result<FoundFile> find_installed(std::string_view name, const SearchPaths &search)
{
    std::string cache_text = read_file(search.cache).value_or("");
    std::vector<CachedLibrary> libraries = parse_ld_cache(Bytes(cache_text));
    const CachedLibrary *best = nullptr;
    for (const CachedLibrary &library : libraries)
        if (rank(library.name, name) > (best ? rank(best->name, name) : NoMatch))
            best = &library;
    if (best)
        return ours(std::string(best->path));

    for (const std::string &folder : search.folders)
        if (std::string path = find_in_folder(folder, name); !path.empty())
            return ours(path);
    for (std::string_view folder : split(search.path, ':'))
        if (std::string path = fmt::format("{}/{}", folder, name);
            !folder.empty() && is_executable_file(path))
            return ours(path);

    std::vector<std::string> names;
    for (const CachedLibrary &library : libraries)
        names.emplace_back(library.name);
    return fail(
        "cannot find {}: no library {} in {} or the library folders, no executable in $PATH{}",
        name, is_whole_name(name) ? std::string(name) : fmt::format("lib{}.so*", name),
        search.cache, did_you_mean(near_names(name, names)));
}

}  // namespace

Result<FoundFile> find_file(std::string_view name, std::optional<pid_t> pid,
                            const SearchPaths &search)
{
    if (name.empty())
        return fail_usage("the name of a library or executable is missing");
    if (name.find('/') != name.npos)
        return find_path(std::string(name), pid, search);
    return pid ? find_mapped(name, *pid, search) : find_installed(name, search);
}

}  // namespace uscope::proc
