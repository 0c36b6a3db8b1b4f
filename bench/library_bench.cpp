// Measures parts of the library: those that delay a tool's start, and those that run for every
// event.
#include <unistd.h>

#include <benchmark/benchmark.h>

#include "base/format.h"
#include "bpf/lib/event.h"
#include "elf/frames.h"
#include "elf/functions.h"
#include "expr/compile.h"
#include "insn/decode.h"
#include "output/rows.h"
#include "probe/build_options.h"
#include "probe/event_printer.h"
#include "probe/program.h"
#include "probe/set.h"
#include "resolve/exits.h"
#include "resolve/names.h"
#include "stacks/unwinder.h"
#include "usdt/notes.h"

using namespace uscope;

namespace {

// The starts of the functions in a file's .eh_frame.
std::vector<uint64_t> called_functions(const elf::Image &image)
{
    std::vector<uint64_t> starts;
    elf::Frames frames = elf::Frames::of(image);
    for (const elf::Segment &segment : image.segments()) {
        uint64_t at = segment.vaddr, end = at + segment.file_size;
        while (segment.executable && at < end) {
            auto frame = frames.at(at);
            if (frame && frame->is_called)
                starts.push_back(frame->start);
            at = std::max(frame ? frame->end : 0, at + 1);
        }
    }
    return starts;
}

// A large real file: 531 notes, and 60,000 functions with names in .gnu_debugdata or a debug file.
const std::string jvm = "/usr/lib/jvm/java-17-openjdk-amd64/lib/server/libjvm.so";
const std::string libc_open = "c:open(const char *path, int flags)";

template <class T>
bool works(benchmark::State &state, const Result<T> &result)
{
    if (!result)
        state.SkipWithError(result.error().text.c_str());
    return result.has_value();
}

void usdt_notes_of_libjvm(benchmark::State &state)
{
    for (auto _ : state) {
        auto image = elf::Image::open(jvm);
        if (!works(state, image) || !works(state, usdt::read_probes(*image)))
            break;
    }
}
BENCHMARK(usdt_notes_of_libjvm)->Unit(benchmark::kMicrosecond);

void find_function(benchmark::State &state, const std::string &path, const std::string &pattern)
{
    for (auto _ : state) {
        auto image = elf::Image::open(path);
        if (!works(state, image) || !works(state, elf::find_functions(*image, pattern)))
            break;
    }
}
BENCHMARK_CAPTURE(find_function, exact, jvm, "JNI_CreateJavaVM")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(find_function, glob, jvm, "JVM_*")->Unit(benchmark::kMicrosecond);

// Finds the exits of all functions, as on kernels that single-step returns. The counter: the share
// of those with a return instruction that have no stepped return.
void find_exits(benchmark::State &state, const std::string &path, spec::BranchUse use)
{
    for (auto _ : state) {
        auto image = elf::Image::open(path);
        if (!works(state, image))
            break;
        resolve::ExitFinder finder(*image, use);
        size_t returning = 0, unstepped = 0;
        for (uint64_t start : called_functions(*image)) {
            auto exits = finder.find_alone(start, 0, start);
            if (!exits || (exits->returns.empty() && exits->branches.empty()))
                continue;
            returning++;
            unstepped += exits->returns.empty();
        }
        state.counters["unstepped"] = double(unstepped) / double(returning);
    }
}

void register_find_exits()
{
    for (const char *path :
         {"/usr/bin/redis-server", "/usr/lib/postgresql/15/bin/postgres", "/usr/bin/php8.2",
          "/lib/x86_64-linux-gnu/libc.so.6", "/usr/sbin/mariadbd"}) {
        for (auto [name, use] : {std::pair("calls", spec::BranchUse{true, false, false}),
                                 std::pair("results", spec::BranchUse{true, true, false}),
                                 std::pair("memory", spec::BranchUse{true, true, true})})
            benchmark::RegisterBenchmark(
                fmt::format("find_exits/{}/{}", path, name).c_str(),
                [path, use = use](benchmark::State &state) { find_exits(state, path, use); })
                ->Unit(benchmark::kMillisecond);
    }
}
const bool are_exits_registered = (register_find_exits(), true);

void decode_libc(benchmark::State &state)
{
    auto file = proc::find_file("c");
    if (!works(state, file))
        return;
    auto image = elf::Image::open(file->open_path);
    if (!works(state, image))
        return;
    auto functions = elf::all_functions(*image);
    if (!works(state, functions))
        return;

    size_t bytes = 0;
    for (auto _ : state) {
        for (const elf::Function &function : *functions) {
            auto code = image->bytes_at(function.vaddr, function.size);
            bytes += function.size;
            while (code && !code->empty()) {
                auto instruction = insn::decode(*code);
                if (!instruction)
                    break;
                code = code->from(instruction->length);
            }
        }
    }
    state.SetBytesProcessed(bytes);
}
BENCHMARK(decode_libc)->Unit(benchmark::kMillisecond);

Result<probe::ProbeSet> build(const std::string &text)
{
    std::vector<probe::ProbeRequest> probes;
    probes.push_back(TRY(probe::parse_event(text)));
    probes[0].event_output = {expr::OutputKind::Record, "event_emit", sizeof(event_header)};
    return probe::ProbeSet::build(std::move(probes), {});
}

// Turns the text of a probe into BPF instructions; looking up its function is not measured.
void parse_and_compile(benchmark::State &state)
{
    std::string text = libc_open + " (flags > 0 && path == \"/etc/passwd\") \"%s %d\", path, flags";
    auto probes = build(text);
    if (!works(state, probes))
        return;
    for (auto _ : state) {
        auto event = probe::parse_event(text);
        expr::ProgramRequest request;
        request.scope = &probes->programs()[0]->names->scope();
        request.predicate = event->predicate.get();
        for (const probe::Value &value : event->values)
            request.outputs.push_back({value.node.get(), value.form});
        request.event_output.header_bytes = sizeof(event_header);
        if (!works(state, expr::compile(request)))
            break;
    }
}
BENCHMARK(parse_and_compile)->Unit(benchmark::kMicrosecond);

// Turns a record with a string and an integer into a line, which a tool does for every event.
void print_event(benchmark::State &state)
{
    auto probes = build(libc_open + " \"%s %d\", path, flags");
    if (!works(state, probes))
        return;
    const expr::Program::Layout &layout = probes->programs()[0]->main.layouts[0];
    std::vector<uint8_t> record(layout.record_bytes);
    event_header header = {};
    header.tgid = header.tid = getpid();
    strcpy(header.comm, "postgres");
    memcpy(record.data(), &header, sizeof(header));
    const std::string_view path = "base/16384/2619";
    expr::StringSlot slot = {int32_t(path.size()), uint32_t(path.size())};
    memcpy(&record[layout.fields[0].offset], &slot, sizeof(slot));
    memcpy(&record[layout.fields[0].offset + sizeof(slot)], path.data(), path.size());

    output::Writer writer(-1);
    probe::PrintOptions options;
    options.json = state.range(0);
    stacks::Unwinder unwinder;
    probe::EventPrinter printer(writer, options, *probes, unwinder);
    for (auto _ : state) {
        printer.print(Bytes(record.data(), record.size()));
        writer.buffer().clear();
    }
}
BENCHMARK(print_event)->ArgName("json")->Arg(false)->Arg(true);

void table_row(benchmark::State &state)
{
    output::Writer writer(-1);
    output::Table table(writer, {{"PID", 7}, {"COMM", 15}, {"US", output::right(8)}, {"PATH"}},
                        false);
    for (auto _ : state) {
        table.row({181, "postgres", 42.5, "base/16384/2619"});
        writer.buffer().clear();
    }
}
BENCHMARK(table_row);

}  // namespace
