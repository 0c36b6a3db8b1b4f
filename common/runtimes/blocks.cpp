// Finds the allocator of a program or file, and makes probes on its functions.
#include "runtimes/blocks.h"

#include <algorithm>
#include <set>

#include <fnmatch.h>

#include <bpf/bpf.h>

#include "base/format.h"
#include "bpf/runtimes/held_block.h"
#include "kernel/map.h"
#include "lang/file.h"
#include "lang/runtime.h"
#include "probe/program.h"
#include "probe/program_files.h"
#include "proc/process.h"
#include "resolve/files.h"
#include "resolve/returns.h"

namespace uscope::runtimes {
namespace {

using lang::Event;
using lang::Hook;
using lang::Role;

// The system calls that map memory. They are not in lang::c, because mappings do not count as
// objects.
struct MappingCall {
    std::string_view name;
    uint32_t size_arguments;
    std::vector<const char *> values;  // address, bytes, new bytes, flags
};
const MappingCall mapping_calls[] = {
    {"mmap", BLOCK_MAPPED, {"args->addr", "args->len", "args->len", "args->flags"}},
    {"munmap", BLOCK_UNMAPPED, {"args->addr", "args->len", "args->len", "0"}},
    {"mremap", BLOCK_REMAPPED, {"args->addr", "args->old_len", "args->new_len", "args->flags"}},
};
// Functions that return a copy of a string. Those in the C library call malloc; another allocator's
// own versions do not.
const Hook strdup_hooks[] = {{Event::Allocation, "", "strdup", {}, "strdup"},
                             {Event::Allocation, "", "strndup", {}, "strndup"}};

uint32_t size_arguments_of(const Hook &hook)
{
    std::string_view name = hook.name;
    if (name == "posix_memalign")
        return BLOCK_PLACED;
    if (name == "realloc" || name == "rallocx")
        return BLOCK_RESIZED_SECOND;
    if (name == "reallocarray")
        return BLOCK_RESIZED_PRODUCT;
    if (name == "calloc")
        return BLOCK_PRODUCT;
    if (name == "strdup" || name == "strndup")
        return BLOCK_TEXT;
    return hook.find(Role::Bytes) == std::string_view("arg2") ? BLOCK_SECOND : BLOCK_FIRST;
}

// `function`: the C function of memleak that the programs call.
expr::EventOutput output_to(const char *function)
{
    return {expr::OutputKind::Key, function, sizeof(uint64_t)};
}

Result<> add_values(probe::ProbeRequest &probe, const std::vector<const char *> &values)
{
    for (const char *value : values)
        TRY(probe.add_value(value, value));
    return {};
}

Result<probe::ProbeRequest> make_probe(const Hook &hook, const std::string &library,
                                       const std::string &prefix, bool only_result)
{
    bool is_release = hook.event == Event::Release;
    probe::ProbeRequest request;
    request.spec.kind = is_release ? spec::ProbeKind::Entry : spec::ProbeKind::Return;
    request.spec.library.text = library;
    request.spec.function.text = prefix + hook.name;
    request.spec.source =
        fmt::format("{}:{}:{}{}", is_release ? "p" : "r", library, prefix, hook.name);
    request.merge_key = is_release ? "release" : "allocation";
    request.spec.needs.may_miss_faults = is_release;
    request.event_output = output_to(is_release ? "memleak_freed" : "memleak_allocate");
    if (is_release) {
        request.event_output.header_bytes = 0;
        request.spec.needs.arguments = spec::ArgumentUse::First;
        return request;
    }
    request.event_output.checks_at_entry = true;
    request.numbers_sites = true;
    request.tail_call_function = "memleak_jump";
    request.label = *hook.kind ? hook.kind : hook.name;
    if (!only_result)
        TRY(add_values(request, {"$entry(arg2)", "$entry(arg3)"}));
    TRY(add_values(request, {"retval"}));
    request.measured = TRY(expr::parse("$entry(arg1)"));
    return request;
}

Result<> add_mapping_calls(std::vector<probe::ProbeRequest> &probes)
{
    for (const MappingCall &call : mapping_calls) {
        for (bool begins : {true, false}) {
            probe::ProbeRequest &probe = probes.emplace_back(TRY(probe::parse_event(
                fmt::format("t:syscalls:sys_{}_{}", begins ? "enter" : "exit", call.name))));
            probe.event_output =
                output_to(begins ? "memleak_mapping_begins" : "memleak_mapping_ends");
            probe.numbers_sites = begins;
            TRY(add_values(probe, begins ? call.values : std::vector{"args->ret"}));
        }
    }
    return {};
}

bool allocates_or_frees(const Hook &hook)
{
    return hook.event == Event::Allocation || hook.event == Event::Release;
}

// Is it a form of operator new or operator delete?
bool is_operator(const Hook &hook)
{
    std::string_view name = hook.name;
    return name.starts_with("_Zn") || name.starts_with("_Zd");
}

bool is_c_library(const std::string &path)
{
    std::string name = path.substr(path.rfind('/') + 1);
    return std::any_of(lang::c.libraries.begin(), lang::c.libraries.end(),
                       [&](const char *pattern) { return fnmatch(pattern, name.c_str(), 0) == 0; });
}

// Returns the strdup_hooks that an allocator other than the C library's defines itself.
std::vector<Hook> own_strdup_hooks(const lang::File &file, const std::string &path)
{
    std::vector<Hook> hooks;
    for (const Hook &hook : strdup_hooks) {
        if (!is_c_library(path) && file.function(hook.name))
            hooks.push_back(hook);
    }
    return hooks;
}

// `runtime`: the process's lang::c runtime, which names the file of each allocation function.
Result<std::vector<probe::ProbeRequest>> probes_of(const lang::Runtime &runtime, bool only_results)
{
    std::vector<probe::ProbeRequest> probes;
    auto file_of = [&](std::string_view name) {
        auto found = runtime.probes.find(fmt::format(":{}", name));
        return found == runtime.probes.end() ? std::string() : found->second;
    };
    std::string malloc_file = file_of("malloc");
    if (malloc_file.empty())
        return fail("process {} ({}): none of its files has malloc", runtime.pid,
                    proc::comm(runtime.pid));
    auto add = [&](const Hook &hook, const std::string &file) -> Result<> {
        probe::ProbeRequest &probe =
            probes.emplace_back(TRY(make_probe(hook, file, "", only_results)));
        probe.lookup.owner = runtime.pid;
        return {};
    };
    for (const Hook &hook : lang::c.hooks) {
        std::string file = file_of(hook.name);
        bool calls_malloc = is_operator(hook) && file != malloc_file;
        if (allocates_or_frees(hook) && !file.empty() && !calls_malloc)
            TRY(add(hook, file));
    }
    auto opened = TRY(resolve::find_files(malloc_file, {runtime.pid}));
    for (const Hook &hook : own_strdup_hooks(lang::File(*opened.front().image), malloc_file))
        TRY(add(hook, malloc_file));
    return probes;
}

// The file whose malloc a program will call once the tool starts it.
std::string malloc_file_of(const std::string &program)
{
    for (std::string &file : probe::files_of_program(program)) {
        auto image = elf::Image::open(file);
        if (image && lang::File(*image).function("malloc"))
            return std::move(file);
    }
    return "c";
}

Result<std::vector<probe::ProbeRequest>> probes_of_file(const BlockSource &source,
                                                        bool only_results)
{
    std::string name = source.file.empty() ? malloc_file_of(source.program) : source.file;
    auto found = TRY(resolve::find_files(name, source.pids));
    const elf::Image &image = *found.front().image;
    lang::File file(image);
    std::vector<probe::ProbeRequest> probes;
    std::set<uint64_t> known;
    auto add = [&](const Hook &hook) -> Result<> {
        auto address = file.function(source.prefix + hook.name);
        if (address && known.insert(*address).second)
            probes.push_back(TRY(make_probe(hook, name, source.prefix, only_results)));
        return {};
    };
    for (const Hook &hook : lang::c.hooks) {
        if (allocates_or_frees(hook))
            TRY(add(hook));
    }
    for (const Hook &hook : own_strdup_hooks(file, found.front().file.path))
        TRY(add(hook));
    if (!file.function(source.prefix + "malloc"))
        return fail("{} has no function {}malloc; use -O to name the file that has it", name,
                    source.prefix);
    return probes;
}

Result<std::vector<probe::ProbeRequest>> probes_of_processes(const BlockSource &source,
                                                             bool only_results)
{
    std::vector<probe::ProbeRequest> probes;
    std::set<std::pair<std::string, uint64_t>> known;  // several processes may share a file
    for (pid_t pid : source.pids) {
        auto runtime = TRY(lang::find_runtime(pid, &lang::c));
        for (probe::ProbeRequest &probe : TRY(probes_of(runtime, only_results))) {
            auto id = proc::file_id(fmt::format("/proc/{}/root{}", pid, probe.spec.library.text));
            if (known.emplace(probe.spec.source, id ? id->inode : 0).second)
                probes.push_back(std::move(probe));
        }
    }
    return probes;
}

// Returns how the function at a site gets the size of the block (BLOCK_FIRST …). The function's
// name is the last part of the site's name, after the file if it is given.
uint32_t size_arguments_at(std::string_view site_name)
{
    std::string_view function = site_name.substr(site_name.rfind(':') + 1);
    for (const Hook &hook : lang::c.hooks) {
        if (hook.event == Event::Allocation && function == hook.kind)
            return size_arguments_of(hook);
    }
    for (const Hook &hook : strdup_hooks) {
        if (function == hook.kind)
            return size_arguments_of(hook);
    }
    for (const MappingCall &call : mapping_calls) {
        if (function.ends_with(call.name))
            return call.size_arguments;
    }
    return BLOCK_FIRST;
}

Result<std::vector<probe::ProbeRequest>> find_block_probes(const BlockSource &source,
                                                           bool only_results)
{
    bool is_file = !source.file.empty() || !source.program.empty();
    if (!is_file && source.pids.empty())
        return fail("no running process matches; pass a PID");
    auto probes = TRY(is_file ? probes_of_file(source, only_results)
                              : probes_of_processes(source, only_results));
    if (source.mappings)
        TRY(add_mapping_calls(probes));
    return probes;
}

}  // namespace

Result<probe::ProbeSet> build_block_probes(const BlockSource &source,
                                           const probe::BuildOptions &build)
{
    bool by_kernel = build.returns.forced == resolve::ReturnMethod::KernelProbe;
    if (by_kernel && build.session) {
        auto probes = TRY(probe::ProbeSet::build(TRY(find_block_probes(source, true)), build));
        if (are_sessions(probes))
            return probes;
    }
    return probe::ProbeSet::build(TRY(find_block_probes(source, false)), build);
}

bool are_sessions(const probe::ProbeSet &probes)
{
    const auto &programs = probes.programs();
    return std::all_of(programs.begin(), programs.end(), [](const auto &program) {
        return !program->probe->event_output.checks_at_entry || program->main.is_session;
    });
}

Result<Fd> create_size_arguments(const probe::Program &program)
{
    // Sites are numbered from 1. A program with only one site does not know its number, and passes
    // 0.
    std::vector<uint32_t> size_arguments = {size_arguments_at(program.site_names[0])};
    for (const std::string &name : program.site_names)
        size_arguments.push_back(size_arguments_at(name));
    kernel::MapRequest request = {.name = "block_shapes",
                                  .is_hash = false,
                                  .value_bytes = sizeof(uint32_t),
                                  .entries = uint32_t(size_arguments.size()),
                                  .is_shared = true};
    Fd map = TRY(kernel::create_table(request));
    for (uint32_t site = 0; site < size_arguments.size(); site++) {
        if (bpf_map_update_elem(map.get(), &site, &size_arguments[site], BPF_ANY) != 0)
            return fail_errno("cannot fill the map of allocation functions");
    }
    return map;
}

}  // namespace uscope::runtimes
