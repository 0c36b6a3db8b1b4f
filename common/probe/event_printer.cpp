// Prints the event records of trace.
#include "probe/event_printer.h"

#include <cstring>
#include <vector>

#include "base/format.h"
#include "base/text.h"
#include "bpf/lib/event.h"
#include "kernel/function_names.h"
#include "output/clock.h"
#include "output/json.h"
#include "output/name.h"
#include "output/rows.h"
#include "probe/program.h"
#include "probe/set.h"
#include "probe/values.h"
#include "stacks/unwinder.h"
#include "symbols/process_history.h"

namespace uscope::probe {

using output::Cell;

class EventPrinter::State {
  public:
    State(output::Writer &writer, const PrintOptions &options, const ProbeSet &probes,
          stacks::Unwinder &unwinder);

    void header() { rows_.header(); }
    symbols::ProcessHistory &history() { return history_; }
    bool print(Bytes record);

  private:
    using Stack = std::vector<std::string>;
    struct Line {
        const event_header &event;
        const Program &program;
        const Stack &user, &kernel;
    };
    output::Rows<Line>::Fields fields() const;
    void read_values(const Program &program, Bytes record, uint32_t layout);
    void make_message(const Program &program, pid_t tgid);
    void show_values(const Program &program);
    void add_frame(const symbols::Frame &frame, uint64_t address, Stack &lines) const;
    Stack user_frames(const Program &program, uint64_t id, pid_t tgid);
    Stack kernel_frames(Bytes addresses, int32_t status, uint64_t caller);

    const PrintOptions &options_;
    const ProbeSet &probes_;
    Values reader_;
    output::Clock clock_;
    output::Rows<Line> rows_;
    stacks::Unwinder &unwinder_;
    symbols::ProcessHistory history_;
    kernel::FunctionNames kernel_names_;
    std::vector<output::Value> values_;
    output::Cell goroutine_;
    std::vector<std::string> symbols_;  // texts of %K and %U
    std::string message_, arguments_, shown_;
};

EventPrinter::EventPrinter(output::Writer &writer, const PrintOptions &options,
                           const ProbeSet &probes, stacks::Unwinder &unwinder)
    : state_(std::make_unique<State>(writer, options, probes, unwinder))
{
}

EventPrinter::~EventPrinter() = default;

void EventPrinter::header()
{
    state_->header();
}

symbols::ProcessHistory &EventPrinter::history()
{
    return state_->history();
}

bool EventPrinter::print(Bytes record)
{
    return state_->print(record);
}

EventPrinter::State::State(output::Writer &writer, const PrintOptions &options,
                           const ProbeSet &probes, stacks::Unwinder &unwinder)
    : options_(options),
      probes_(probes),
      reader_(options.string_bytes),
      rows_(writer, fields(), options.json, options.raw),
      unwinder_(unwinder)
{
    if (options.lines)
        history_.symbols().read_lines();
}

namespace {

std::string_view comm_of(const event_header &event)
{
    return {event.comm, strnlen(event.comm, sizeof(event.comm))};
}

}  // namespace

// The table has the columns of BCC's trace. A JSON object contains all fields, including the
// message's values.
output::Rows<EventPrinter::State::Line>::Fields EventPrinter::State::fields() const
{
    using Field = output::Field<Line>;
    bool shows_time = options_.time_since_start || options_.wall_time;
    auto event = output::members_of([](const Line &line) -> auto & { return line.event; });
    auto user = [](const Line &line) { return output::cell_of(line.user); };
    auto kernel = [](const Line &line) { return output::cell_of(line.kernel); };
    using output::Clock;
    Clock::Form form = !options_.time_since_start ? &Clock::time_of_day
                       : options_.unix_time       ? &Clock::since_epoch
                                                  : &Clock::since_start;
    int width = options_.unix_time ? 17 : options_.time_since_start ? 8 : 15;
    auto goroutine = [this](const Line &) { return goroutine_; };
    auto function = [](const Line &line) -> Cell {
        return line.program.site_name(line.event.site);
    };
    auto has_message = [](const Line &line) {
        return line.program.probe->spec.has_format || !line.program.shown.empty();
    };
    auto message = [=, this](const Line &line) {
        return Cell::when(has_message(line), std::string_view(message_));
    };
    // make_message() has already escaped the message.
    auto safe_message = [=, this](const Line &line) {
        return has_message(line) ? Cell::safe(std::string_view(message_)) : Cell();
    };
    auto arguments = [this](const Line &) {
        return arguments_.empty() ? Cell() : Cell::json(std::string_view(arguments_));
    };
    auto shown = [this](const Line &) {
        return shown_.empty() ? Cell() : Cell::json(std::string_view(shown_));
    };
    return {
        Field::time(clock_, event(&event_header::ts_ns), form, width).in_table_if(shows_time),
        Field("CPU", 3, "cpu", event(&event_header::cpu)).in_table_if(options_.cpu),
        {"PID", 7, "pid", event(&event_header::tgid)},
        {"TID", 7, "tid", event(&event_header::tid)},
        Field("GOID", 7, "goid", goroutine).only_if(options_.goroutine),
        {"COMM", 15, "comm", event(&event_header::comm)},
        {"FUNC", 16, "func", function},
        Field("-", output::rest, "message", message, safe_message)
            .in_table_if(probes_.any_message()),
        {"args", arguments},
        {"values", shown},
        Field("user_stack", user).only_if(options_.user_stack),
        Field("kernel_stack", kernel).only_if(options_.kernel_stack),
    };
}

void EventPrinter::State::read_values(const Program &program, Bytes record, uint32_t layout)
{
    values_.clear();
    goroutine_ = {};
    if (layout < program.main.layouts.size())
        values_.swap(reader_.read(program, layout, record));
    if (!program.goroutine || values_.empty())
        return;
    if (values_.back().kind == output::Value::Kind::Integer)
        goroutine_ = values_.back().integer;
    values_.pop_back();
}

void EventPrinter::State::make_message(const Program &program, pid_t tgid)
{
    message_.clear();
    arguments_.clear();
    symbols_.clear();
    shown_.clear();
    if (!program.shown.empty())
        return show_values(program);
    if (values_.size() < program.probe->values.size() || !program.probe->spec.has_format)
        return;
    symbols_.reserve(values_.size());
    for (size_t i = 0; i < values_.size(); i++) {
        output::Value &value = values_[i];
        char conversion = program.probe->values[i].conversion;
        if ((conversion == 'K' || conversion == 'U') &&
            value.kind == output::Value::Kind::Integer) {
            auto address = uint64_t(value.integer);
            auto frame = conversion == 'K'
                             ? kernel_names_.find(address)
                             : history_.find(history_.program(tgid, {address}), address);
            symbols_.push_back(symbols::describe(frame));
            value.kind = output::Value::Kind::Text;
            value.text = symbols_.back();
        }
    }
    program.probe->message.apply(values_.data(), message_, options_.raw);
    if (options_.json)
        output::append_json_array(arguments_, values_, output::append_json_value);
}

// Shows all values of a call, for a probe without a format: "name=value, …".
void EventPrinter::State::show_values(const Program &program)
{
    size_t next = 0;
    if (options_.json)
        shown_.push_back('{');
    for (const resolve::Names::Shown &shown : program.shown) {
        output::Value value = {.text = shown.why};
        if (shown.why.empty() && next < values_.size())
            value = values_[next++];
        if (!message_.empty())
            output::append(message_, ", ");
        output::append(message_, shown.label);
        message_.push_back('=');
        output::append_value(message_, value, options_.raw);
        if (!options_.json)
            continue;
        if (shown_.size() > 1)
            shown_.push_back(',');
        output::append_json_string(shown_, shown.label);
        shown_.push_back(':');
        output::append_json_value(shown_, value);
    }
    if (options_.json)
        shown_.push_back('}');
}

void EventPrinter::State::add_frame(const symbols::Frame &frame, uint64_t address,
                                    Stack &lines) const
{
    auto add = [&](const std::string &name) {
        std::string text = options_.json ? name : output::escaped_name(name);
        lines.push_back(options_.addresses ? fmt::format("{:16x} {}", address, text) : text);
    };
    for (const symbols::Frame::Inlined &inlined : frame.inlined)
        add(symbols::describe(inlined));
    add(symbols::describe(frame));
}

// Names the frames of a user stack. At exit sites, the function itself is still the first frame:
// omits it, because with the kernel's return probe, a stack starts with the caller.
EventPrinter::State::Stack EventPrinter::State::user_frames(const Program &program, uint64_t id,
                                                            pid_t tgid)
{
    Stack lines;
    const unwind::UserStack *stack = unwinder_.find(id);
    if (!stack) {
        lines.emplace_back(id == UNWIND_NONE ? "[no stack]" : stacks::Unwinder::missing(id));
        return lines;
    }
    history_.learn_until(stack->ts_ns);
    using Start = symbols::ProcessHistory::Start;
    auto named = history_.name(history_.program(tgid, stack->addresses), *stack,
                               options_.addresses ? Start::Whole : Start::Folded);
    if (program.group.is_at_exits() && named.frames.size() > 1)
        named.frames.erase(named.frames.begin());
    for (const auto &frame : named.frames)
        add_frame(frame, frame.address, lines);
    if (!named.cut.empty())
        lines.push_back(fmt::format("[cut: {}]", named.cut));
    unwinder_.forget(id);
    return lines;
}

// Names the frames of a kernel stack. `status`: the size of `addresses` in bytes, or a negative
// errno. `caller`: the return address that belongs into the second frame, in case the kernel's walk
// has missed that frame; 0: it misses none.
EventPrinter::State::Stack EventPrinter::State::kernel_frames(Bytes addresses, int32_t status,
                                                              uint64_t caller)
{
    Stack lines;
    if (status < 0) {
        lines.push_back(fmt::format("[no stack: {}]", strerror(-status)));
        return lines;
    }
    std::vector<uint64_t> stack;
    for (size_t at = 0; at + 8 <= size_t(status); at += 8) {
        uint64_t address = addresses.read<uint64_t>(at).value_or(0);
        if (at == 8 && caller && caller != address)
            stack.push_back(caller);
        stack.push_back(address);
    }
    if (status == 8 && caller)
        stack.push_back(caller);
    auto frames = kernel_names_.find_stack(stack);
    for (size_t i = 0; i < frames.size(); i++)
        add_frame(frames[i], stack[i], lines);
    return lines;
}

bool EventPrinter::State::print(Bytes record)
{
    auto event = record.read<event_header>(0);
    if (!event || event->probe >= probes_.programs().size())
        return false;
    const Program &program = *probes_.programs()[event->probe];
    if (!contains_any(comm_of(*event), options_.name_filters))
        return false;
    read_values(program, record, event->layout);
    make_message(program, event->tgid);
    std::string_view message(message_.data(), message_.size());
    if (!contains_any(message, options_.message_filters))
        return false;

    Stack user, kernel;
    if (options_.user_stack)
        user = user_frames(program, event->user_stack, event->tgid);
    if (options_.kernel_stack)
        kernel = kernel_frames(record.from(sizeof(event_header)), event->kernel_bytes,
                               program.misses_kernel_caller() ? event->top_of_stack : 0);

    rows_.add({*event, program, user, kernel});
    if (!options_.json && (options_.user_stack || options_.kernel_stack)) {
        for (const auto *lines : {&kernel, &user}) {
            for (const std::string &line : *lines)
                rows_.line("        " + line);
        }
        rows_.line("");
    }
    return true;
}

}  // namespace uscope::probe
