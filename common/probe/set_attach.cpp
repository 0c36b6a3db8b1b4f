// Loads the programs of a set and attaches them to their sites.
#include <algorithm>
#include <iterator>

#include <bpf/bpf.h>

#include "attach/attach.h"
#include "attach/close.h"
#include "attach/kprobe.h"
#include "base/fd.h"
#include "base/format.h"
#include "base/progress.h"
#include "elf/dynamic.h"
#include "elf/image.h"
#include "kernel/features.h"
#include "kernel/map.h"
#include "kernel/templates.h"
#include "probe/code_in_memory.h"
#include "probe/program.h"
#include "probe/set.h"
#include "proc/memory_limit.h"

namespace uscope::probe {

using spec::ProbeKind;

namespace {

// Returns the attach type for a program at kernel functions; 0: it is attached by perf events. Two
// programs at entry and return cannot use multi links: the entry program saves its record under the
// function's stack pointer, but since Linux 6.14, the return program of a multi link gets another
// stack pointer. And multi links cannot attach to sites inside functions.
uint32_t kprobe_type(const Program &program)
{
    if (program.entry || program.probe->spec.offset || !attach::has_kprobe_multi())
        return 0;
    return program.main.is_session ? attach::trace_kprobe_session : attach::trace_kprobe_multi;
}

uint32_t uprobe_type(const Program &program)
{
    if (!kernel::has_uprobe_multi())
        return 0;
    return program.main.is_session ? kernel::trace_uprobe_session : kernel::trace_uprobe_multi;
}

}  // namespace

namespace {

// Returns the probe as typed. If its file is a link /proc/PID/map_files/..., replaces the link by
// the path to which it leads, because the process may have ended when a message shows the label.
std::string label_of(const spec::Probe &probe)
{
    std::string label = probe.source;
    const std::string &library = probe.library.text;
    bool is_link = library.find("/map_files/") != library.npos;
    std::string path = is_link ? link_target(library).value_or("") : "";
    if (size_t at = label.find(library); !path.empty() && at != label.npos)
        label.replace(at, library.size(), path);
    return label;
}

}  // namespace

Result<> ProbeSet::load(const kernel::Templates &templates, const ProgramBindings &bindings)
{
    Work work("loading programs", programs_.size());
    size_t loaded = 0;
    Fd sampled;
    if (sampled_entries_)
        sampled = TRY(kernel::create_table(
            {.name = "uscope_sampled", .is_hash = false, .entries = sampled_entries_}));
    for (auto &program : programs_) {
        work.done(loaded++);
        ProgramBinding maps = bindings(*program);
        maps.emplace(expr::MapSlot::Sampled, sampled.get());
        bool is_tracepoint = program->group.tracepoint.has_value();
        bool is_kernel = program->group.is_kernel;
        kernel::Templates::LoadOptions options;
        options.name = program->site_names[0];
        options.label = label_of(program->probe->spec);
        options.program_type = is_tracepoint ? BPF_PROG_TYPE_TRACEPOINT : BPF_PROG_TYPE_KPROBE;
        if (!is_tracepoint)
            options.attach_type = is_kernel ? kprobe_type(*program) : uprobe_type(*program);
        bool may_sleep = sleepable_ && !is_tracepoint && !is_kernel;
        options.sleepable = may_sleep && program->main.reads_memory;
        for (const Part &part : program->parts) {
            options.site = part.site;
            program->main_fds.push_back(TRY(templates.load(program->main, maps, options)));
        }
        if (program->entry)
            options.sleepable = may_sleep && program->entry->reads_memory;
        options.label += " at entry";
        for (const Part &part : program->entry_parts) {
            options.site = part.site;
            program->entry_fds.push_back(TRY(templates.load(*program->entry, maps, options)));
        }
    }
    return {};
}

Result<> ProbeSet::fill_site_tables(int table, int exits) const
{
    for (const auto &program : programs_) {
        TRY(kernel::write_array(exits, program->first_exit, program->exits));
        for (const auto *parts : {&program->entry_parts, &program->parts}) {
            for (const Part &part : *parts) {
                for (auto [index, number] : table_entries(part)) {
                    if (bpf_map_update_elem(table, &index, &number, BPF_ANY) != 0)
                        return fail_errno("cannot fill the table of sites");
                }
            }
        }
    }
    return {};
}

namespace {

std::string describe_sites(const resolve::FileSites &file)
{
    return file.sites.size() == 1
               ? fmt::format("{} in {}", file.sites[0].name, file.file.path)
               : fmt::format("{} sites in {}", file.sites.size(), file.file.path);
}

// Returns the name of the site at this file offset.
std::string name_at(const resolve::FileSites &file, uint64_t offset)
{
    auto site = std::find_if(file.sites.begin(), file.sites.end(),
                             [&](const auto &other) { return other.file_offset == offset; });
    return site == file.sites.end() ? fmt::format("{} at {:#x}", file.file.path, offset)
                                    : site->name;
}

Result<attach::Links> attach_kernel(const Program &program, int fd, size_t file, const Sites &sites,
                                    bool is_return)
{
    attach::KprobeRequest request;
    request.program = fd;
    request.attach_type = kprobe_type(program);
    request.name = describe_sites(program.group.files[file]);
    request.is_return = is_return;
    for (const auto &site : sites)
        request.sites.push_back({site.offset, site.cookie});
    return attach::attach_kprobes(request);
}

}  // namespace

// Closes the old links first: if they were still in effect, each event would occur twice.
Result<> ProbeSet::attach_again(pid_t pid)
{
    attach::close_links(release(pid));
    return attach(pid);
}

// The process or processes that a call of attach() attaches to, and the links that it has created.
struct ProbeSet::Target {
    pid_t pid;                         // 0: all processes
    std::optional<CodeInMemory> code;  // nullopt: all processes, or memory that cannot be read
    attach::Links links = {};
    size_t copied = 0;  // sites whose code the process has copied into anonymous memory
    std::string copied_file = {};
};

FileOffsets ProbeSet::offsets() const
{
    FileOffsets all;
    for (const auto &program : programs_) {
        for (const auto *parts : {&program->entry_parts, &program->parts}) {
            for (const Part &part : *parts) {
                for (size_t i = 0; i < part.files.size() && !program->group.is_kernel; i++) {
                    auto &offsets = all[program->group.files[i].file.open_path];
                    for (const attach::UprobeSite &site : part.files[i])
                        offsets.insert(site.offset);
                }
            }
        }
    }
    return all;
}

// Is there enough memory for the breakpoints? For each page with a breakpoint, the kernel gives the
// process its own copy, which counts towards the limit of its cgroup.
Result<> ProbeSet::check_memory(pid_t pid) const
{
    constexpr uint64_t page_bytes = 4096;
    auto left = proc::memory_left(pid);
    if (!left)
        return {};
    std::set<std::pair<std::string, uint64_t>> pages;
    for (const auto &[path, offsets] : offsets()) {
        for (uint64_t offset : offsets)
            pages.emplace(path, offset / page_bytes);
    }
    uint64_t wanted = pages.size() * page_bytes;
    if (wanted <= *left)
        return {};
    return fail(
        "the probes need {} KB in process {}, but its cgroup has only {} KB left: trace fewer "
        "functions",
        wanted / 1024, pid, *left / 1024);
}

bool ProbeSet::is_mapped_in(CodeInMemory &code) const
{
    for (const auto &program : programs_) {
        for (const auto &file : program->group.files) {
            if (!file.image)
                continue;
            code.choose(file.file.open_path, *file.image);
            if (code.mapping())
                return true;
        }
    }
    return false;
}

bool ProbeSet::is_of_go() const
{
    return std::all_of(programs_.begin(), programs_.end(), [](const auto &program) {
        const auto &files = program->group.files;
        return std::all_of(files.begin(), files.end(),
                           [](const auto &file) { return file.image && file.image->is_go(); });
    });
}

Result<> ProbeSet::attach(pid_t pid)
{
    std::optional<CodeInMemory> code;
    if (pid) {
        if (auto opened = CodeInMemory::open(pid))
            code.emplace(std::move(*opened));
    }
    return attach(pid, std::move(code));
}

// Attaches the programs in such an order that those at the same site run in the order of the
// command line. At a tracepoint, the kernel first runs the program that was attached first, so
// these are attached in order; at a function, it first runs the one that was attached last, so
// these are attached in reverse order.
Result<> ProbeSet::attach(pid_t pid, std::optional<CodeInMemory> code)
{
    Target target = {pid, std::move(code)};
    Work work("attaching programs", programs_.size());
    TRY(pid ? check_memory(pid) : check_readers(offsets()));
    if (target.code)
        TRY(check_target(pid, target.code->mappings()));
    bool is_first = links_.empty();  // tracepoints are for all processes, so attach them only once
    for (auto &program : programs_) {
        if (program->group.tracepoint && is_first)
            TRY(attach_to_tracepoint(*program));
    }
    for (auto next = programs_.rbegin(); next != programs_.rend(); ++next) {
        const Program &program = **next;
        work.done(next - programs_.rbegin());
        if (program.group.tracepoint)
            continue;
        // The kernel's return probe only fires for calls that were entered after it was attached:
        // attach the entry program first, so that no return lacks the record that the entry saves.
        // Exit sites fire for all calls: attach them first, so that each call that the entry
        // program records has its exit traced. Otherwise its record would stay, and could later be
        // taken for that of another call, on a stack that has moved. Also, if an entry and an exit
        // have the same address, the entry program must run first, so it is attached last.
        bool entry_first = !program.group.is_at_exits();
        if (entry_first)
            TRY(attach_parts(program, program.entry_fds, program.entry_parts, true, target));
        TRY(attach_parts(program, program.main_fds, program.parts, false, target));
        if (!entry_first)
            TRY(attach_parts(program, program.entry_fds, program.entry_parts, true, target));
    }
    if (target.copied && target.links.empty())
        return fail("process {} runs a copy of {} in anonymous memory, which cannot be probed", pid,
                    target.copied_file);
    std::move(target.links.begin(), target.links.end(), std::back_inserter(links_[pid]));
    return {};
}

Result<> ProbeSet::attach_to_tracepoint(const Program &program)
{
    const proc::Tracepoint &tracepoint = *program.group.tracepoint;
    links_[0].push_back(TRY(attach::attach_tracepoint(
        program.main_fds[0].get(), tracepoint.id, tracepoint.category + ":" + tracepoint.name)));
    return {};
}

Result<> ProbeSet::attach_parts(const Program &program, const std::vector<Fd> &fds,
                                const std::vector<Part> &parts, bool is_entry, Target &target)
{
    for (size_t i = 0; i < parts.size(); i++)
        TRY(attach_sites(program, fds[i].get(), parts[i].files, is_entry, target));
    return {};
}

Result<attach::Links> ProbeSet::attach_user(const Program &program, int fd, size_t file,
                                            Sites sites, bool is_return, Target &target)
{
    const resolve::FileSites &of = program.group.files[file];
    if (target.code)
        target.code->choose(of.file.open_path, *of.image);
    if (of.image && elf::has_text_relocations(*of.image) &&
        !(target.code && target.code->mapping()))
        return fail(
            "{} has text relocations (DT_TEXTREL), so it can only be traced in processes that have "
            "loaded it: use -p PID",
            of.file.path);
    if (target.code) {
        std::erase_if(sites, [&](const attach::UprobeSite &site) {
            auto state = target.code->at(site.offset);
            if (state == CodeInMemory::State::Changed)
                left_out_["the program has changed them in its memory"].insert(
                    name_at(of, site.offset));
            if (state == CodeInMemory::State::Copied) {
                target.copied++;
                target.copied_file = of.file.path;
            }
            return state == CodeInMemory::State::Changed || state == CodeInMemory::State::Copied;
        });
    }
    if (sites.empty())
        return attach::Links();
    attach::UprobeRequest request;
    request.program = fd;
    request.path = of.file.open_path;
    request.name = describe_sites(of);
    request.is_return = is_return && !program.group.is_at_exits();
    request.is_session = program.main.is_session;
    request.pid = target.pid;
    request.sites = std::move(sites);
    request.on_refused = [&](const attach::UprobeSite &site) {
        left_out_["the kernel refuses probes on them"].insert(name_at(of, site.offset));
    };
    return attach::attach_uprobes(request);
}

Result<> ProbeSet::attach_sites(const Program &program, int fd, const std::vector<Sites> &files,
                                bool is_entry, Target &target)
{
    for (size_t i = 0; i < files.size(); i++) {
        if (files[i].empty() || attach::is_end_signal_pending())
            continue;
        bool is_return = !is_entry && program.probe->spec.kind == ProbeKind::Return;
        attach::Links links =
            TRY(program.group.is_kernel ? attach_kernel(program, fd, i, files[i], is_return)
                                        : attach_user(program, fd, i, files[i], is_return, target));
        std::move(links.begin(), links.end(), std::back_inserter(target.links));
    }
    return {};
}

}  // namespace uscope::probe
