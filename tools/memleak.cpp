// memleak: shows the memory that a program has not freed, by the stacks that allocated it.
#include "bpf/runtimes/memleak.h"

#include <algorithm>
#include <cstring>
#include <map>

#include "attach/attach.h"
#include "base/format.h"
#include "base/named.h"
#include "base/text.h"
#include "kernel/map.h"
#include "kernel/object.h"
#include "kernel/ring.h"
#include "memleak.skel.h"
#include "output/clock.h"
#include "output/rows.h"
#include "probe/counts.h"
#include "probe/describe.h"
#include "probe/program.h"
#include "probe/setup.h"
#include "probe/stack_options.h"
#include "proc/tracefs.h"
#include "resolve/candidates.h"
#include "run/child.h"
#include "run/interval.h"
#include "run/loop.h"
#include "runtimes/block_log.h"
#include "runtimes/blocks.h"
#include "runtimes/held_blocks.h"

namespace uscope::tools::memleak {
namespace {

constexpr unsigned max_blocks = 1 << 26;
constexpr uint64_t ns_per_ms = 1'000'000;

struct Options {
    std::vector<std::string> words, command;
    run::Processes processes;
    run::Intervals intervals;
    std::string object, prefix, command_line;
    uint64_t older_ns = 500 * ns_per_ms;
    std::optional<uint64_t> every;
    run::ByteSize least = {0}, max = {UINT64_MAX};
    std::optional<run::ByteSize> sample_bytes;
    std::string sort = "size";
    probe::StackOptions stacks = {.top = 10};
    lang::HeldStyle style;
    unsigned blocks = 1 << 20;
    bool trace = false, mappings = false;

    bool samples() const { return every || sample_bytes; }
};

std::vector<std::string> sort_keys()
{
    return {"size", "count"};
}

void declare_what(run::Tool &tool, Options &options)
{
    tool.group("Which blocks");
    tool.option('z', "min-size", options.least, "BYTES", "only blocks of at least BYTES bytes");
    tool.option('Z', "max-size", options.max, "BYTES", "only blocks of at most BYTES bytes");
    tool.option('s', "sample-rate", options.every, "N",
                "sample one block in N at random; results are multiplied by N");
    tool.option(0, "sample-bytes", options.sample_bytes, "BYTES",
                "sample one block per BYTES allocated at random: all large ones, few small ones");
    tool.option('O', "obj", options.object, "FILE",
                "the library or program that has malloc (default: detected)")
        .values = resolve::library_names;
    tool.option(0, "symbols-prefix", options.prefix, "PREFIX",
                "prefix of the functions' names in that file: je_ for je_malloc");
    tool.flag(0, "mmap", options.mappings, "also memory mappings, until they are unmapped");
}

void declare(run::Tool &tool, Options &options)
{
    tool.summary(run::Question::Memory, "shows the memory that a program has not freed, by stack");
    tool.positional(options.words, "INTERVAL [COUNT]",
                    "show every INTERVAL seconds (default 5), COUNT times");
    options.processes.declare(tool);
    options.processes.declare_cgroup(tool);
    tool.option('c', "command", options.command_line, "COMMAND",
                "start and trace this program, and end it; also as -- COMMAND ARGUMENT...");
    tool.command(options.command);
    declare_what(tool, options);
    options.processes.begin_shown(tool, &options.trace, "-t");
    tool.option('T', "top", options.stacks.top, "N",
                "show the N stacks with the most (default 10)");
    tool.option(0, "sort", options.sort, "KEY", "sort by size or by count (default size)").values =
        sort_keys;
    options.stacks.declare_lines(tool);
    tool.flag('a', "show-allocs", options.style.blocks, "also show the blocks' addresses");
    tool.flag('t', "trace", options.trace, "also print a line for each block allocated or freed");
    tool.flag(0, "diff", options.style.changes, "show changes since the last time");
    options.intervals.declare(tool, {.interval = 5, .always_time = true});
    tool.flag('f', "folded", options.stacks.folded,
              "print bytes by stack in the format of flame graph scripts");
    tool.option(0, "svg", options.stacks.svg, "FILE",
                "write a flame graph of the bytes to FILE instead of text");
    tool.json_flag(options.stacks.json, "stack", run::Tool::Forms::JsonAndCsv);
    tool.group("Working");
    options.stacks.declare_stacks(tool, "stacks");
    tool.option(0, "blocks", run::InRange{options.blocks, 1, max_blocks}, "N",
                "keep at most N blocks (default 1048576)");
    probe::declare_path(tool);
    probe::declare_returns(tool, options.processes);
    tool.group(run::bcc_spellings);
    tool.option('o', "older", run::Duration{options.older_ns, ns_per_ms}, "TIME",
                "only blocks at least TIME old, such as 2s (default 500, default unit: ms)");
    tool.example("memleak -p 181", "the memory that process 181 holds, every 5 seconds");
    tool.example("memleak -p 181 --diff 60", "memory allocated and not freed within a minute");
    tool.example("memleak -p 181 --sample-bytes 64K --svg held.svg", "a flame graph from samples");
    tool.example("memleak -o 0 -d 10 -- ./program", "trace a program from its start");
}

Result<> check_samples(const Options &options)
{
    if (options.every && options.sample_bytes)
        return fail_usage("-s and --sample-bytes exclude each other");
    if (options.every == 0u || (options.sample_bytes && options.sample_bytes->bytes == 0))
        return fail_usage("-s and --sample-bytes must be at least 1");
    if ((options.every && *options.every >> 32) ||
        (options.sample_bytes && options.sample_bytes->bytes >> 32))
        return fail_usage("-s and --sample-bytes must be less than 4294967296");
    return {};
}

Result<> check(Options &options)
{
    const run::Processes &processes = options.processes;
    for (std::string_view word : split(options.command_line, ' ')) {
        if (!word.empty())
            options.command.emplace_back(word);
    }
    if (processes.empty() && options.command.empty())
        return fail_usage("specify a process: -p PID, --comm NAME, or a command after --");
    auto keys = sort_keys();
    if (std::find(keys.begin(), keys.end(), options.sort) == keys.end())
        return fail_usage("--sort must be {}, not \"{}\"", alternatives(keys), options.sort);
    if (options.least.bytes > options.max.bytes)
        return fail_usage("-z must not be greater than -Z");
    TRY(options.stacks.check());
    if (options.trace && (options.stacks.folded || options.stacks.svg))
        return fail_usage("-t excludes --folded and --svg");
    if (!options.prefix.empty() && options.object.empty())
        return fail_usage("--symbols-prefix needs -O");
    TRY(check_samples(options));
    options.style.estimated = options.samples();
    TRY(options.intervals.take_interval(options.words));
    return options.intervals.check();
}

// --- the probes ------------------------------------------------------------------------------

runtimes::BlockSource source_of(const Options &options)
{
    runtimes::BlockSource source;
    source.file = options.object;
    source.prefix = options.prefix;
    source.mappings = options.mappings;
    if (options.command.empty())
        source.pids = options.processes.for_lookup();
    else
        source.program = options.command[0];
    return source;
}

bool is_at_exits(const probe::ProbeSet &probes)
{
    const auto &programs = probes.programs();
    return std::any_of(programs.begin(), programs.end(),
                       [](const auto &program) { return program->group.is_at_exits(); });
}

Result<memleak_config> configure(const Options &options, const probe::ProbeSet &probes,
                                 const expr::ProcessFilter &filter)
{
    auto tracefs = TRY(proc::Tracefs::open());
    auto ended = TRY(tracefs.read("sched", "sched_process_free"));
    memleak_config config = {};
    config.pidns_device = filter.pidns_device;
    config.pidns_inode = filter.pidns_inode;
    config.least_bytes = options.least.bytes;
    config.max_bytes = options.max.bytes;
    config.sample_bytes = options.sample_bytes ? options.sample_bytes->bytes : 0;
    config.sample_every = options.every.value_or(0);
    config.ended_at = TRY(ended.offset_of("pid", sizeof(uint32_t)));
    config.remembers = runtimes::are_sessions(probes);
    config.mappings = options.mappings;
    config.refuses_early = config.remembers && options.samples() && !options.mappings;
    return config;
}

// --- what is shown ---------------------------------------------------------------------------

class Report {
  public:
    Report(run::Tool &tool, const Options &options, kernel::Object<memleak_bpf> &object,
           stacks::CountedStacks &stacks)
        : tool_(tool),
          options_(options),
          blocks_({.blocks = bpf_map__fd(object->maps.memleak_blocks),
                   .processes = bpf_map__fd(object->maps.memleak_processes),
                   .holes = bpf_map__fd(object->maps.memleak_holes)},
                  which(options)),
          stacks_(stacks),
          losses_(bpf_map__fd(object->maps.memleak_lost),
                  {.what = "blocks",
                   .reasons = {"no room for more blocks (increase --blocks)",
                               "no room for more processes",
                               "too many calls were under way at the same time",
                               "their address could not be read",
                               "their function jumped to another one, so its result was not seen",
                               "the buffer of -t was full (they are counted nevertheless)",
                               "no room for more ranges that were unmapped"},
                   .reported = run::Losses::Reported::AsNotCounted})
    {
    }
    // At an allocator's exit sites the leaf is the allocator itself, with a different address at
    // each exit: leave it out.
    void leave_out_leaf() { from_ = stacks::StackNamer::From::Caller; }
    Result<> show();

  private:
    using Ranked = std::vector<const lang::HeldRow *>;

    static runtimes::HeldBlocks::Which which(const Options &options);
    Result<lang::HeldByStack> take();
    void print_text(const Ranked &order);
    void print_json(const Ranked &order);
    Result<> print(const Ranked &order);

    run::Tool &tool_;
    const Options &options_;
    runtimes::HeldBlocks blocks_;
    stacks::CountedStacks &stacks_;
    run::Losses losses_;
    lang::HeldBefore before_;  // with --diff
    stacks::StackNamer::From from_ = stacks::StackNamer::From::Leaf;
};

runtimes::HeldBlocks::Which Report::which(const Options &options)
{
    runtimes::HeldBlocks::Which which;
    which.older_ns = options.older_ns;
    which.every = options.every;
    if (options.sample_bytes)
        which.sample_bytes = options.sample_bytes->bytes;
    which.each = options.style.blocks;
    which.pids = options.processes.pids;
    return which;
}

Result<lang::HeldByStack> Report::take()
{
    lang::HeldByStack rows;
    for (const auto &[key, held] : TRY(blocks_.read()))
        rows[stacks_.name(key, 0, from_)].add(held);
    if (options_.style.changes)
        before_.compare(rows);
    return rows;
}

void Report::print_text(const Ranked &order)
{
    std::string &out = tool_.out().buffer();
    append_format(out, "[{}] Top {} stacks {}:\n", output::Clock::now(), order.size(),
                  options_.style.changes ? "by what changed in outstanding allocations"
                                         : "with outstanding allocations");
    for (const lang::HeldRow *row : order)
        lang::append_text(out, *row, options_.style);
}

void Report::print_json(const Ranked &order)
{
    output::Rows<lang::HeldRow> rows(
        tool_.out(), lang::held_fields(options_.style, output::Clock::now_unix_ns()), true);
    for (const lang::HeldRow *row : order)
        rows.add(*row);
}

Result<> Report::print(const Ranked &order)
{
    if (options_.stacks.svg) {
        const char *title = options_.style.changes ? "Growth of the memory" : "Memory";
        return options_.stacks.draw(tool_, options_.processes, {.title = title, .unit = "bytes"},
                                    lang::fold_held(order));
    }
    if (options_.stacks.folded) {
        for (const auto &stack : lang::fold_held(order))
            output::append_folded(tool_.out().buffer(), stack);
    } else if (options_.stacks.json) {
        print_json(order);
    } else {
        print_text(order);
    }
    return {};
}

Result<> Report::show()
{
    lang::HeldByStack rows = TRY(take());
    // A graph of only the largest stacks would mislead.
    bool is_whole = options_.stacks.folded || options_.stacks.svg;
    TRY(print(lang::rank_held(rows, options_.sort == "count",
                              is_whole ? std::nullopt : options_.stacks.top)));
    if (!options_.stacks.forms())
        lang::append_total(tool_.out().buffer(), rows, options_.style);
    return losses_.report(tool_);
}

// --- the run ---------------------------------------------------------------------------------

Result<> prepare_maps(kernel::Object<memleak_bpf> &object, const Options &options)
{
    constexpr unsigned ring_bytes = 1 << 20;
    if (bpf_map__set_max_entries(object->maps.memleak_blocks, options.blocks) != 0)
        return fail("the maps are already created; cannot change --blocks");
    if (options.trace) {
        bpf_map__set_max_entries(object->maps.memleak_events, ring_bytes);
        object->rodata->memleak_config.wakeup_bytes = kernel::wakeup_bytes(ring_bytes);
    }
    return {};
}

// Removes a process's blocks when it execs or ends. Attach this first, or blocks of one program
// would count for the next.
Result<attach::Links> watch_ends(kernel::Object<memleak_bpf> &object)
{
    auto tracefs = TRY(proc::Tracefs::open());
    auto free = TRY(tracefs.read("sched", "sched_process_free"));
    attach::Links links;
    links.push_back(TRY(attach::attach_raw_tracepoint(bpf_program__fd(object->progs.memleak_exec),
                                                      "sched_process_exec")));
    links.push_back(TRY(attach::attach_tracepoint(bpf_program__fd(object->progs.memleak_free),
                                                  free.id, "sched:sched_process_free")));
    return links;
}

stacks::StackNamer::Style naming(const Options &options)
{
    bool is_for_scripts = options.stacks.folded || options.stacks.svg;
    stacks::StackNamer::Style style;
    style.per_process = options.processes.pids.size() != 1;
    style.comm = style.per_process || options.stacks.json || is_for_scripts;
    style.offsets = !is_for_scripts;
    style.lines = options.stacks.lines;
    return style;
}

Result<> trace(run::Tool &tool, Options &options, probe::ProbeSet &probes,
               const probe::BuildOptions &build, std::optional<run::Child> &child)
{
    auto object = TRY(kernel::Object<memleak_bpf>::open());
    object->rodata->memleak_config = TRY(configure(options, probes, build.filter));
    TRY(prepare_maps(object, options));
    stacks::CountedStacks stacks(tool, object);
    TRY(stacks.prepare(options.stacks.map_sizes(build.filter)));

    std::optional<Report> report;
    runtimes::BlockLog log(tool, options.stacks.json);
    attach::Links ends;
    std::map<const probe::Program *, Fd> shapes;
    auto open = [&]() -> Result<> {
        report.emplace(tool, options, object, stacks);
        if (is_at_exits(probes))
            report->leave_out_leaf();
        TRY(options.stacks.check_files());
        TRY(stacks.start(naming(options), build.lookup, probes.traced_inodes()));
        if (options.trace)
            TRY(log.open(object->maps.memleak_events));
        ends = TRY(watch_ends(object));
        for (const auto &program : probes.programs())
            shapes.emplace(program.get(), TRY(runtimes::create_size_arguments(*program)));
        return {};
    };
    auto begin = [&]() -> Result<> {
        stacks.learn();  // drain events of other processes, to make room in the buffer
        return child ? child->release() : Result<>();
    };
    auto show = [&] {
        if (options.trace)
            log.drain(true);
        return report->show();
    };
    auto call_ends = TRY(probe::run_counts(
        tool, object, probes,
        {.processes = options.processes,
         .intervals = options.intervals,
         .what = "allocations: " + probe::count_probes(probes),
         .open = open,
         .table = [&](const probe::Program &program) { return shapes.at(&program).get(); },
         .begin = begin,
         .listen = [&](run::Loop &loop) { return options.trace ? log.follow(loop) : Result<>(); },
         .show = show,
         .stacks = &stacks}));
    if (options.trace)
        log.drain(true);
    probe::note_call_ends(tool, call_ends);
    return {};
}

}  // namespace

Result<> tool_main(run::Tool &tool)
{
    Options options;
    declare(tool, options);
    if (!TRY(tool.parse()))
        return {};
    TRY(check(options));
    run::Processes &processes = options.processes;
    std::optional<run::Child> child;
    if (!options.command.empty()) {
        child.emplace(TRY(run::Child::start(options.command, tool.command_output())));
        processes.pids.push_back(child->pid());
    }
    TRY(processes.check());

    probe::BuildOptions build = probe::build_options(processes);
    build.sleepable = false;  // stack maps exclude sleepable programs
    if (child)                // it has not executed its program yet
        build.lookup.clear();
    auto probes = TRY(runtimes::build_block_probes(source_of(options), build));
    probe::note_limits(tool, probes, processes);
    if (probe::print_plan(tool, probes))
        return {};
    return trace(tool, options, probes, build, child);
}

}  // namespace uscope::tools::memleak
