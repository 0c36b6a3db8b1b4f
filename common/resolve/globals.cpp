// Resolves the names of variables that are not a function's own: of the traced file, of a thread,
// of another file (@LIBRARY:NAME).
//
// Where the traced file is loaded is known by the address of the running instruction. Where another
// one is, the maps of the processes that -p names say.
#include <elf.h>

#include <algorithm>

#include "base/format.h"
#include "elf/dynamic.h"
#include "elf/variables.h"
#include "proc/maps.h"
#include "resolve/files.h"
#include "resolve/names.h"
#include "resolve/operand.h"
#include "resolve/thread_memory.h"

namespace uscope::resolve {
namespace {

// Without debug information, integers have the symbol's size, and 8 bytes may be a pointer.
Result<types::TypeRef> type_of(std::string_view name, const elf::Variable &variable,
                               const dwarf::Debug *debug)
{
    if (types::TypeRef type = debug ? debug->variable_type(name, variable.vaddr) : nullptr)
        return type;
    uint64_t size = variable.size;
    if (size != 1 && size != 2 && size != 4 && size != 8)
        return fail("{}: its type is not known without debug information (it has {} bytes)", name,
                    size);
    return size == 8 ? untyped() : types::integer_type(size, true);
}

// Returns what to add to the addresses in the file.
std::optional<uint64_t> bias_in(pid_t pid, const OpenedFile &opened)
{
    auto objects = proc::mapped_objects(pid);
    auto code = std::find_if(opened.image->segments().begin(), opened.image->segments().end(),
                             [](const elf::Segment &segment) { return segment.executable; });
    if (!objects || code == opened.image->segments().end())
        return std::nullopt;
    for (const proc::MappedObject &object : *objects) {
        auto address = proc::is_same_file(opened.file.open_path, object.file)
                           ? object.address_of(code->offset)
                           : std::nullopt;
        if (address)
            return *address - code->vaddr;
    }
    return std::nullopt;
}

// Returns the address in the program of its copy of a library's variable; nullopt if it has none.
// The copy may have another name.
std::optional<uint64_t> copied_at(const elf::Image &program, const OpenedFile &library,
                                  uint64_t vaddr)
{
    for (const auto &[name, address] : elf::copied_variables(program))
        if (elf::find_object(*library.image, name) == vaddr)
            return address;
    return std::nullopt;
}

// Returns where a variable of the file is in each of the processes. Sets `own` if no process has a
// copy of it in its program.
Result<expr::ProcessGlobal> copies_of(std::string_view name, const OpenedFile &opened,
                                      uint64_t vaddr, const std::vector<pid_t> &pids, bool &own)
{
    expr::ProcessGlobal global;
    own = true;
    for (pid_t pid : pids) {
        std::string path = fmt::format("/proc/{}/exe", pid);
        OpenedFile program = TRY(open_file({.path = path, .open_path = path}));
        auto copy = copied_at(*program.image, opened, vaddr);
        own &= !copy;
        auto bias = bias_in(pid, copy ? program : opened);
        if (!bias)
            return fail("{}: process {} has not loaded {}", name, pid, opened.file.path);
        global.copies.push_back({uint32_t(pid), *bias + copy.value_or(vaddr)});
    }
    return global;
}

}  // namespace

Names::Found Names::find_global(std::string_view name)
{
    constexpr size_t max_sites = 64;  // the program compares with the address of each one
    if (group_.is_kernel || group_.files.size() != 1 || !group_.files[0].image || is_go_ ||
        name.empty() || name[0] == '$')
        return std::nullopt;
    const FileSites &file = group_.files[0];
    auto found = elf::find_variable(*file.image, name, symbol_options(file.file));
    if (!found)
        return find_of_thread(name);
    if (entry_.code.size() > max_sites)
        return fail("{}: {} functions are traced; with a variable at most {} can be", name,
                    entry_.code.size(), max_sites);
    types::TypeRef type = TRY(type_of(name, *found, debug()));
    if (bool own = true; !group_.processes.empty() && file.image->type() == ET_DYN) {
        auto copies = copies_of(name, {file.file, file.image}, found->vaddr, group_.processes, own);
        if (copies && !own)
            return expr::Variable{type, *copies};
    }
    return expr::Variable{type, expr::Global{found->vaddr}};
}

Names::Found Names::find_of_thread(std::string_view name)
{
    const FileSites &file = group_.files[0];
    auto found = elf::find_thread_variable(*file.image, name);
    if (!found)
        return std::nullopt;
    auto distance = thread_distance(*file.image, found->vaddr);
    if (!distance)
        return fail("{}: {}", name, distance.error().text);
    return expr::Variable{TRY(type_of(name, *found, debug())),
                          expr::ThreadWord{TRY(thread_pointer_at()), *distance, {}}};
}

// "@c:environ"
Names::Found Names::find_elsewhere(std::string_view name)
{
    size_t colon = name.find(':');
    std::string_view library = name.substr(1, colon - 1), variable = name.substr(colon + 1);
    const std::vector<pid_t> &pids = group_.processes;
    auto files = find_files(library, pids);
    auto is_anywhere = [&](std::string_view path) {
        return fail("{}: each process may load {} elsewhere: select processes by -p, without -F",
                    name, path);
    };
    if (!files && pids.empty())
        return is_anywhere(library);
    if (!files)
        return fail("{}: {}", name, files.error().text);
    if (files->size() != 1)
        return fail("{}: the processes have different files of this name", name);
    const OpenedFile &opened = (*files)[0];
    auto id = proc::file_id(opened.file.open_path);
    bool is_traced = id && group_.files.size() == 1 && !group_.is_kernel &&
                     proc::file_id(group_.files[0].file.open_path) == id;
    if (auto own = is_traced ? TRY(find_global(variable)) : std::nullopt)
        return own;
    auto found = elf::find_variable(*opened.image, variable, symbol_options(opened.file));
    if (!found && elf::find_thread_variable(*opened.image, variable))
        return fail("{}: it is a variable of a thread, which is known in the traced file only",
                    name);
    if (!found)
        return fail("{} has no variable {}", opened.file.path, variable);
    if (pids.empty())
        return is_anywhere(opened.file.path);
    bool own = true;
    expr::ProcessGlobal global = TRY(copies_of(name, opened, found->vaddr, pids, own));
    other_debug_.push_back(open_debug({.file = opened.file, .image = opened.image, .sites = {}}));
    return expr::Variable{TRY(type_of(variable, *found, other_debug_.back().get())), global};
}

}  // namespace uscope::resolve
