// Completes walks, names stacks when they are stored, and keeps stacks until tools have shown them.
#include "stacks/unwinder.h"

#include <deque>
#include <map>
#include <optional>
#include <unordered_map>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "attach/attach.h"
#include "bpf/unwind/unwind.h"
#include "kernel/features.h"
#include "kernel/map.h"
#include "kernel/ring.h"
#include "proc/tracefs.h"
#include "resolve/kernel_types.h"
#include "stacks/completion.h"
#include "stacks/interpreters.h"
#include "stacks/layouts.h"
#include "stacks/rules.h"
#include "symbols/process_history.h"

namespace uscope::stacks {
namespace {

constexpr uint32_t max_processes = 16384, max_named = 16384;
constexpr size_t max_missed = 65536;
// How many forgotten stacks remain for other events with the same id. This is enough: between two
// such events there are at most as many misses as fit into unwind_misses.
constexpr size_t max_forgotten = 4096;

// The tracepoint exists since Linux 5.8.
bool reports_mappings(const proc::Tracefs &tracefs)
{
    return tracefs.read("mmap", "vm_unmapped_area").has_value();
}

}  // namespace

struct Unwinder::State {
    Parts parts;
    bool is_native = false, knows_tgids = false;
    symbols::ProcessHistory *history = nullptr;
    std::optional<kernel::RingReader> reader = {};
    std::optional<Rules> rules = {};
    std::optional<Interpreters> interpreters = {};
    std::optional<Layouts> layouts = {};

    // Stacks in unwind_stacks whose names were read; stack_of() moves them to `known`.
    std::unordered_map<uint64_t, unwind::UserStack> named = {};
    std::map<uint64_t, unwind::UserStack> known = {};             // stacks read from unwind_stacks
    std::unordered_map<uint64_t, unwind::UserStack> missed = {};  // completed walks
    std::deque<uint64_t> forgotten = {};  // ids of `missed` to drop, in order
    uint64_t completed = 0;
    bool is_full = false;
    attach::Links links = {};

    void handle(Bytes record);
    void add(uint64_t id, unwind::UserStack stack)
    {
        if (missed.size() < max_missed)
            missed[id] = std::move(stack);
    }
    void name(unwind::UserStack &stack, const unwind_interpreted &interpreted, pid_t pid);
    unwind::UserStack stack_of(uint64_t id, const unwind_stack &stack);
    void renew_stacks();
};

Unwinder::Unwinder() : Unwinder(Parts{}) {}
Unwinder::Unwinder(const Parts &parts) : state_(new State{parts}) {}
Unwinder::~Unwinder() = default;

int Unwinder::fd() const
{
    return bpf_map__fd(state_->parts.misses);
}

void Unwinder::add(uint64_t id, unwind::UserStack stack)
{
    state_->add(id, std::move(stack));
}

uint64_t Unwinder::unwound_from_copies() const
{
    return state_->completed;
}

Result<> Unwinder::prepare(const MapSizes &sizes)
{
    const Parts &parts = state_->parts;
    auto tracefs = TRY(proc::Tracefs::open());
    auto freed = TRY(tracefs.read("sched", "sched_process_free"));
    *parts.config = {};
    parts.config->pidns_device = sizes.pidns_device;
    parts.config->pidns_inode = sizes.pidns_inode;
    parts.config->miss_bytes = sizes.miss_bytes;
    parts.config->copies_if_full = sizes.renews;
    parts.config->slot_mask = UNWIND_SLOTS - 1;
    state_->is_native = sizes.native;
    state_->knows_tgids = sizes.pidns_inode == 0;
    parts.config->freed_at = TRY(freed.offset_of("pid", sizeof(uint32_t)));
    auto started = TRY(tracefs.read("task", "task_newtask"));
    parts.config->child_at = TRY(started.offset_of("pid", sizeof(uint32_t)));
    parts.config->flags_at = TRY(started.offset_of("clone_flags", sizeof(uint64_t)));
    parts.config->has_task_pt_regs = kernel::has_attach_cookie() && kernel::has_type_information();
    if (!parts.config->has_task_pt_regs)
        parts.config->task_stack_at =
            resolve::kernel_member("struct task_struct", {"stack"}).value_or(0);
    if (bpf_map__set_value_size(parts.rules, Rules::bytes) != 0 ||
        bpf_map__set_max_entries(parts.layouts, max_processes) != 0 ||
        bpf_map__set_max_entries(parts.mapped, max_processes) != 0 ||
        bpf_map__set_max_entries(parts.stacks, sizes.stacks) != 0 ||
        bpf_map__set_max_entries(parts.misses, sizes.miss_bytes) != 0 ||
        bpf_map__set_max_entries(parts.sent, UNWIND_PENDING_MISSES) != 0 ||
        bpf_map__set_max_entries(parts.interpreters, UNWIND_INTERPRETERS) != 0 ||
        bpf_map__set_max_entries(parts.named, max_named) != 0 ||
        bpf_program__set_autoload(parts.fork, true) != 0 ||
        bpf_program__set_autoload(parts.exec, true) != 0 ||
        bpf_program__set_autoload(parts.free, true) != 0 ||
        bpf_program__set_autoload(parts.map, reports_mappings(tracefs)) != 0)
        return fail("the programs that walk stacks are already loaded");
    return {};
}

Result<> Unwinder::start(symbols::ProcessHistory &history, Report report)
{
    const Parts &parts = state_->parts;
    int layouts = bpf_map__fd(parts.layouts);
    state_->history = &history;
    state_->rules = TRY(Rules::open(bpf_map__fd(parts.rules), layouts));
    state_->interpreters.emplace(bpf_map__fd(parts.interpreters), layouts, history.symbols());
    if (!state_->is_native)
        history.symbols().report_unnamed(std::move(report));
    state_->layouts.emplace(layouts, history, *state_->interpreters, *state_->rules);
    state_->reader.emplace(TRY(kernel::RingReader::open(fd(), bpf_map__max_entries(parts.misses))));
    auto tracefs = TRY(proc::Tracefs::open());
    auto attach = [&](bpf_program *program, const char *category, const char *name) -> Result<> {
        auto point = TRY(tracefs.read(category, name));
        state_->links.push_back(
            TRY(attach::attach_tracepoint(bpf_program__fd(program), point.id, name)));
        return {};
    };
    TRY(attach(parts.exec, "sched", "sched_process_exec"));
    TRY(attach(parts.free, "sched", "sched_process_free"));
    TRY(attach(parts.fork, "task", "task_newtask"));
    if (bpf_program__autoload(parts.map))
        TRY(attach(parts.map, "mmap", "vm_unmapped_area"));
    if (state_->is_native)
        state_->interpreters->ignore();
    else if (state_->knows_tgids)
        state_->layouts->register_interpreted();
    return {};
}

void Unwinder::learn()
{
    if (!state_->history)
        return;
    state_->history->learn();
    if (state_->layouts)
        state_->layouts->update();
}

void Unwinder::handle_unknown_frames()
{
    if (!state_->reader)
        return;
    learn();
    symbols::ProcessHistory &history = *state_->history;
    state_->reader->drain([&](Bytes record) {
        // Every record starts with its time.
        uint64_t ts_ns = record.read<uint64_t>(0).value_or(0);
        history.learn_until(ts_ns);
        history.symbols().look_at_event(ts_ns);
        state_->handle(record);
        return true;
    });
    history.symbols().look_at_event(0);
    if (std::exchange(state_->is_full, false))
        state_->renew_stacks();
}

void Unwinder::State::handle(Bytes record)
{
    auto miss = record.read<unwind_miss>(0);
    if (auto code = record.read<unwind_code>(0); code && record.size() == sizeof(unwind_code)) {
        interpreters->add_code(*code);
    } else if (miss) {
        completed++;
        is_full |= miss->stack.end != UNWIND_MISS && parts.config->copies_if_full;
        pid_t pid = miss->shown_tgid;
        uint64_t layout = layouts->find(miss->tgid, pid);
        auto learn = [&](uint64_t pc, bool is_exact, const unwind_rule &rule) {
            if (layout)
                rules->learn(layout, pc, is_exact, rule);
        };
        auto stack = complete_walk(*miss, record.from(sizeof(unwind_miss)), *history, learn);
        name(stack, miss->interpreted, pid);
        add(miss->id, std::move(stack));
    } else if (auto kept = record.read<unwind_new_stack>(0)) {
        unwind::UserStack stack = stacks::stack_of(kept->stack, kept->interpreted);
        name(stack, kept->interpreted, pid_t(kept->tgid));
        // find() uses `named` only for stacks in the map, so it needs no more entries than the map.
        if (named.size() < bpf_map__max_entries(parts.stacks))
            named[kept->id] = std::move(stack);
    }
}

// Reads the names of what interpreters and JVMs execute in the stack.
void Unwinder::State::name(unwind::UserStack &stack, const unwind_interpreted &interpreted,
                           pid_t pid)
{
    interpreters->add_frames(stack, interpreted);
    history->symbols().name_jit_code(history->program(pid, stack.addresses), stack);
}

// Converts a stack of unwind_stacks, and reads its names unless handle() has read them.
unwind::UserStack Unwinder::State::stack_of(uint64_t id, const unwind_stack &stack)
{
    if (auto found = named.extract(id))
        return std::move(found.mapped());
    unwind_interpreted interpreted = {};
    uint64_t key = id | UNWIND_ID_INTERPRETED;
    bool is_mixed =
        stack.is_mixed && bpf_map_lookup_elem(bpf_map__fd(parts.stacks), &key, &interpreted) == 0;
    unwind::UserStack converted = stacks::stack_of(stack, interpreted);
    if (is_mixed)
        name(converted, interpreted, pid_t(interpreted.tgid));
    return converted;
}

// Empties the map of stacks. Events that are not shown yet may refer to stacks that were in it, so
// `known` keeps these until the next time.
void Unwinder::State::renew_stacks()
{
    auto stacks = kernel::read_map<uint64_t, unwind_stack>(bpf_map__fd(parts.stacks));
    if (!stacks)
        return;
    known.clear();
    for (auto &[id, stack] : *stacks)
        if (!(id & UNWIND_ID_INTERPRETED))
            known[id] = stack_of(id, stack);
    named.clear();
    for (auto &[id, stack] : *stacks)
        bpf_map_delete_elem(bpf_map__fd(parts.stacks), &id);
}

const char *Unwinder::missing(uint64_t id)
{
    if (id == UNWIND_FULL)
        return "[not kept: increase --stacks]";
    return id & UNWIND_MISSED ? "[not kept: too many were walked by the tool]"
                              : "[not walked: too many at once]";
}

void Unwinder::forget(uint64_t id)
{
    State &state = *state_;
    if (!state.missed.count(id))
        return;
    state.forgotten.push_back(id);
    if (state.forgotten.size() <= max_forgotten)
        return;
    state.missed.erase(state.forgotten.front());
    state.forgotten.pop_front();
}

const unwind::UserStack *Unwinder::find(uint64_t id)
{
    State &state = *state_;
    // Until we have learned a rule, all walks that need it miss it. So complete unread walks first,
    // even while the tool is showing a long batch of events.
    if (state.reader && !state.reader->is_empty())
        handle_unknown_frames();
    if (id & UNWIND_MISSED) {
        auto found = state.missed.find(id);
        if (found == state.missed.end())
            handle_unknown_frames();
        found = state.missed.find(id);
        return found == state.missed.end() ? nullptr : &found->second;
    }
    if (id < UNWIND_FIRST_HASH || !state.parts.stacks)
        return nullptr;
    if (auto known = state.known.find(id); known != state.known.end())
        return &known->second;
    unwind_stack stack;
    bool is_kept = bpf_map_lookup_elem(bpf_map__fd(state.parts.stacks), &id, &stack) == 0;
    if (is_kept && (stack.is_mixed || stack.jit) && !state.named.count(id))
        handle_unknown_frames();  // the kernel side sends the names before it stores the stack
    auto [entry, is_new] = state.known.try_emplace(id);
    if (is_new && is_kept)
        entry->second = state.stack_of(id, stack);
    return &entry->second;
}

}  // namespace uscope::stacks
