// uobjnew: which objects a program makes, how many and how large - counted in the kernel. Of C and
// C++: the blocks that it takes from malloc and its relatives.
#include <map>

#include "attach/map.h"
#include "attach/object.h"
#include "expr/record.h"
#include "output/clock.h"
#include "output/rank.h"
#include "output/rows.h"
#include "probe/kernel_maps.h"
#include "probe/lost_counts.h"
#include "probe/setup.h"
#include "run/interval.h"
#include "runtimes/languages.h"
#include "runtimes/rows.h"
#include "uobjnew.skel.h"

using namespace uscope;

namespace {

constexpr uint32_t string_bytes = 160;

struct Options {
    runtimes::Languages languages;
    run::Intervals intervals;
    std::optional<uint64_t> top_count, top_size;
    uint32_t keys = 65536;
    bool json = false;
};

void declare(run::Tool &tool, Options &options)
{
    tool.summary("counts the objects that a program makes, and their bytes");
    options.languages.declare(
        tool, {runtimes::Languages::Else::C, runtimes::Languages::Words::PidAndInterval});
    tool.group("What is shown");
    tool.option('C', "top-count", options.top_count, "N", "only the N most frequent types");
    tool.option('S', "top-size", options.top_size, "N", "only the N types with the most bytes");
    options.intervals.declare(tool, {.always_time = true});
    tool.option(0, "keys", options.keys, "N", "most different types that are counted (65536)");
    tool.flag(0, "json", options.json, "one JSON object a row");
    tool.example("uobjnew 181", "the objects that process 181 makes, until Ctrl-C");
    tool.example("uobjnew -l java -S 10 181 5", "the ten types that take most, every 5 seconds");
    tool.example("uobjnew -l c 181", "blocks, by function and size");
}

Result<> check(Options &options)
{
    TRY(options.languages.check(&options.intervals));
    if (options.top_count && options.top_size)
        return fail_usage("-C and -S both choose the rows: give one");
    if (options.top_count == 0u || options.top_size == 0u)
        return fail_usage("-C 0 and -S 0 would show nothing: give at least 1");
    if (options.keys == 0)
        return fail_usage("--keys 0 has no place for any type");
    return options.intervals.check();
}

Result<probe::Parsed> parse(const lang::Runtime &runtime, const lang::Row &row, bool with_bytes)
{
    using lang::Role;
    // A block has no other type than its size.
    bool is_block = runtime.language == &lang::c;
    auto parsed = TRY(runtimes::parse_row(runtime, row, {is_block ? Role::Bytes : Role::Type}));
    if (const char *bytes = row.find(Role::Bytes); bytes && with_bytes)
        parsed.measured = TRY(expr::parse(bytes));
    const char *function = is_block                ? "uobjnew_allocate_keyed"
                           : parsed.values.empty() ? "uobjnew_count"
                                                   : "uobjnew_count_keyed";
    parsed.label = runtime.what(row);
    parsed.delivery = {expr::Sink::Key, function, sizeof(uint64_t)};
    return parsed;
}

struct Objects {
    uint64_t count = 0, bytes = 0;
    bool has_bytes = false;
};
using Rows = std::map<std::string, Objects>;  // by type

class Report {
  public:
    Report(run::Tool &tool, const Options &options, int lost_map)
        : tool_(tool),
          options_(options),
          lost_(probe::lost_counts(lost_map, options.json, "objects",
                                   "no place for more types (--keys makes it)"))
    {
    }
    Result<> open(const probe::Set &probes);
    int map(const probe::Program &program) const { return tables_.at(&program).map.get(); }
    Result<> show();
    bool any_object() const { return any_object_; }

  private:
    struct Table {
        Fd map;
        attach::TableReader reader;
    };
    void print(const std::vector<const Rows::value_type *> &order);
    // Nothing for what cannot have become an object.
    std::optional<std::string> type_of(const probe::Program &program, Bytes key) const;

    run::Tool &tool_;
    const Options &options_;
    std::map<const probe::Program *, Table> tables_;
    run::Losses lost_;
    bool any_object_ = false;
};

Result<> Report::open(const probe::Set &probes)
{
    for (const auto &program : probes.programs()) {
        const auto &layout = program->main.layouts[0];
        bool is_keyed = !layout.fields.empty();
        attach::MapRequest request;
        request.name = "uobjnew";
        request.is_hash = is_keyed;
        request.value_bytes = sizeof(histogram_slot);
        if (is_keyed) {
            request.key_bytes = layout.record_bytes;
            request.entries = options_.keys;
        }
        Fd map = TRY(attach::create_table(request));
        attach::TableReader reader(map.get(), attach::TableReader::Holds::Slots);
        tables_.emplace(program.get(), Table{std::move(map), std::move(reader)});
    }
    return {};
}

std::optional<std::string> Report::type_of(const probe::Program &program, Bytes key) const
{
    const auto &fields = program.main.layouts[0].fields;
    if (fields.empty())
        return program.probe->label;
    output::Value value = expr::read_field(fields[0], key, string_bytes);
    if (value.kind == output::Value::Kind::Integer) {
        // Every allocator refuses more than PTRDIFF_MAX; so a row says that there is no block.
        auto size = static_cast<int64_t>(value.integer);
        if (size < 0)
            return std::nullopt;
        return fmt::format("{}: block size {}", program.probe->label, size);
    }
    if (value.kind == output::Value::Kind::Unreadable)
        return "(unreadable)";
    return std::string(value.text) + (value.truncated ? "..." : "");
}

void Report::print(const std::vector<const Rows::value_type *> &order)
{
    using output::Cell;
    using Row = Rows::value_type;
    uint64_t now_ns = output::Clock::now_unix_ns();
    size_t widest = 30;
    for (auto row : order)
        widest = std::max(widest, row->first.size());
    output::Rows<Row>::Fields fields = {
        {.key = "time_ns", .value = [=](const Row &) { return now_ns; }},
        {.title = "NAME/TYPE",
         .width = int(widest),
         .key = "type",
         .value = [](const Row &row) { return Cell(row.first); }},
        {.title = "# ALLOCS",
         .width = 8,
         .right = true,
         .key = "count",
         .value = [](const Row &row) { return row.second.count; }},
        {.title = "# BYTES",
         .width = 12,
         .right = true,
         .key = "bytes",
         .value = [](const Row &row) {
             return Cell::when(row.second.has_bytes, row.second.bytes);
         }}};
    output::Rows<Row> rows(tool_.out(), std::move(fields), options_.json);
    rows.header();
    for (auto row : order)
        rows.add(*row);
}

Result<> Report::show()
{
    Rows rows;
    for (auto &entry : tables_) {
        const probe::Program &program = *entry.first;
        auto since = attach::TableReader::Since::LastTime;
        TRY(entry.second.reader.take(since, [&](Bytes key, const histogram_slot &added) {
            auto type = type_of(program, key);
            if (!type)
                return;
            Objects &objects = rows[*type];
            objects.count += added.count;
            objects.bytes += added.sum;
            objects.has_bytes |= program.probe->measured != nullptr;
        }));
    }
    any_object_ |= !rows.empty();
    auto rank = [&](const Objects &objects) {
        return std::pair(options_.top_count ? 0 : objects.bytes, objects.count);
    };
    auto order =
        output::ranked(rows, rank, options_.top_count ? options_.top_count : options_.top_size);

    if (!options_.json && options_.intervals.repeats())
        fmt::format_to(fmt::appender(tool_.out().buffer()), "\n[{}]\n", output::Clock::now());
    print(order);
    return lost_.tell(tool_);
}

Result<std::vector<probe::Parsed>> parse_all(run::Tool &tool, const Options &options,
                                             const std::vector<lang::Runtime> &runtimes)
{
    std::vector<probe::Parsed> probes;
    for (const lang::Runtime &runtime : runtimes) {
        lang::Offer offered =
            lang::offer(runtime, lang::Event::Allocation, options.languages.unsafe);
        if (offered.rows.empty()) {
            return fail("{}{}", fmt::join(offered.notes, "\n"),
                        runtime.language == &lang::c
                            ? ""
                            : " (-l c counts the blocks that it takes from malloc)");
        }
        for (const std::string &note : offered.notes)
            tool.note("{}", note);
        for (const lang::Row *row : offered.rows)
            probes.push_back(TRY(parse(runtime, *row, offered.has_true_bytes)));
    }
    return probes;
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
    auto probes = TRY(probe::Set::build(TRY(parse_all(tool, options, runtimes)), build));
    if (probe::shows_plan(tool, probes))
        return {};

    auto object = TRY(attach::Object<uobjnew_bpf>::open());
    std::map<std::string, attach::Template> templates;
    for (auto [function, program] :
         {std::pair("uobjnew_count", object->progs.uobjnew_count_template),
          std::pair("uobjnew_count_keyed", object->progs.uobjnew_count_keyed_template),
          std::pair("uobjnew_allocate_keyed", object->progs.uobjnew_allocate_keyed_template)})
        templates.emplace(function, attach::Template(program, {function}));
    probe::KernelMaps maps(object);
    TRY(maps.prepare(probes, options.languages.processes));
    TRY(object.load());

    Report report(tool, options, bpf_map__fd(object->maps.table_lost));
    TRY(report.open(probes));
    auto following =
        TRY(maps.attach(probes, options.languages.processes, [&](const probe::Program &program) {
            return probe::KernelMaps::Linkage{templates.at(program.probe->delivery.function),
                                              expr::MapSlot::Table, report.map(program)};
        }));
    if (!options.json) {
        fmt::format_to(fmt::appender(tool.out().buffer()),
                       "Tracing allocations in {}... Ctrl-C to quit.\n",
                       options.languages.traced(runtimes));
        tool.out().flush();
    }
    TRY(options.intervals.run(tool, options.languages.processes.targets(following),
                              [&] { return report.show(); }));
    if (!report.any_object())
        tool.note_nothing("nothing was allocated");
    return {};
}
