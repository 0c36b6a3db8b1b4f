// Tries the features of the kernel that the tools use.
#include <cerrno>
#include <cstring>

#include <bpf/bpf.h>
#include <linux/bpf.h>
#include <unistd.h>

#include "attach/attach.h"
#include "attach/close.h"
#include "attach/execute.h"
#include "attach/kprobe.h"
#include "attach/sampling.h"
#include "base/fd.h"
#include "base/format.h"
#include "btf/file.h"
#include "btf/functions.h"
#include "doctor/machine.h"
#include "kernel/attach_method.h"
#include "kernel/features.h"
#include "proc/executable.h"
#include "proc/kallsyms.h"
#include "proc/maps.h"

namespace uscope::doctor {
namespace {

// The kernel has this function for tests of BPF, and does not call it otherwise.
constexpr const char *test_function = "bpf_fentry_test1";

// The code and the semaphore of this program on which a uprobe is tried. The semaphore is in a
// section with bytes in the file, as those of USDT probes are: the kernel refuses others.
[[gnu::noinline, gnu::used]] void probed_function()
{
    asm volatile("nop\n nop\n nop\n nop\n nop");
}
[[gnu::used, gnu::section(".probes")]] volatile uint16_t probed_semaphore = 0;

// Returns the offset, in this program's file, of the byte at `address` in this process.
std::optional<uint64_t> offset_of(const std::vector<proc::Mapping> &mappings, uint64_t address)
{
    for (const proc::Mapping &mapping : mappings)
        if (mapping.is_file() && mapping.start <= address && address < mapping.end)
            return address - mapping.start + mapping.offset;
    return std::nullopt;
}

uint64_t code_word()
{
    uint64_t word = 0;
    auto address = reinterpret_cast<uintptr_t>(&probed_function);
    memcpy(&word, reinterpret_cast<const void *>(address), sizeof(word));
    asm volatile("" ::: "memory");
    return word;
}

Check absent(const char *name, const Error &error)
{
    return {name, Status::Absent, error.text};
}

Result<attach::Links> probe_itself(bool with_semaphore)
{
    auto mappings = TRY(proc::read_maps(getpid()));
    auto code = offset_of(mappings, reinterpret_cast<uintptr_t>(&probed_function));
    auto semaphore = offset_of(mappings, reinterpret_cast<uintptr_t>(&probed_semaphore));
    if (!code || !semaphore)
        return fail("this program's own code is not mapped from a file");
    Fd program = kernel::load_trivial(kernel::has_uprobe_multi() ? kernel::trace_uprobe_multi : 0);
    if (!program)
        return fail_errno("cannot load a program for uprobes");
    return attach::attach_uprobes(
        {.program = program.get(),
         .path = TRY(proc::executable_of(getpid())),
         .name = "its own code",
         .sites = {{.offset = *code, .ref_ctr_offset = with_semaphore ? *semaphore : 0}},
         .pid = getpid()});
}

Check try_uprobes()
{
    uint64_t before = code_word();
    auto links = probe_itself(false);
    if (!links)
        return {"uprobes", Status::Missing,
                fmt::format("{}; the kernel needs CONFIG_UPROBE_EVENTS", links.error().text)};
    bool is_placed = code_word() != before;
    probed_function();
    attach::close_links(std::move(*links));
    if (!is_placed)
        return {"uprobes", Status::Missing,
                "the kernel has accepted a probe on this program's code, but has not placed it"};
    return {"uprobes", Status::Ok, kernel::describe_attach_method()};
}

Check try_semaphores()
{
    auto links = probe_itself(true);
    if (!links)
        return absent("USDT semaphores", links.error());
    bool is_raised = probed_semaphore == 1;
    attach::close_links(std::move(*links));
    return {"USDT semaphores", is_raised ? Status::Ok : Status::Absent,
            is_raised ? "the kernel raises and lowers them"
                      : "the kernel does not raise them: probes that have one do not fire"};
}

Check has(const char *name, bool is, const char *otherwise)
{
    return {name, is ? Status::Ok : Status::Absent, is ? "" : otherwise};
}

Check try_bpf()
{
    if (kernel::load_trivial(0))
        return {"BPF", Status::Ok, "programs can be loaded"};
    return {"BPF", Status::Missing,
            fmt::format("cannot load a program: {}; the kernel needs CONFIG_BPF_SYSCALL and "
                        "CONFIG_BPF_EVENTS",
                        errno_text(errno))};
}

Check try_ring_buffer()
{
    Fd map(bpf_map_create(BPF_MAP_TYPE_RINGBUF, "uscope_probe", 0, 0, uint32_t(getpagesize()),
                          nullptr));
    if (map)
        return {"ring buffer", Status::Ok, "maps of this type can be created"};
    return {"ring buffer", Status::Missing,
            fmt::format("cannot create one: {}; it needs Linux 5.8", errno_text(errno))};
}

Check try_kprobes()
{
    uint64_t address = 0;
    proc::each_kernel_symbol("/proc", [&](const proc::KernelSymbol &symbol) {
        if (symbol.name == test_function)
            address = symbol.address;
    });
    if (!address)
        return {"kprobes", Status::Unknown,
                fmt::format("/proc/kallsyms shows no address of {}", test_function)};
    uint32_t type = attach::has_kprobe_multi() ? attach::trace_kprobe_multi : 0;
    Fd program = kernel::load_trivial(type);
    auto links = attach::attach_kprobes({.program = program.get(),
                                         .attach_type = type,
                                         .name = test_function,
                                         .sites = {{.address = address}}});
    if (!links)
        return absent("kprobes", links.error());
    attach::close_links(std::move(*links));
    return {"kprobes", Status::Ok, type ? "kprobe_multi links" : "a perf event for each function"};
}

Fd load_returning_0(bpf_prog_type type, bpf_prog_load_opts &options)
{
    bpf_insn insns[] = {
        {BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 0},
        {BPF_JMP | BPF_EXIT, 0, 0, 0, 0},
    };
    return Fd(bpf_prog_load(type, "uscope_probe", "GPL", insns, std::size(insns), &options));
}

Check try_fentry()
{
    auto types = btf::File::open("/sys/kernel/btf/vmlinux");
    auto function = btf::find_functions(types ? types->bytes() : Bytes(), {test_function})[0];
    if (!function)
        return {"fentry", Status::Absent, "it needs BTF; no tool depends on it"};
    LIBBPF_OPTS(bpf_prog_load_opts, options, .expected_attach_type = BPF_TRACE_FENTRY,
                .attach_btf_id = function->id);
    Fd program = load_returning_0(BPF_PROG_TYPE_TRACING, options);
    Fd link(program ? bpf_raw_tracepoint_open(nullptr, program.get()) : -1);
    if (link)
        return {"fentry", Status::Ok};
    return {"fentry", Status::Absent,
            fmt::format("{}: {}; no tool depends on it",
                        program ? "cannot attach a program" : "cannot load a program",
                        errno_text(errno))};
}

Check try_sampling()
{
    LIBBPF_OPTS(bpf_prog_load_opts, options);
    Fd program = load_returning_0(BPF_PROG_TYPE_PERF_EVENT, options);
    if (!program)
        return {"perf sampling", Status::Absent,
                fmt::format("cannot load a program: {}", errno_text(errno))};
    auto links = attach::attach_sampling(program.get(), {});
    if (!links)
        return absent("perf sampling", links.error());
    attach::close_links(std::move(*links));
    return {"perf sampling", Status::Ok, "of the CPU clock"};
}

}  // namespace

std::vector<Check> try_features()
{
    if (!may_trace()) {
        std::vector<Check> unknown;
        for (const char *name : {"BPF", "ring buffer", "uprobes", "uprobe_multi", "uprobe sessions",
                                 "USDT semaphores", "attach cookies", "sleepable programs",
                                 "instructions", "kprobes", "fentry", "perf sampling"})
            unknown.push_back({name, Status::Unknown, "cannot be tried without the privileges"});
        return unknown;
    }
    return {try_bpf(),
            try_ring_buffer(),
            try_uprobes(),
            has("uprobe_multi", kernel::has_uprobe_multi(),
                "came with Linux 6.6; the tools use tracefs and perf events"),
            has("uprobe sessions", kernel::session_calls().has_value(),
                "came with Linux 6.13 and need BTF; the tools use two programs and a map"),
            try_semaphores(),
            has("attach cookies", kernel::has_attach_cookie(),
                "came with Linux 5.15; more programs are loaded to tell sites apart"),
            has("sleepable programs", kernel::has_sleepable_uprobes(),
                "came with Linux 6.1; memory that is not resident cannot be read"),
            {"instructions", attach::are_instructions_executed() ? Status::Ok : Status::Absent,
             fmt::format("under probes, those that the kernel does not emulate are {}",
                         attach::describe_execution())},
            try_kprobes(),
            try_fentry(),
            try_sampling()};
}

}  // namespace uscope::doctor
