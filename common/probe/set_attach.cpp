// Programs into the kernel, and to their places.
#include <algorithm>
#include <iterator>

#include <bpf/bpf.h>

#include "attach/attach.h"
#include "attach/kernel.h"
#include "attach/kprobe.h"
#include "attach/link.h"
#include "base/format.h"
#include "probe/program.h"
#include "probe/set.h"

namespace uscope::probe {

using spec::ProbeKind;

namespace {

// How the program of a kernel function is attached. Two programs meet by the stack pointer, which
// since Linux 6.14 is not the function's in what a multi link's return sees; nor has it places
// inside of functions. 0: by perf events.
uint32_t kprobe_type(const Program &program)
{
    if (program.entry || program.probe->spec.offset || !attach::has_kprobe_multi())
        return 0;
    return program.main.is_session ? attach::trace_kprobe_session : attach::trace_kprobe_multi;
}

uint32_t uprobe_type(const Program &program)
{
    if (!attach::has_uprobe_multi())
        return 0;
    return program.main.is_session ? attach::trace_uprobe_session : attach::trace_uprobe_multi;
}

}  // namespace

Result<> Set::load(const std::function<KernelSide(const Program &)> &kernel_side)
{
    for (auto &program : programs_) {
        auto [half, maps] = kernel_side(*program);
        bool is_tracepoint = program->group.tracepoint.has_value();
        bool is_kernel = program->group.is_kernel;
        attach::Template::LoadOptions options;
        options.name = program->site_names[0];
        options.label = program->probe->spec.source;
        options.program_type = is_tracepoint ? BPF_PROG_TYPE_TRACEPOINT : BPF_PROG_TYPE_KPROBE;
        if (!is_tracepoint)
            options.attach_type = is_kernel ? kprobe_type(*program) : uprobe_type(*program);
        bool may_sleep = sleepable_ && !is_tracepoint && !is_kernel;
        options.sleepable = may_sleep && program->main.reads_memory;
        for (const Part &part : program->parts) {
            options.site = part.site;
            program->main_fds.push_back(TRY(half.load(program->main, maps, options)));
        }
        if (program->entry)
            options.sleepable = may_sleep && program->entry->reads_memory;
        options.label += " at entry";
        for (const Part &part : program->entry_parts) {
            options.site = part.site;
            program->entry_fds.push_back(TRY(half.load(*program->entry, maps, options)));
        }
    }
    return {};
}

Result<> Set::fill_places(int table) const
{
    for (const auto &program : programs_) {
        for (const auto *parts : {&program->entry_parts, &program->parts}) {
            for (const Part &part : *parts) {
                for (auto [index, number] : table_entries(part)) {
                    if (bpf_map_update_elem(table, &index, &number, BPF_ANY) != 0)
                        return fail_errno("cannot fill the table of places");
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
               : fmt::format("{} places in {}", file.sites.size(), file.file.path);
}

// The name of a file's place at `offset`.
std::string name_at(const resolve::FileSites &file, uint64_t offset)
{
    auto site = std::find_if(file.sites.begin(), file.sites.end(),
                             [&](const auto &other) { return other.file_offset == offset; });
    return site == file.sites.end() ? fmt::format("{} at {:#x}", file.file.path, offset)
                                    : site->name;
}

Result<attach::Links> attach_user(const Program &program, int fd, size_t file, const Sites &sites,
                                  bool is_return, pid_t pid, std::set<std::string> &left_out)
{
    attach::UprobeRequest request;
    request.program = fd;
    request.path = program.group.files[file].file.open_path;
    request.name = describe_sites(program.group.files[file]);
    request.is_return = is_return && !program.group.is_at_exits();
    request.is_session = program.main.is_session;
    request.pid = pid;
    request.sites = sites;
    request.on_refused = [&](const attach::UprobeSite &site) {
        left_out.insert(name_at(program.group.files[file], site.offset));
    };
    return attach::attach_uprobes(request);
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

// Of several programs at one place, the kernel runs that first which was attached last; of those at a
// tracepoint, that which was attached first.
Result<> Set::attach(pid_t pid)
{
    for (auto &program : programs_) {
        if (program->group.tracepoint)
            TRY(attach_to_tracepoint(*program));
    }
    for (auto program = programs_.rbegin(); program != programs_.rend(); ++program) {
        const Program &one = **program;
        if (one.group.tracepoint)
            continue;
        // Return probes see calls that were entered since: first the entry, as a return without one is not wanted. Ways
        // out of functions are seen of all calls: they come first, so that no entry is kept whose return was not seen,
        // which another call could meet later, on a stack that has moved. And where both are one place, the entry,
        // attached last, runs first.
        bool entry_first = !one.group.is_at_exits();
        if (entry_first)
            TRY(attach_parts(one, one.entry_fds, one.entry_parts, true, pid));
        TRY(attach_parts(one, one.main_fds, one.parts, false, pid));
        if (!entry_first)
            TRY(attach_parts(one, one.entry_fds, one.entry_parts, true, pid));
    }
    return {};
}

Result<> Set::attach_to_tracepoint(const Program &program)
{
    const proc::Tracepoint &tracepoint = *program.group.tracepoint;
    links_.push_back(TRY(attach::attach_tracepoint(program.main_fds[0].get(), tracepoint.id,
                                                   tracepoint.category + ":" + tracepoint.name)));
    return {};
}

Result<> Set::attach_parts(const Program &program, const std::vector<Fd> &fds,
                           const std::vector<Part> &parts, bool is_entry, pid_t pid)
{
    for (size_t i = 0; i < parts.size(); i++)
        TRY(attach_sites(program, fds[i].get(), parts[i].files, is_entry, pid));
    return {};
}

Result<> Set::attach_sites(const Program &program, int fd, const std::vector<Sites> &files,
                           bool is_entry, pid_t pid)
{
    for (size_t i = 0; i < files.size(); i++) {
        if (files[i].empty() || attach::end_signal_waits())
            continue;
        bool is_return = !is_entry && program.probe->spec.kind == ProbeKind::Return;
        attach::Links links =
            TRY(program.group.is_kernel
                    ? attach_kernel(program, fd, i, files[i], is_return)
                    : attach_user(program, fd, i, files[i], is_return, pid, left_out_));
        std::move(links.begin(), links.end(), std::back_inserter(links_));
    }
    return {};
}

}  // namespace uscope::probe
