#include "resolve/resolve.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include <elf.h>

#include "base/text.h"
#include "elf/demangle.h"
#include "elf/functions.h"
#include "go/entry.h"
#include "insn/decode.h"
#include "proc/maps.h"
#include "resolve/go_returns.h"
#include "resolve/indirect.h"
#include "resolve/kernel_functions.h"
#include "usdt/notes.h"
#include "usdt/operands.h"

namespace uscope::resolve {
namespace {

using spec::ProbeKind;

struct OpenedFile {
    proc::FoundFile file;
    std::shared_ptr<const elf::Image> image;
};

Result<OpenedFile> open_file(proc::FoundFile file)
{
    auto image = elf::Image::open(file.open_path);
    if (!image)
        return tl::unexpected(std::move(image.error()));
    if (abi::machine_of(image->machine()) != abi::host_machine)
        return fail("{} is for another architecture", file.path);
    return OpenedFile{std::move(file), std::make_shared<const elf::Image>(std::move(*image))};
}

// The files that `name` means for the processes, each once; at least one.
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

// Every file that the processes map, each once: for u::probe.
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

// The function's bytes; of one whose size is not known, those up to and with the instruction at
// `offset`.
std::optional<Bytes> code_of(const elf::Image &image, const elf::Function &function,
                             uint64_t offset)
{
    constexpr uint64_t longest_instruction = 15;
    if (function.size)
        return image.bytes_at(function.vaddr, function.size);
    for (uint64_t length = longest_instruction; length > 0; length--) {
        if (auto code = image.bytes_at(function.vaddr, offset + length))
            return code;
    }
    return std::nullopt;
}

// Checks that the probe's place is the start of an instruction that the kernel accepts. A file that
// nobody runs yet hides the kernel's refusal, and the probe would silently never fire.
Result<> check_site(const spec::Probe &probe, const elf::Image &image,
                    const elf::Function &function, uint64_t offset)
{
    if (function.size && offset >= function.size) {
        return fail_at(probe.source, probe.function.column,
                       "{} is only {} bytes long: +{:#x} is outside", function.display,
                       function.size, offset);
    }
    auto code = code_of(image, function, offset);
    if (!code)
        return fail("{}: the code of {} is not in the file", image.name(), function.display);
    bool is_x86 = image.machine() == EM_X86_64;
    constexpr uint64_t arm_instruction = 4;
    if (is_x86 ? offset && !insn::is_boundary(*code, offset).value_or(false)
               : offset % arm_instruction != 0) {
        return fail_at(probe.source, probe.function.column,
                       "{}+{:#x} is not the start of an instruction: a probe there would corrupt "
                       "the program (objdump -d shows where they start)",
                       function.display, offset);
    }
    if (!is_x86)
        return {};
    auto instruction = insn::decode(code->from(offset));
    if (!instruction || instruction->kind == insn::Kind::Refused) {
        return fail("{}: the kernel refuses a probe on the instruction at {}+{:#x}", image.name(),
                    function.display, offset);
    }
    return {};
}

Result<Site> function_site(const spec::Probe &probe, const OpenedFile &opened,
                           const elf::Function &function)
{
    const elf::Image &image = *opened.image;
    uint64_t offset = probe.offset;
    if (offset == 0 && image.machine() == EM_X86_64) {
        if (auto code = image.bytes_at(function.vaddr, function.size))
            offset = image.is_go() ? go::entry_offset(*code) : insn::entry_offset(*code);
    }
    TRY(check_site(probe, image, function, offset));

    Site site;
    site.name = elf::without_parameters(function.display);
    if (probe.offset)
        site.name += fmt::format("+{:#x}", probe.offset);
    site.function_vaddr = function.vaddr;
    site.vaddr = function.vaddr + offset;
    site.file_offset = function.file_offset + offset;
    if (probe.kind == ProbeKind::Return && image.is_go())
        site.return_offsets = TRY(go_returns(image, opened.file.path, function));
    return site;
}

Result<Site> address_site(const spec::Probe &probe, const OpenedFile &opened)
{
    const elf::Image &image = *opened.image;
    uint64_t vaddr = parse_number(probe.function.text).value_or(0) + probe.offset;
    auto offset = image.file_offset(vaddr);
    if (!offset || !image.is_executable(vaddr)) {
        return fail_at(probe.source, probe.function.column, "{} has no code at address {:#x}",
                       opened.file.path, vaddr);
    }
    Site site;
    site.name = fmt::format("{:#x}", vaddr);
    site.vaddr = site.function_vaddr = vaddr;
    site.file_offset = *offset;
    return site;
}

// What stands for an indirect function: the implementations that the processes use.
Result<std::vector<elf::Function>> implementations(const spec::Probe &probe,
                                                   const OpenedFile &opened,
                                                   const elf::Function &function,
                                                   const std::vector<pid_t> &pids)
{
    auto used = chosen_implementations(*opened.image, opened.file.open_path, function, pids);
    if (!used.empty())
        return used;
    auto names = implementation_names(*opened.image, function,
                                      {.root = opened.file.root, .path = opened.file.path});
    std::string way = pids.empty() ? "give -p PID to trace what that process uses"
                                   : "which one the process uses cannot be seen";
    if (!names.empty())
        way += fmt::format(", {}name one: {}", pids.empty() ? "or " : "", fmt::join(names, ", "));
    return fail(
        "{}:{} is an indirect function (IFUNC): {} chooses its implementation when a program "
        "starts; {}",
        probe.library.text, function.display, opened.file.path, way);
}

Result<Regex> compile_regex(const spec::Probe &probe, const spec::Piece &piece)
{
    auto regex = Regex::compile(piece.text);
    if (!regex)
        return fail_at(probe.source, piece.column, "{}", regex.error().text);
    return regex;
}

// "f()" is a C++ function without parameters, or simply f.
Result<std::vector<elf::Function>> find_functions(const spec::Probe &probe,
                                                  const OpenedFile &opened)
{
    elf::SymbolOptions options = {.root = opened.file.root, .path = opened.file.path};
    if (probe.is_regex) {
        Regex regex = TRY(compile_regex(probe, probe.function));
        auto functions = TRY(elf::find_functions(*opened.image, regex, options));
        if (functions.empty())
            return fail("no function of {} matches '{}'", opened.file.path, probe.function.text);
        return functions;
    }
    if (probe.empty_parentheses) {
        auto exact = elf::find_functions(*opened.image, probe.function.text + "()", options);
        if (exact)
            return exact;
    }
    return elf::find_functions(*opened.image, probe.function.text, options);
}

// A function that was asked for by name has to be one that can be probed; others are counted.
Result<> add_functions(const spec::Probe &probe, const OpenedFile &opened,
                       std::vector<elf::Function> functions, const std::vector<pid_t> &pids,
                       FileSites &sites, Group &group)
{
    bool single = functions.size() == 1;
    if (single && functions.front().is_indirect)
        functions = TRY(implementations(probe, opened, functions.front(), pids));
    for (const elf::Function &function : functions) {
        if (function.is_indirect) {
            group.refused++;
            continue;
        }
        auto site = function_site(probe, opened, function);
        if (site)
            sites.sites.push_back(std::move(*site));
        else if (single)
            return tl::unexpected(std::move(site.error()));
        else
            group.refused++;
    }
    return {};
}

Result<KernelMatches> find_in_kernel(const spec::Probe &probe)
{
    static const auto kernel = KernelFunctions::read({});
    if (!kernel)
        return tl::unexpected(kernel.error());
    const std::string &name = probe.function.text;
    if (probe.is_regex) {
        Regex regex = TRY(compile_regex(probe, probe.function));
        return kernel->find([&](std::string_view other) { return regex.matches(other); }, name);
    }
    if (is_glob(name))
        return kernel->find([&](std::string_view other) { return glob_match(name, other); }, name);
    return kernel->find(name);
}

// All in one group: arguments of functions are in the same places.
Result<std::vector<Group>> resolve_kernel(const spec::Probe &probe)
{
    KernelMatches found = TRY(find_in_kernel(probe));
    Group group;
    group.is_kernel = true;
    group.refused = found.refused;
    std::map<std::string, std::vector<Site>> modules;
    for (const KernelFunction &function : found.functions) {
        Site site;
        site.name = function.name;
        if (probe.offset)
            site.name += fmt::format("+{:#x}", probe.offset);
        site.function_vaddr = function.address;
        site.vaddr = function.address + probe.offset;
        modules[function.module].push_back(std::move(site));
    }
    for (auto &[module, sites] : modules) {
        std::string name = module.empty() ? "vmlinux" : module;
        group.files.push_back({{name, name}, nullptr, std::move(sites)});
    }
    return std::vector<Group>{std::move(group)};
}

Result<std::vector<Group>> resolve_functions(const spec::Probe &probe,
                                             const std::vector<pid_t> &pids)
{
    if (probe.library.text.empty())
        return resolve_kernel(probe);
    Group others, go_returns;
    go_returns.is_go_return = true;
    std::optional<Error> first_error;
    for (OpenedFile &opened : TRY(find_files(probe.library.text, pids))) {
        bool is_return = probe.kind == ProbeKind::Return, is_go = opened.image->is_go();
        Group &group = is_return && is_go ? go_returns : others;
        if (group.is_go_return)
            TRY(check_go_returns(*opened.image, opened.file.path));
        else if (is_return && opened.image->section(".gcc_except_table"))
            group.may_unwind = true;
        FileSites sites{opened.file, opened.image, {}};
        if (probe.is_address) {
            sites.sites.push_back(TRY(address_site(probe, opened)));
        } else {
            auto functions = find_functions(probe, opened);
            if (!functions) {
                if (!first_error)
                    first_error = functions.error();
                continue;
            }
            TRY(add_functions(probe, opened, std::move(*functions), pids, sites, group));
        }
        if (!sites.sites.empty())
            group.files.push_back(std::move(sites));
    }
    std::vector<Group> groups;
    for (Group *group : {&others, &go_returns}) {
        if (!group->files.empty())
            groups.push_back(std::move(*group));
    }
    if (!groups.empty())
        return groups;
    if (first_error)
        return tl::unexpected(std::move(*first_error));
    return fail("{}: no function that {} matches can be probed", probe.library.text,
                probe.function.text);
}

// Adds one location to the group whose operands are the same, or to a new one.
void add_location(std::vector<Group> &groups, const OpenedFile &opened, const usdt::Probe &probe,
                  const usdt::Location &location, abi::Machine machine)
{
    usdt::OperandContext context;
    context.machine = machine;
    context.vaddr = location.vaddr;
    context.fixed_addresses = opened.image->type() == ET_EXEC;
    context.find_object = [&](std::string_view name) {
        return elf::find_object(*opened.image, name,
                                {.root = opened.file.root, .path = opened.file.path});
    };
    std::vector<abi::Operand> operands;
    std::vector<std::string> texts;
    for (const auto &noted : usdt::parse_operands(location.arguments, context)) {
        operands.push_back(noted.operand);
        texts.emplace_back(noted.text);
    }

    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const Group &other) { return other.operands == operands; });
    if (group == groups.end()) {
        group = groups.insert(groups.end(), Group{});
        group->operands = std::move(operands);
        group->operand_texts = std::move(texts);
    }
    if (group->files.empty() || group->files.back().image != opened.image)
        group->files.push_back({opened.file, opened.image, {}});
    Site site;
    site.name = probe.name;
    site.vaddr = location.vaddr;
    site.file_offset = location.file_offset;
    site.ref_ctr_offset = probe.semaphore_offset;
    group->files.back().sites.push_back(std::move(site));
}

// Which USDT probes or tracepoints are meant, by their two names.
using IsMeant = std::function<bool(const std::string &group, const std::string &name)>;
Result<IsMeant> is_meant(const spec::Probe &probe)
{
    if (probe.is_regex) {
        auto regex = std::make_shared<Regex>(TRY(compile_regex(probe, probe.event)));
        bool alone = probe.kind == ProbeKind::Usdt;
        return IsMeant([regex, alone](const std::string &group, const std::string &name) {
            return regex->matches(group + ":" + name) || (alone && regex->matches(name));
        });
    }
    return IsMeant([&probe](const std::string &group, const std::string &name) {
        return (probe.category.text.empty() || glob_match(probe.category.text, group)) &&
               glob_match(probe.event.text, name);
    });
}

Result<std::vector<Group>> resolve_usdt(const spec::Probe &probe, const std::vector<pid_t> &pids)
{
    bool anywhere = probe.library.text.empty();
    if (anywhere && pids.empty()) {
        return fail_at(
            probe.source, 0,
            "a USDT probe without a program or library needs a process: give -p, or name the "
            "file as in u:/path/to/program:{}",
            probe.event.text);
    }
    IsMeant is_wanted = TRY(is_meant(probe));
    std::vector<OpenedFile> files =
        anywhere ? TRY(mapped_files(pids)) : TRY(find_files(probe.library.text, pids));

    std::vector<Group> groups;
    std::vector<std::string> others;
    for (const OpenedFile &opened : files) {
        auto machine = abi::machine_of(opened.image->machine());
        auto probes = usdt::read_probes(*opened.image);
        if (!probes) {
            if (anywhere)
                continue;
            return tl::unexpected(std::move(probes.error()));
        }
        for (const usdt::Probe &found : *probes) {
            std::string full = found.provider + ":" + found.name;
            if (!is_wanted(found.provider, found.name) || !machine) {
                others.push_back(probe.category.text.empty() ? found.name : full);
                continue;
            }
            for (const usdt::Location &location : found.locations)
                add_location(groups, opened, found, location, *machine);
        }
    }
    if (!groups.empty()) {
        size_t most = 0;
        for (const Group &group : groups)
            most = std::max(most, group.operands.size());
        for (Group &group : groups)
            group.most_operands = most;
        return groups;
    }

    std::string where = anywhere            ? fmt::format("process {}", pids[0])
                        : files.size() == 1 ? files[0].file.path
                                            : fmt::format("{} files", files.size());
    if (others.empty()) {
        return fail(
            "{} has no USDT probes{}", where,
            anywhere ? "" : " (tplist -l shows those of a file, tplist -p those of a process)");
    }
    std::string wanted = probe.category.text.empty() ? probe.event.text
                                                     : probe.category.text + ":" + probe.event.text;
    return fail("{} has no USDT probe {}{}", where, wanted,
                did_you_mean(near_names(wanted, others)));
}

Result<std::vector<Group>> resolve_tracepoint(const spec::Probe &probe)
{
    auto tracefs = TRY(proc::Tracefs::open());
    std::vector<std::string> names;
    if (probe.is_regex || is_glob(probe.category.text) || is_glob(probe.event.text)) {
        IsMeant is_wanted = TRY(is_meant(probe));
        for (std::string &name : TRY(tracefs.list())) {
            size_t colon = name.find(':');
            if (is_wanted(name.substr(0, colon), name.substr(colon + 1)))
                names.push_back(std::move(name));
        }
        if (names.empty())
            return fail("no tracepoint matches {}{}{}", probe.category.text,
                        probe.is_regex ? "" : ":", probe.event.text);
    } else {
        names.push_back(probe.category.text + ":" + probe.event.text);
    }

    std::vector<Group> groups;
    for (const std::string &name : names) {
        size_t colon = name.find(':');
        auto tracepoint = TRY(tracefs.read(name.substr(0, colon), name.substr(colon + 1)));
        Group group;
        Site site;
        site.name = tracepoint.name;
        group.files.push_back({{}, nullptr, {std::move(site)}});
        group.tracepoint = std::move(tracepoint);
        groups.push_back(std::move(group));
    }
    return groups;
}

}  // namespace

size_t Group::site_count() const
{
    size_t count = 0;
    for (const FileSites &file : files)
        count += file.sites.size();
    return count;
}

Result<std::vector<Group>> resolve(const spec::Probe &probe, const std::vector<pid_t> &pids)
{
    switch (probe.kind) {
    case ProbeKind::Entry:
    case ProbeKind::Return:
        return resolve_functions(probe, pids);
    case ProbeKind::Usdt:
        return resolve_usdt(probe, pids);
    case ProbeKind::Tracepoint:
        return resolve_tracepoint(probe);
    }
    return fail("unknown kind of probe");
}

}  // namespace uscope::resolve
