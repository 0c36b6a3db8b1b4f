// Programs into the kernel, and to their places.
#include <algorithm>
#include <iterator>

#include <linux/bpf.h>

#include "attach/kernel.h"
#include "attach/kprobe.h"
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
        options.program_type = is_tracepoint ? BPF_PROG_TYPE_TRACEPOINT : BPF_PROG_TYPE_KPROBE;
        if (!is_tracepoint)
            options.attach_type = is_kernel ? kprobe_type(*program) : uprobe_type(*program);
        bool may_sleep = sleepable_ && !is_tracepoint && !is_kernel;
        options.sleepable = may_sleep && program->main.reads_memory;
        program->main_fd = TRY(half.load(program->main, maps, options));
        if (program->entry) {
            options.sleepable = may_sleep && program->entry->reads_memory;
            program->entry_fd = TRY(half.load(*program->entry, maps, options));
        }
    }
    return {};
}

namespace {

// The return instructions of functions, under the cookies that `entries` have.
std::vector<attach::UprobeSite> return_sites(const resolve::FileSites &file,
                                             const std::vector<attach::UprobeSite> &entries)
{
    std::vector<attach::UprobeSite> returns;
    for (size_t i = 0; i < entries.size(); i++) {
        for (uint64_t offset : file.sites[i].return_offsets)
            returns.push_back({offset, 0, entries[i].cookie});
    }
    return returns;
}

}  // namespace

namespace {

std::string describe_sites(const resolve::FileSites &file)
{
    return file.sites.size() == 1
               ? fmt::format("{} in {}", file.sites[0].name, file.file.path)
               : fmt::format("{} places in {}", file.sites.size(), file.file.path);
}

// Sites of a file are numbered from behind `cookie` on, if they have to be told apart.
uint64_t next_cookie(const Program &program, uint64_t cookie)
{
    return cookie + (program.site_names.size() > 1);
}

}  // namespace

Result<> Set::attach(pid_t pid)
{
    for (auto &program : programs_) {
        if (const auto &tracepoint = program->group.tracepoint) {
            links_.push_back(
                TRY(attach::attach_tracepoint(program->main_fd.get(), tracepoint->id,
                                              tracepoint->category + ":" + tracepoint->name)));
        } else if (program->group.is_kernel) {
            TRY(attach_kernel(*program));
        } else {
            TRY(attach_user(*program, pid));
        }
    }
    return {};
}

void Set::keep(attach::Links links)
{
    std::move(links.begin(), links.end(), std::back_inserter(links_));
}

Result<> Set::attach_user(const Program &program, pid_t pid)
{
    uint64_t cookie = 0;
    for (const auto &file : program.group.files) {
        attach::UprobeRequest request;
        request.program = program.main_fd.get();
        request.path = file.file.open_path;
        request.name = describe_sites(file);
        request.is_return =
            program.probe->spec.kind == ProbeKind::Return && !program.group.is_go_return;
        request.is_session = program.main.is_session;
        request.pid = pid;
        for (const auto &site : file.sites) {
            cookie = next_cookie(program, cookie);
            request.sites.push_back({site.file_offset, site.ref_ctr_offset, cookie});
        }
        if (program.entry) {  // first the entry: a return without one is not wanted
            attach::UprobeRequest entry = request;
            entry.program = program.entry_fd.get();
            entry.is_return = false;
            keep(TRY(attach::attach_uprobes(entry)));
        }
        if (program.group.is_go_return)
            request.sites = return_sites(file, request.sites);
        keep(TRY(attach::attach_uprobes(request)));
    }
    return {};
}

Result<> Set::attach_kernel(const Program &program)
{
    uint64_t cookie = 0;
    for (const auto &file : program.group.files) {
        attach::KprobeRequest request;
        request.program = program.main_fd.get();
        request.attach_type = kprobe_type(program);
        request.name = describe_sites(file);
        request.is_return = program.probe->spec.kind == ProbeKind::Return;
        for (const auto &site : file.sites) {
            cookie = next_cookie(program, cookie);
            request.sites.push_back({site.vaddr, cookie});
        }
        if (program.entry) {
            attach::KprobeRequest entry = request;
            entry.program = program.entry_fd.get();
            entry.is_return = false;
            keep(TRY(attach::attach_kprobes(entry)));
        }
        keep(TRY(attach::attach_kprobes(request)));
    }
    return {};
}

}  // namespace uscope::probe
