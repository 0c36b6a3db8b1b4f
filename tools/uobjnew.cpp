// uobjnew: counts the objects that a program creates, and their bytes, in the kernel. For C and
// C++, these are the blocks allocated by malloc and similar functions.
#include "bpf/unwind/site_stacks.h"

#include <map>

#include "base/format.h"
#include "expr/record.h"
#include "kernel/map.h"
#include "kernel/object.h"
#include "output/clock.h"
#include "output/process_stacks.h"
#include "output/rank.h"
#include "output/stack_fields.h"
#include "probe/counts.h"
#include "probe/program.h"
#include "probe/setup.h"
#include "probe/stack_options.h"
#include "run/interval.h"
#include "runtimes/hooks.h"
#include "runtimes/languages.h"
#include "uobjnew.skel.h"

namespace uscope::tools::uobjnew {
namespace {

constexpr uint32_t string_bytes = 160;

struct Options {
    runtimes::Languages languages;
    run::Intervals intervals;
    std::optional<uint64_t> top_count, top_size;
    uint32_t keys = 65536;
    probe::StackOptions stacks;
};

void declare(run::Tool &tool, Options &options)
{
    tool.summary(run::Question::Memory,
                 "counts the objects that a program creates, and their bytes");
    options.languages.declare(
        tool, {runtimes::Languages::Fallback::LibC, runtimes::Languages::Words::PidAndInterval});
    tool.group("What is shown");
    tool.option('C', "top,top-count", options.top_count, "N",
                "show only the N most frequent types");
    tool.option('S', "top-size", options.top_size, "N",
                "show only the N types with the most bytes; -C takes precedence");
    options.intervals.declare(tool, {.always_time = true, .live = true});
    options.stacks.declare_keys(tool, false);
    options.stacks.declare_graphs(tool, "the bytes, else the objects,");
    tool.option(0, "keys", options.keys, "N", "count at most N distinct types (default 65536)");
    options.stacks.declare_stacks(tool, "stacks");
    tool.json_flag(options.stacks.json, "row", run::Tool::Forms::JsonAndCsv);
    tool.example("uobjnew 181", "the objects that process 181 creates, until Ctrl-C");
    tool.example("uobjnew -l java -S 10 181 5",
                 "the ten types with the most bytes, every 5 seconds");
    tool.example("uobjnew -U -S 10 181", "the stacks that create the most bytes");
    tool.example("uobjnew -l c 181", "blocks, by function and size");
}

std::optional<uint64_t> top_of(const Options &options)
{
    return options.top_count ? options.top_count : options.top_size;
}

Result<> check(Options &options)
{
    TRY(options.languages.check(&options.intervals));
    if (options.top_count == 0u || options.top_size == 0u)
        return fail_usage("-C and -S must be at least 1");
    if (options.keys == 0)
        return fail_usage("--keys must be at least 1");
    TRY(options.stacks.check_keys());
    options.intervals.live().excludes(options.stacks.folded || options.stacks.svg,
                                      "--folded or --svg");
    options.intervals.live().set_order(
        {options.top_count ? "# ALLOCS" : "# BYTES", top_of(options)});
    return options.intervals.check();
}

Result<probe::ProbeRequest> parse(const lang::Runtime &runtime, const lang::Hook &hook,
                                  bool with_bytes, bool by_stacks)
{
    using lang::Role;
    // Blocks of malloc() have no type: they are counted by size instead.
    bool is_block = runtime.language == &lang::c;
    auto request =
        TRY(runtimes::hook_request(runtime, hook, {is_block ? Role::Bytes : Role::Type}));
    if (const char *bytes = hook.find(Role::Bytes); bytes && with_bytes)
        request.measured = TRY(expr::parse(bytes));
    bool is_keyed = !request.values.empty();
    std::string function = is_block ? "uobjnew_allocate" : "uobjnew_count";
    function += by_stacks ? "_stacks" : is_keyed ? "_keyed" : "";
    request.label = runtime.kind_of(hook);
    request.event_output = {expr::OutputKind::Key, function,
                            stacks::key_header_bytes(is_keyed, by_stacks)};
    return request;
}

struct Objects {
    uint64_t count = 0, bytes = 0;
    bool has_bytes = false;
};
struct ObjectKey {
    std::string type;
    output::NamedStack stack = {};  // with -U
    auto operator<=>(const ObjectKey &) const = default;
};
using Rows = std::map<ObjectKey, Objects>;

class Report {
  public:
    Report(run::Tool &tool, const Options &options, stacks::CountedStacks &stacks)
        : tool_(tool), options_(options), stacks_(stacks)
    {
    }
    Result<> open(const probe::ProbeSet &probes);
    int map(const probe::Program &program) const { return tables_.at(&program).map.get(); }
    Result<> show();
    bool any_object() const { return any_object_; }

  private:
    struct Table {
        Fd map;
        kernel::TableReader reader;
    };
    using Order = std::vector<const Rows::value_type *>;

    Result<> take();
    output::Rows<Rows::value_type>::Fields fields(const Order &order) const;
    void print(const Order &order);
    std::vector<output::StackCount> fold(const Rows &rows) const;
    Result<> print_graph(const Rows &rows);
    // Returns the type (for C: the function and the size) in a key. nullopt: the size is so large
    // that the allocation cannot have succeeded.
    std::optional<std::string> type_of(const probe::Program &program, Bytes key) const;

    run::Tool &tool_;
    const Options &options_;
    stacks::CountedStacks &stacks_;
    std::map<const probe::Program *, Table> tables_;
    Rows rows_;       // what show() shows
    Rows whole_run_;  // for --svg
    bool any_object_ = false;
};

Result<> Report::open(const probe::ProbeSet &probes)
{
    for (const auto &program : probes.programs()) {
        const auto &layout = program->main.layouts[0];
        bool is_keyed = options_.stacks.are_keys() || !layout.fields.empty();
        kernel::MapRequest request;
        request.name = "uobjnew";
        request.is_hash = is_keyed;
        request.value_bytes = sizeof(histogram_slot);
        if (is_keyed) {
            request.key_bytes = layout.record_bytes;
            request.entries = options_.keys;
        }
        Fd map = TRY(kernel::create_table(request));
        kernel::TableReader reader(map.get(), kernel::TableReader::Holds::Slots);
        tables_.emplace(program.get(), Table{std::move(map), std::move(reader)});
    }
    TRY(options_.stacks.check_files());
    return options_.stacks.start_keys(stacks_, probes, options_.languages.processes.for_lookup());
}

std::optional<std::string> Report::type_of(const probe::Program &program, Bytes key) const
{
    const auto &fields = program.main.layouts[0].fields;
    if (fields.empty())
        return program.probe->label;
    output::Value value = expr::read_field(fields[0], key, string_bytes);
    if (value.kind == output::Value::Kind::Integer) {
        // Addresses have at most 57 bits, and half of them are the kernel's. So a process has at
        // most 2^56 bytes, and this allocation has failed.
        auto size = static_cast<uint64_t>(value.integer);
        if (size >= uint64_t(1) << 56)
            return std::nullopt;
        return fmt::format("{}: block size {}", program.probe->label, size);
    }
    if (value.kind == output::Value::Kind::Unreadable)
        return "(unreadable)";
    return std::string(value.text) + (value.truncated ? "..." : "");
}

output::Rows<Rows::value_type>::Fields Report::fields(const Order &order) const
{
    using Row = Rows::value_type;
    using output::right;
    size_t widest = 30;
    for (auto row : order)
        widest = std::max(widest, row->first.type.size());
    auto key = output::members_of(&Row::first);
    auto objects = output::members_of(&Row::second);
    auto bytes = [](const Row &row) {
        return output::Cell::when(row.second.has_bytes, row.second.bytes);
    };
    output::Rows<Row>::Fields fields = {
        {"time_ns", output::always(output::Clock::now_unix_ns())},
        {"NAME/TYPE", int(widest), "type", key(&ObjectKey::type)},
        {"# ALLOCS", right(8), "count", objects(&Objects::count)},
        {"# BYTES", right(12), "bytes", bytes},
    };
    if (options_.stacks.are_keys())
        output::add_stack_fields(fields, key(&ObjectKey::stack));
    return fields;
}

void Report::print(const Order &order)
{
    bool json = options_.stacks.json;
    std::string &out = tool_.out().buffer();
    output::Rows<Rows::value_type> rows(tool_.out(), fields(order), json);
    rows.header();
    for (auto row : order) {
        rows.add(*row);
        if (!json)
            output::append_frames(out, row->first.stack, options_.stacks.form);
    }
}

// Returns the stacks with their bytes, or with their number of objects if sizes are unknown. The
// type becomes the innermost frame.
std::vector<output::StackCount> Report::fold(const Rows &rows) const
{
    std::vector<output::StackCount> stacks;
    for (const auto &[key, objects] : rows) {
        output::NamedStack stack = key.stack;
        stack.user.insert(stack.user.begin(), key.type);
        uint64_t weight = objects.has_bytes ? objects.bytes : objects.count;
        if (weight)
            stacks.push_back(output::folded(stack, weight, options_.stacks.form));
    }
    return stacks;
}

Result<> Report::print_graph(const Rows &rows)
{
    if (options_.stacks.folded) {
        for (const output::StackCount &stack : fold(rows))
            output::append_folded(tool_.out().buffer(), stack);
        return {};
    }
    bool has_bytes = false;
    for (const auto &[key, objects] : rows) {
        Objects &all = whole_run_[key];
        all.count += objects.count;
        all.bytes += objects.bytes;
        all.has_bytes |= objects.has_bytes;
    }
    for (const auto &row : whole_run_)
        has_bytes |= row.second.has_bytes;
    return options_.stacks.draw(
        tool_, options_.languages.processes,
        {.title = "Objects created", .unit = has_bytes ? "bytes" : "objects"}, fold(whole_run_));
}

Result<> Report::take()
{
    if (!options_.intervals.shows_totals())
        rows_.clear();
    for (auto &entry : tables_) {
        const probe::Program &program = *entry.first;
        auto since = kernel::TableReader::Since::LastTime;
        TRY(entry.second.reader.take(since, [&](Bytes key, const histogram_slot &added) {
            auto type = type_of(program, key);
            if (!type)
                return;
            ObjectKey object = {std::move(*type)};
            if (options_.stacks.are_keys())
                object.stack = stacks_.name(stacks::key_stacks(key), added.count);
            Objects &objects = rows_[std::move(object)];
            objects.count += added.count;
            objects.bytes += added.sum;
            objects.has_bytes |= program.probe->measured != nullptr;
        }));
    }
    any_object_ |= !rows_.empty();
    return {};
}

Result<> Report::show()
{
    TRY(take());
    auto rank = [&](const Objects &objects) {
        return std::pair(options_.top_count ? 0 : objects.bytes, objects.count);
    };
    if (!options_.stacks.forms() && options_.intervals.repeats())
        append_format(tool_.out().buffer(), "\n[{}]\n", output::Clock::now());
    if (options_.stacks.folded || options_.stacks.svg)
        TRY(print_graph(rows_));
    else
        print(output::ranked(rows_, rank, tool_.out().max_rows(top_of(options_))));
    return {};
}

Result<std::vector<probe::ProbeRequest>> parse_all(run::Tool &tool, const Options &options,
                                                   const std::vector<lang::Runtime> &runtimes)
{
    std::vector<probe::ProbeRequest> probes;
    for (const lang::Runtime &runtime : runtimes) {
        lang::Availability available =
            lang::availability(runtime, lang::Event::Allocation, options.languages.unsafe());
        if (available.hooks.empty()) {
            return fail("{}{}", join(available.notes, "\n"),
                        runtime.language == &lang::c
                            ? ""
                            : " (-l c counts the blocks that it allocates with malloc)");
        }
        for (const std::string &note : available.notes)
            tool.note("{}", note);
        for (const lang::Hook *hook : available.hooks)
            probes.push_back(
                TRY(parse(runtime, *hook, available.has_true_bytes, options.stacks.are_keys())));
    }
    return probes;
}

// Returns why no object was seen. In C and C++, the program may have its own allocator, which does
// not call malloc().
std::string no_object(const Options &options, const std::vector<lang::Runtime> &runtimes)
{
    if (runtimes.empty() || runtimes[0].language != &lang::c)
        return "nothing was allocated";
    for (pid_t pid : options.languages.processes.for_lookup()) {
        if (auto allocator = lang::own_allocator(pid))
            return fmt::format(
                "malloc() and similar functions were not called: objects come from {}", *allocator);
    }
    return "malloc() and similar functions were not called (a program with its own allocator "
           "rarely "
           "calls them)";
}

}  // namespace

Result<> tool_main(run::Tool &tool)
{
    Options options;
    declare(tool, options);
    if (!TRY(tool.parse()))
        return {};
    TRY(check(options));
    auto runtimes = TRY(options.languages.find(lang::Event::Allocation));
    probe::BuildOptions build = probe::build_options(options.languages.processes);
    build.string_bytes = string_bytes;
    build.sleepable &= !options.stacks.are_keys();  // sleepable programs cannot use stack maps
    auto probes = TRY(probe::ProbeSet::build(TRY(parse_all(tool, options, runtimes)), build));
    if (probe::print_plan(tool, probes))
        return {};

    auto object = TRY(kernel::Object<uobjnew_bpf>::open());
    stacks::CountedStacks stacks(tool, object);
    TRY(options.stacks.prepare_keys(stacks, build.filter));
    Report report(tool, options, stacks);
    TRY(probe::run_counts(
        tool, object, probes,
        {.processes = options.languages.processes,
         .intervals = options.intervals,
         .what = "allocations in " + options.languages.traced(runtimes),
         .events = "objects",
         .full = "no room for more types (increase --keys)",
         .open = [&] { return report.open(probes); },
         .table = [&](const probe::Program &program) { return report.map(program); },
         .show = [&] { return report.show(); },
         .stacks = &stacks}));
    if (!report.any_object())
        tool.note_nothing(no_object(options, runtimes));
    return {};
}

}  // namespace uscope::tools::uobjnew
