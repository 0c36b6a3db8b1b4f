#include "probe/event_printer.h"

#include <cstring>

#include "lib/event.h"
#include "output/escape.h"

namespace uscope::probe {

EventPrinter::EventPrinter(output::Writer &writer, const PrintOptions &options, const Set &probes)
    : options_(options),
      probes_(probes),
      reader_(options.string_bytes),
      table_(writer, columns(options, probes), options.json, options.raw)
{
}

// BCC's columns; JSON has all of them, and the values besides the message.
std::vector<output::Column> EventPrinter::columns(const PrintOptions &options, const Set &probes)
{
    std::vector<output::Column> columns;
    if (options.json)
        columns.push_back({.title = "TIME_NS"});
    else if (options.time_since_start || options.wall_time)
        columns.push_back({.title = "TIME", .width = options.unix_time ? 17 : 8});
    if (options.cpu || options.json)
        columns.push_back({.title = "CPU", .width = 3});
    columns.push_back({.title = "PID", .width = 7});
    columns.push_back({.title = "TID", .width = 7});
    if (options.goroutine)
        columns.push_back({.title = "GOID", .width = 7, .json = "goroutine"});
    columns.push_back({.title = "COMM", .width = 15});
    columns.push_back({.title = "FUNC", .width = 16});
    columns.push_back({.title = probes.any_message() ? "-" : "", .json = "message"});
    if (options.json) {
        for (const char *key : {"args", "user_stack", "kernel_stack"})
            columns.push_back({.title = key});
    }
    return columns;
}

void EventPrinter::make_time(uint64_t ts_ns)
{
    time_.clear();
    if (options_.time_since_start && options_.unix_time) {
        clock_.append_unix(time_, ts_ns);
    } else if (options_.time_since_start) {
        clock_.append_since_start(time_, ts_ns);
        time_.resize(std::min<size_t>(time_.size(), 8));
    } else if (options_.wall_time) {
        clock_.append_time_of_day(time_, ts_ns);
    }
}

void EventPrinter::read_values(const Program &program, Bytes record, uint32_t layout)
{
    values_.clear();
    goroutine_ = {};
    if (layout < program.main.layouts.size())
        values_ = reader_.read(program, layout, record);
    if (!program.goroutine || values_.empty())
        return;
    if (values_.back().kind == output::Value::Kind::Integer)
        goroutine_ = values_.back().integer;
    values_.pop_back();
}

void EventPrinter::make_message(const Program &program, pid_t tgid)
{
    message_.clear();
    arguments_.clear();
    symbols_.clear();
    if (values_.size() < program.probe->values.size() || !program.probe->spec.has_format)
        return;
    symbols_.reserve(values_.size());
    for (size_t i = 0; i < values_.size(); i++) {
        output::Value &value = values_[i];
        char conversion = program.probe->conversions[i];
        if ((conversion == 'K' || conversion == 'U') &&
            value.kind == output::Value::Kind::Integer) {
            auto frame = conversion == 'K' ? kernel_symbols_.find(value.integer)
                                           : user_symbols_.find(tgid, value.integer);
            symbols_.push_back(stack::describe(frame));
            value.kind = output::Value::Kind::Text;
            value.text = symbols_.back();
        }
    }
    program.probe->format.apply(values_.data(), message_, options_.raw);
    if (options_.json) {
        arguments_.push_back('[');
        for (const output::Value &value : values_) {
            if (arguments_.size() > 1)
                arguments_.push_back(',');
            output::append_json_value(arguments_, value);
        }
        arguments_.push_back(']');
    }
}

// `caller`: the frame that the kernel's walk may have missed behind the first; 0: none.
std::vector<std::string> EventPrinter::frames(Bytes addresses, int32_t status, bool is_user,
                                              pid_t tgid, uint64_t caller)
{
    std::vector<std::string> lines;
    if (status < 0) {
        lines.push_back(fmt::format("[no stack: {}]", strerror(-status)));
        return lines;
    }
    auto add = [&](uint64_t address) {
        using Code = stack::UserSymbols::Code;
        auto code = lines.empty() ? Code::Instruction : Code::Return;
        auto frame =
            is_user ? user_symbols_.find(tgid, address, code) : kernel_symbols_.find(address);
        std::string text = output::escaped(stack::describe(frame));
        lines.push_back(options_.addresses ? fmt::format("{:16x} {}", address, text) : text);
    };
    for (size_t at = 0; at + 8 <= size_t(status); at += 8) {
        uint64_t address = addresses.read<uint64_t>(at).value_or(0);
        if (at == 8 && caller && caller != address)
            add(caller);
        add(address);
    }
    if (status == 8 && caller)
        add(caller);
    return lines;
}

output::Cell EventPrinter::stack_cell(const std::vector<std::string> &frames,
                                      fmt::memory_buffer &json)
{
    json.clear();
    json.push_back('[');
    for (const std::string &frame : frames) {
        if (json.size() > 1)
            json.push_back(',');
        output::append_json_string(json, frame);
    }
    json.push_back(']');
    return output::Cell::json({json.data(), json.size()});
}

namespace {

// Is the probe at the first or at return instructions of functions, where the return address is on
// top of the stack?
bool is_outside_frames(const Program &program)
{
    if (program.group.is_at_exits())
        return true;
    const spec::Probe &spec = program.probe->spec;
    return spec.kind == spec::ProbeKind::Entry && !program.group.is_kernel && !spec.offset &&
           !spec.is_address;
}

}  // namespace

bool EventPrinter::print(Bytes record)
{
    auto event = record.read<event_header>(0);
    if (!event || event->probe >= probes_.programs().size())
        return false;
    const Program &program = *probes_.programs()[event->probe];
    std::string_view comm(event->comm, strnlen(event->comm, sizeof(event->comm)));
    if (comm.find(options_.name_filter) == comm.npos)
        return false;
    read_values(program, record, event->layout);
    make_message(program, event->tgid);
    std::string_view message(message_.data(), message_.size());
    if (message.find(options_.message_filter) == message.npos)
        return false;

    std::vector<std::string> user, kernel;
    size_t offset = sizeof(event_header);
    if (options_.user_stack) {
        user = frames(record.from(offset), event->user_bytes, true, event->tgid,
                      is_outside_frames(program) ? event->top_of_stack : 0);
        offset += EVENT_STACK_BYTES;
    }
    if (options_.kernel_stack)
        kernel = frames(record.from(offset), event->kernel_bytes, false, event->tgid,
                        program.misses_kernel_caller() ? event->top_of_stack : 0);

    cells_.clear();
    make_time(event->ts_ns);
    if (options_.json)
        cells_.push_back(clock_.unix_ns(event->ts_ns));
    else if (options_.time_since_start || options_.wall_time)
        cells_.push_back(std::string_view(time_.data(), time_.size()));
    if (options_.cpu || options_.json)
        cells_.push_back(event->cpu);
    cells_.push_back(event->tgid);
    cells_.push_back(event->tid);
    if (options_.goroutine)
        cells_.push_back(goroutine_);
    cells_.push_back(comm);
    cells_.push_back(program.site_name(event->site));
    // The message was made safe when it was formatted.
    output::Cell text(message);
    text.shown = message;
    cells_.push_back(program.probe->spec.has_format ? text : output::Cell());
    if (options_.json) {
        cells_.push_back(arguments_.size()
                             ? output::Cell::json({arguments_.data(), arguments_.size()})
                             : output::Cell());
        cells_.push_back(options_.user_stack ? stack_cell(user, user_json_) : output::Cell());
        cells_.push_back(options_.kernel_stack ? stack_cell(kernel, kernel_json_) : output::Cell());
    }
    table_.row(cells_);
    if (!options_.json && (options_.user_stack || options_.kernel_stack)) {
        for (const auto *lines : {&kernel, &user}) {
            for (const std::string &line : *lines)
                table_.line("        " + line);
        }
        table_.line("");
    }
    return true;
}

}  // namespace uscope::probe
