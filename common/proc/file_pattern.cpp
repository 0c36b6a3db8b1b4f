// Finds the files whose names match a pattern: among the files that a process maps, in the ld.so
// cache and in the file system.
#include "proc/file_pattern.h"

#include <algorithm>
#include <set>

#include <dirent.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/format.h"
#include "base/text.h"
#include "proc/ld_cache.h"
#include "proc/maps.h"
#include "proc/process.h"

namespace uscope::proc {
namespace {

bool has_slash(std::string_view pattern)
{
    return pattern.find('/') != pattern.npos;
}

// A pattern without a slash is compared only with the file's name, the last part of the path.
bool matches(std::string_view pattern, std::string_view path)
{
    return glob_match(pattern, has_slash(pattern) ? path : path.substr(path.rfind('/') + 1));
}

Result<std::vector<FoundFile>> match_mapped(std::string_view pattern, pid_t pid,
                                            const SearchPaths &search_paths)
{
    std::vector<FoundFile> files;
    std::string root = root_of(pid, search_paths.proc);
    for (const MappedObject &object : TRY(mapped_objects(pid, search_paths.proc))) {
        if (matches(pattern, object.path))
            files.push_back({object.path, object.open_path, root});
    }
    return files;
}

// Returns the names in a folder that match, sorted. Only a pattern that begins with a dot matches
// hidden files.
std::vector<std::string> matching_names(const std::string &folder, std::string_view pattern)
{
    std::vector<std::string> names;
    DIR *dir = opendir(folder.empty() ? "." : folder.c_str());
    if (!dir)
        return names;
    while (const dirent *entry = readdir(dir)) {
        std::string_view name = entry->d_name;
        bool is_hidden = name[0] == '.' && pattern[0] != '.';
        if (!is_hidden && glob_match(pattern, name))
            names.emplace_back(name);
    }
    closedir(dir);
    std::sort(names.begin(), names.end());
    return names;
}

// Returns the paths that match; those without a pattern need not exist. (The C library's glob()
// expands ~USER as well, for which a static program would contain all code that looks up users.)
std::vector<std::string> expand(std::string_view pattern)
{
    std::vector<std::string> paths = {pattern.starts_with('/') ? "/" : ""};
    for (std::string_view part : split(pattern, '/')) {
        if (part.empty())
            continue;
        std::vector<std::string> longer;
        for (std::string &path : paths) {
            if (!path.empty() && !path.ends_with('/'))
                path += '/';
            if (!is_glob(part)) {
                longer.push_back(fmt::format("{}{}", path, part));
                continue;
            }
            for (const std::string &name : matching_names(path, part))
                longer.push_back(path + name);
        }
        paths = std::move(longer);
    }
    return paths;
}

// Adds the matching files that exist and are accessible.
void add_paths(const std::string &pattern, std::vector<FoundFile> &files)
{
    for (const std::string &path : expand(pattern)) {
        if (auto file = find_file(path))
            files.push_back(std::move(*file));
    }
}

std::vector<FoundFile> match_installed(std::string_view pattern, const SearchPaths &search_paths)
{
    std::vector<FoundFile> files;
    std::string cache_text = read_file(search_paths.cache).value_or("");
    for (const CachedLibrary &library : parse_ld_cache(Bytes(cache_text))) {
        if (!glob_match(pattern, library.name))
            continue;
        if (auto file = find_file(library.path))
            files.push_back(std::move(*file));
    }
    for (std::string_view folder : split(search_paths.path, ':')) {
        if (!folder.empty())
            add_paths(fmt::format("{}/{}", folder, pattern), files);
    }
    return files;
}

}  // namespace

Result<std::vector<FoundFile>> match_files(std::string_view pattern, std::optional<pid_t> pid,
                                           const SearchPaths &search_paths)
{
    bool is_relative = has_slash(pattern) && pattern[0] != '/';
    if (pid && !is_relative)
        return match_mapped(pattern, *pid, search_paths);
    std::vector<FoundFile> files;
    if (has_slash(pattern)) {
        add_paths(std::string(pattern), files);
        return files;
    }
    if (pattern.find_first_not_of('*') == pattern.npos)
        return fail_usage(
            "{} means all files that a process maps: give -p, or a path such as /usr/bin/{}",
            pattern, pattern);
    return match_installed(pattern, search_paths);
}

std::vector<FoundFile> find_unlisted(std::string_view name)
{
    std::vector<FoundFile> files;
    std::string library = name == "jvm" ? "libjvm.so" : std::string(name);
    if (library.find(".so") == library.npos || has_slash(library) || is_glob(library))
        return files;
    add_paths("/usr/lib/jvm/*/lib/server/" + library, files);
    for (pid_t pid : all_pids()) {
        auto mapped = match_mapped(library, pid, {});
        if (mapped)
            files.insert(files.end(), mapped->begin(), mapped->end());
    }
    std::set<FileId> seen;  // processes may map a file by different paths
    std::erase_if(files, [&](const FoundFile &file) {
        auto id = file_id(file.open_path);
        return !id || !seen.insert(*id).second;
    });
    return files;
}

}  // namespace uscope::proc
