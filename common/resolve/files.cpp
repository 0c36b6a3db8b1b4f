// Opens files by name or pattern, for each process.
#include "resolve/files.h"

#include <algorithm>
#include <optional>
#include <set>

#include "abi/operand.h"
#include "base/format.h"
#include "base/text.h"
#include "elf/functions.h"
#include "proc/file_pattern.h"
#include "proc/maps.h"

namespace uscope::resolve {
Result<OpenedFile> open_file(proc::FoundFile file)
{
    auto image = elf::Image::open(file.open_path);
    if (!image)
        return Failure(std::move(image.error()));
    if (abi::machine_of(image->machine()) != abi::host_machine)
        return fail("{} is for another architecture", file.path);
    return OpenedFile{std::move(file), std::make_shared<const elf::Image>(std::move(*image))};
}

elf::SymbolOptions symbol_options(const proc::FoundFile &file)
{
    return {.root = file.root, .path = file.path, .download = elf::Download::Yes};
}

std::string without_debug(const OpenedFile &opened)
{
    const proc::FoundFile &file = opened.file;
    std::string details =
        elf::describe_debug_search(*opened.image, file.path, file.root, elf::Download::Yes);
    return fmt::format("{} has no debug information{}", file.path,
                       details.empty() ? "" : fmt::format(" ({})", details));
}

std::string_view short_name(std::string_view name)
{
    if (name.starts_with("lib"))
        name.remove_prefix(3);
    return name.substr(0, name.find(".so"));
}

namespace {

// These libraries are part of libc since glibc 2.34; their own files are empty and rarely mapped.
bool is_merged(std::string_view library)
{
    constexpr std::string_view names[] = {"pthread", "dl", "rt", "util", "anl"};
    return std::find(std::begin(names), std::end(names), library) != std::end(names);
}

Result<OpenedFile> open_library(std::string_view name, std::optional<pid_t> pid)
{
    auto found = proc::find_file(name, pid);
    auto opened = found ? open_file(std::move(*found)) : Failure(found.error());
    std::string_view library = short_name(name);
    if (!is_merged(library))
        return opened;
    std::string placeholder = fmt::format("__lib{}_version_placeholder", library);
    if (opened && !elf::find_functions(*opened->image, placeholder, {.demangle = false}))
        return opened;
    auto libc = proc::find_file("c", pid);
    return libc ? open_file(std::move(*libc)) : std::move(opened);
}

// Collects files, each once. Ignores files that are not programs or libraries of this architecture,
// such as locale archives, fonts and scripts: they have no probes.
class Matching {
  public:
    void add(std::vector<proc::FoundFile> found)
    {
        for (proc::FoundFile &file : found) {
            auto id = proc::file_id(file.open_path);
            if (!id || !seen_.insert(*id).second)
                continue;
            if (auto opened = open_file(std::move(file)))
                files_.push_back(std::move(*opened));
        }
    }
    std::vector<OpenedFile> take() { return std::move(files_); }

  private:
    std::set<proc::FileId> seen_;
    std::vector<OpenedFile> files_;
};

Result<std::vector<OpenedFile>> matching_files(std::string_view pattern,
                                               const std::vector<pid_t> &pids)
{
    Matching matching;
    if (pids.empty())
        matching.add(TRY(proc::match_files(pattern)));
    for (pid_t pid : pids) {
        if (pid != later_processes)
            matching.add(TRY(proc::match_files(pattern, pid)));
    }
    auto files = matching.take();
    if (files.empty())
        return fail("no {}program or library matches {}", pids.empty() ? "" : "mapped ", pattern);
    return files;
}

}  // namespace

Result<std::vector<OpenedFile>> find_files(std::string_view name, const std::vector<pid_t> &pids)
{
    if (is_glob(name))
        return matching_files(name, pids);
    std::vector<OpenedFile> files;
    if (pids.empty()) {
        auto opened = open_library(name, std::nullopt);
        if (opened) {
            files.push_back(std::move(*opened));
            return files;
        }
        Matching matching;
        matching.add(proc::find_unlisted(name));
        files = matching.take();
        return files.empty() ? Failure(opened.error()) : Result<std::vector<OpenedFile>>(files);
    }
    std::set<proc::FileId> seen;
    std::optional<Error> first_error;
    for (pid_t pid : pids) {
        auto opened =
            open_library(name, pid == later_processes ? std::nullopt : std::optional(pid));
        if (!opened) {
            if (!first_error)
                first_error = opened.error();
            continue;
        }
        auto id = proc::file_id(opened->file.open_path);
        if (id && seen.insert(*id).second)
            files.push_back(std::move(*opened));
    }
    if (files.empty())
        return Failure(std::move(*first_error));
    return files;
}

}  // namespace uscope::resolve
