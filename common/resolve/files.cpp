#include "resolve/files.h"

#include <optional>
#include <set>

#include "abi/operand.h"
#include "proc/maps.h"

namespace uscope::resolve {
namespace {

Result<OpenedFile> open_file(proc::FoundFile file)
{
    auto image = elf::Image::open(file.open_path);
    if (!image)
        return tl::unexpected(std::move(image.error()));
    if (abi::machine_of(image->machine()) != abi::host_machine)
        return fail("{} is for another architecture", file.path);
    return OpenedFile{std::move(file), std::make_shared<const elf::Image>(std::move(*image))};
}

}  // namespace

Result<std::vector<OpenedFile>> find_files(std::string_view name, const std::vector<pid_t> &pids)
{
    std::vector<OpenedFile> files;
    if (pids.empty()) {
        files.push_back(TRY(open_file(TRY(proc::find_file(name)))));
        return files;
    }
    std::set<proc::FileId> seen;
    std::optional<Error> first_error;
    for (pid_t pid : pids) {
        auto found = proc::find_file(name, pid);
        if (!found) {
            if (!first_error)
                first_error = found.error();
            continue;
        }
        auto id = proc::file_id(found->open_path);
        if (id && seen.insert(*id).second)
            files.push_back(TRY(open_file(std::move(*found))));
    }
    if (files.empty())
        return tl::unexpected(std::move(*first_error));
    return files;
}

Result<std::vector<OpenedFile>> mapped_files(const std::vector<pid_t> &pids)
{
    std::vector<OpenedFile> files;
    std::set<proc::FileId> seen;
    for (pid_t pid : pids) {
        for (proc::MappedObject &object : TRY(proc::mapped_objects(pid))) {
            if (!seen.insert(object.file).second)
                continue;
            // Most mapped files that are no ELF (locale archives, fonts) simply have no probes.
            auto file = open_file({object.path, object.open_path, ""});
            if (file)
                files.push_back(std::move(*file));
        }
    }
    return files;
}

}  // namespace uscope::resolve
