// Finds the files whose names match a pattern: among the files that a process maps, in the ld.so
// cache and in the file system.
#include "proc/file_pattern.h"

#include <set>

#include <glob.h>
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

// Adds the matching files that exist and are accessible.
void add_paths(const std::string &pattern, std::vector<FoundFile> &files)
{
    glob_t found = {};
    if (glob(pattern.c_str(), 0, nullptr, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++) {
            if (auto file = find_file(found.gl_pathv[i]))
                files.push_back(std::move(*file));
        }
    }
    globfree(&found);
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
