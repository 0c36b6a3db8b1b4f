// Completes walks from copies of stacks, and keeps rules, layouts and interpreters in the kernel's
// maps.
#include "stacks/unwinder.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sys/mman.h>

#include "attach/attach.h"
#include "attach/kernel.h"
#include "attach/map.h"
#include "attach/ring.h"
#include "base/format.h"
#include "base/recording.h"
#include "bpf/unwind/unwind.h"
#include "lang/interpreter.h"
#include "lang/memory.h"
#include "proc/tracefs.h"
#include "resolve/kernel_types.h"
#include "symbols/process_history.h"
#include "symbols/symbolize.h"
#include "unwind/unwinding.h"

namespace uscope::stacks {
namespace {

constexpr size_t rules_bytes = UNWIND_SLOTS * sizeof(unwind_slot);
constexpr uint64_t most_rules = UNWIND_SLOTS / 2;
constexpr uint32_t most_processes = 16384, most_named = 16384;

// The offset of a member in struct task_struct; 0: unknown.
uint32_t task_offset(const std::vector<std::string> &members)
{
    return resolve::kernel_member("struct task_struct", members).value_or(0);
}

// The tracepoint exists since Linux 5.8.
bool reports_mappings(const proc::Tracefs &tracefs)
{
    return tracefs.read("mmap", "vm_unmapped_area").has_value();
}

using Layouts = std::vector<std::pair<uint32_t, uint64_t>>;

uint64_t shifted(uint64_t number)
{
    return number << UNWIND_LAYOUT_SHIFT;
}

}  // namespace

class Unwinder::State {
  public:
    explicit State(const Parts &parts) : parts_(parts) {}

    Result<> prepare(const MapSizes &sizes);
    Result<> start(symbols::ProcessHistory &history, Report report);
    void learn();
    int fd() const { return bpf_map__fd(parts_.misses); }
    void handle_unknown_frames();
    const unwind::UserStack *find(uint64_t id);
    void forget(uint64_t id);
    void add(uint64_t id, unwind::UserStack stack)
    {
        if (missed_.size() < most_missed)
            missed_[id] = std::move(stack);
    }
    uint64_t answered() const { return answered_; }

  private:
    static constexpr size_t most_missed = 65536;
    // This is enough, because between two events with the same id there are at most as many misses
    // as fit into unwind_misses.
    static constexpr size_t most_forgotten = 4096;

    void answer(Bytes record);
    void move_changed();
    void introduce_known();
    uint64_t free_index();
    void answer_kept(const unwind_kept &kept);
    void answer_code(const unwind_code &code);
    void name(unwind::UserStack &stack, const unwind_interpreted &interpreted, pid_t pid);
    void add_interpreted(unwind::UserStack &stack, const unwind_interpreted &interpreted);
    static void add_jit_frames(unwind::UserStack &stack, const unwind_interpreted &interpreted);
    static unwind::UserStack addresses_of(const unwind_stack &stack);
    unwind::UserStack stack_of(uint64_t id, const unwind_stack &stack);
    uint64_t interpreter_of(pid_t pid);
    void report_unknown();
    uint64_t interpreter_index(const symbols::UserSymbols::FoundInterpreter &found);
    uint64_t layout_of(uint32_t tgid, pid_t pid);
    uint64_t introduce(uint32_t tgid, pid_t pid);
    uint64_t new_number();
    uint64_t number_of(uint64_t hash);
    void set_layout(uint32_t tgid, pid_t pid, uint64_t number);
    std::vector<uint64_t> layouts_in_use() const;
    void learn(uint64_t key, const unwind_rule &rule);
    void drop_rules();
    void renew_stacks();

    Parts parts_;
    struct Unmap {
        void operator()(unwind_slot *slots) const { munmap(slots, rules_bytes); }
    };
    std::unique_ptr<unwind_slot[], Unmap> slots_;  // the memory of unwind_rules
    symbols::ProcessHistory *history_ = nullptr;
    Report report_;
    std::set<std::string> reported_;
    std::optional<attach::RingReader> reader_;

    std::unordered_map<uint64_t, uint64_t> numbers_;  // layout numbers by the layouts' hashes
    uint64_t last_number_ = 0;
    uint64_t rules_kept_ = 0;

    std::vector<lang::LoadedInterpreter> described_;  // [i] is entry i + 1 of unwind_interpreters
    uint32_t thread_pointer_at_ = 0;                  // offset in task_struct; 0: not known yet
    bool native_ = false, knows_tgids_ = false;
    lang::CodeNames code_names_;

    // Stacks in unwind_stacks whose names were read; stack_of() moves them to known_.
    std::unordered_map<uint64_t, unwind::UserStack> interpreted_;

    std::unordered_map<uint64_t, unwind::UserStack> missed_;  // completed walks
    std::deque<uint64_t> forgotten_;                          // ids of `missed_` to drop, in order
    std::map<uint64_t, unwind::UserStack> known_;             // of unwind_stacks
    uint64_t answered_ = 0;
    bool is_full_ = false;
    attach::Links links_;
};

Unwinder::Unwinder() : Unwinder(Parts{}) {}
Unwinder::Unwinder(const Parts &parts) : state_(std::make_unique<State>(parts)) {}
Unwinder::~Unwinder() = default;

Result<> Unwinder::prepare(const MapSizes &sizes)
{
    return state_->prepare(sizes);
}

Result<> Unwinder::start(symbols::ProcessHistory &history, Report report)
{
    return state_->start(history, std::move(report));
}

void Unwinder::learn()
{
    state_->learn();
}

int Unwinder::fd() const
{
    return state_->fd();
}

void Unwinder::handle_unknown_frames()
{
    state_->handle_unknown_frames();
}

const unwind::UserStack *Unwinder::find(uint64_t id)
{
    return state_->find(id);
}

void Unwinder::forget(uint64_t id)
{
    state_->forget(id);
}

void Unwinder::add(uint64_t id, unwind::UserStack stack)
{
    state_->add(id, std::move(stack));
}

uint64_t Unwinder::answered() const
{
    return state_->answered();
}

Result<> Unwinder::State::prepare(const MapSizes &sizes)
{
    auto tracefs = TRY(proc::Tracefs::open());
    auto freed = TRY(tracefs.read("sched", "sched_process_free"));
    *parts_.config = {};
    parts_.config->pidns_device = sizes.pidns_device;
    parts_.config->pidns_inode = sizes.pidns_inode;
    parts_.config->miss_bytes = sizes.miss_bytes;
    parts_.config->copies_if_full = sizes.renews;
    parts_.config->slot_mask = UNWIND_SLOTS - 1;
    native_ = sizes.native;
    knows_tgids_ = sizes.pidns_inode == 0;
    parts_.config->freed_at = TRY(freed.offset_of("pid", sizeof(uint32_t)));
    auto started = TRY(tracefs.read("task", "task_newtask"));
    parts_.config->child_at = TRY(started.offset_of("pid", sizeof(uint32_t)));
    parts_.config->flags_at = TRY(started.offset_of("clone_flags", sizeof(uint64_t)));
    parts_.config->has_task_pt_regs = attach::has_attach_cookie() && attach::has_type_information();
    if (!parts_.config->has_task_pt_regs)
        parts_.config->task_stack_at = task_offset({"stack"});
    if (bpf_map__set_value_size(parts_.rules, rules_bytes) != 0 ||
        bpf_map__set_max_entries(parts_.layouts, most_processes) != 0 ||
        bpf_map__set_max_entries(parts_.mapped, most_processes) != 0 ||
        bpf_map__set_max_entries(parts_.stacks, sizes.stacks) != 0 ||
        bpf_map__set_max_entries(parts_.misses, sizes.miss_bytes) != 0 ||
        bpf_map__set_max_entries(parts_.sent, UNWIND_SENT) != 0 ||
        bpf_map__set_max_entries(parts_.interpreters, UNWIND_INTERPRETERS) != 0 ||
        bpf_map__set_max_entries(parts_.named, most_named) != 0 ||
        bpf_program__set_autoload(parts_.fork, true) != 0 ||
        bpf_program__set_autoload(parts_.exec, true) != 0 ||
        bpf_program__set_autoload(parts_.free, true) != 0 ||
        bpf_program__set_autoload(parts_.map, reports_mappings(tracefs)) != 0)
        return fail("the programs that walk stacks are already loaded");
    return {};
}

Result<> Unwinder::State::start(symbols::ProcessHistory &history, Report report)
{
    history_ = &history;
    report_ = std::move(report);
    void *slots = mmap(nullptr, rules_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                       bpf_map__fd(parts_.rules), 0);
    if (slots == MAP_FAILED)
        return fail_errno("cannot map the rules for walking stacks");
    slots_.reset(static_cast<unwind_slot *>(slots));
    reader_.emplace(TRY(
        attach::RingReader::open(bpf_map__fd(parts_.misses), bpf_map__max_entries(parts_.misses))));
    auto tracefs = TRY(proc::Tracefs::open());
    auto attach = [&](bpf_program *program, const char *category, const char *name) -> Result<> {
        auto point = TRY(tracefs.read(category, name));
        links_.push_back(TRY(attach::attach_tracepoint(bpf_program__fd(program), point.id, name)));
        return {};
    };
    TRY(attach(parts_.exec, "sched", "sched_process_exec"));
    TRY(attach(parts_.free, "sched", "sched_process_free"));
    TRY(attach(parts_.fork, "task", "task_newtask"));
    if (bpf_program__autoload(parts_.map))
        TRY(attach(parts_.map, "mmap", "vm_unmapped_area"));
    introduce_known();
    return {};
}

void Unwinder::State::learn()
{
    if (!history_)
        return;
    history_->learn();
    move_changed();
}

void Unwinder::State::handle_unknown_frames()
{
    if (!reader_)
        return;
    learn();
    reader_->drain([this](Bytes record) {
        // Every record starts with its time.
        uint64_t ts_ns = record.read<uint64_t>(0).value_or(0);
        history_->learn_until(ts_ns);
        history_->symbols().look_at_event(ts_ns);
        answer(record);
        return true;
    });
    history_->symbols().look_at_event(0);
    if (std::exchange(is_full_, false))
        renew_stacks();
}

// Empties the map of stacks. Events that are not shown yet may refer to stacks that were in it, so
// `known_` keeps these until the next time.
void Unwinder::State::renew_stacks()
{
    auto stacks = attach::read_map<uint64_t, unwind_stack>(bpf_map__fd(parts_.stacks));
    if (!stacks)
        return;
    known_.clear();
    for (auto &[id, stack] : *stacks)
        if (!(id & UNWIND_ID_INTERPRETED))
            known_[id] = stack_of(id, stack);
    interpreted_.clear();
    for (auto &[id, stack] : *stacks)
        bpf_map_delete_elem(bpf_map__fd(parts_.stacks), &id);
}

// --- layouts -----------------------------------------------------------------------------------

uint64_t Unwinder::State::new_number()
{
    if (last_number_ + 1 == UNWIND_LAYOUTS) {  // no number left: forget all layouts, restart at 1
        auto all = attach::read_map<uint32_t, uint64_t>(bpf_map__fd(parts_.layouts));
        for (auto &[tgid, layout] : all ? *all : Layouts())
            bpf_map_delete_elem(bpf_map__fd(parts_.layouts), &tgid);
        numbers_.clear();
        last_number_ = 0;
        drop_rules();
    }
    return ++last_number_;
}

uint64_t Unwinder::State::number_of(uint64_t hash)
{
    auto [entry, is_new] = numbers_.try_emplace(hash);
    if (is_new) {
        uint64_t number = new_number();  // may clear numbers_
        return numbers_[hash] = number;
    }
    return entry->second;
}

void Unwinder::State::set_layout(uint32_t tgid, pid_t pid, uint64_t number)
{
    uint64_t value = shifted(number) | interpreter_of(pid);
    // Fails if the process has meanwhile executed another program or ended.
    bpf_map_update_elem(bpf_map__fd(parts_.layouts), &tgid, &value, BPF_EXIST);
}

// Sorted, with one entry for each process.
std::vector<uint64_t> Unwinder::State::layouts_in_use() const
{
    std::vector<uint64_t> found;
    if (auto all = attach::read_map<uint32_t, uint64_t>(bpf_map__fd(parts_.layouts)))
        for (auto &[tgid, layout] : *all)
            found.push_back(layout & ~UNWIND_ADDRESS);
    std::sort(found.begin(), found.end());
    return found;
}

// Stores an entry that has no rules before it reads the mappings. If the process execs meanwhile,
// the kernel side removes the entry, and set_layout() discards what was read.
uint64_t Unwinder::State::introduce(uint32_t tgid, pid_t pid)
{
    uint64_t none = shifted(new_number());
    if (bpf_map_update_elem(bpf_map__fd(parts_.layouts), &tgid, &none, BPF_NOEXIST) != 0)
        return 0;
    uint64_t hash = history_->symbols().layout(pid);
    if (!hash) {
        bpf_map_delete_elem(bpf_map__fd(parts_.layouts), &tgid);
        return 0;
    }
    uint64_t number = number_of(hash);
    set_layout(tgid, pid, number);
    return number;
}

uint64_t Unwinder::State::layout_of(uint32_t tgid, pid_t pid)
{
    uint64_t value = 0;
    if (bpf_map_lookup_elem(bpf_map__fd(parts_.layouts), &tgid, &value) == 0)
        return value >> UNWIND_LAYOUT_SHIFT;
    return introduce(tgid, pid);
}

// Updates the layouts of processes that have mapped files. A process keeps its layout's number if
// no other process shares it, and nothing else was mapped at those addresses before. Then the hash
// no longer describes this layout, so it is removed: no other process must get the number.
void Unwinder::State::move_changed()
{
    for (const auto &change : history_->symbols().take_changes()) {
        uint32_t tgid = change.tgid;
        uint64_t value = 0;
        if (bpf_map_lookup_elem(bpf_map__fd(parts_.layouts), &tgid, &value) != 0) {
            if (!native_ && knows_tgids_ && history_->symbols().may_interpret(change.tgid))
                introduce(tgid, change.tgid);
            continue;
        }
        auto in_use = layouts_in_use();
        bool is_shared = std::count(in_use.begin(), in_use.end(), value & ~UNWIND_ADDRESS) > 1;
        if (!change.was_other && !is_shared) {
            uint64_t number = value >> UNWIND_LAYOUT_SHIFT;
            std::erase_if(numbers_, [&](const auto &entry) { return entry.second == number; });
            uint64_t index = value & UNWIND_LAYOUT_INTERPRETER;
            // The history drops a process's mappings when very many others have started since: read
            // them again.
            if (index && !interpreter_of(change.tgid))
                history_->symbols().layout(change.tgid);
            if (interpreter_of(change.tgid) != index)
                set_layout(tgid, change.tgid, number);
            continue;
        }
        if (uint64_t hash = history_->symbols().layout(change.tgid))
            set_layout(tgid, change.tgid, number_of(hash));
    }
}

// --- interpreters ------------------------------------------------------------------------------

uint64_t Unwinder::State::interpreter_index(const symbols::UserSymbols::FoundInterpreter &found)
{
    lang::LoadedInterpreter wanted = {found.interpreter, found.bias};
    auto known = std::find(described_.begin(), described_.end(), wanted);
    if (known != described_.end())
        return uint64_t(known - described_.begin()) + 1;
    if (!thread_pointer_at_)
        thread_pointer_at_ = task_offset({"thread", "fsbase"});
    auto index = uint32_t(free_index());
    if (!thread_pointer_at_ || !index)
        return 0;
    unwind_interpreter frames = found.interpreter->frames;
    if (frames.state_by != UNWIND_STATE_BY_OFFSET)
        frames.key += found.bias;
    frames.loop_at += found.bias;
    frames.thread_ptr_at = thread_pointer_at_;
    if (bpf_map_update_elem(bpf_map__fd(parts_.interpreters), &index, &frames, BPF_ANY) != 0)
        return 0;
    described_.resize(std::max<size_t>(described_.size(), index));
    described_[index - 1] = wanted;
    return index;
}

// A free index of unwind_interpreters; 0: processes use all of them.
uint64_t Unwinder::State::free_index()
{
    if (described_.size() + 1 < UNWIND_INTERPRETERS)
        return described_.size() + 1;
    std::vector<bool> is_used(UNWIND_INTERPRETERS);
    auto all = attach::read_map<uint32_t, uint64_t>(bpf_map__fd(parts_.layouts));
    for (auto &[tgid, layout] : all ? *all : Layouts())
        is_used[std::min<size_t>(layout & UNWIND_LAYOUT_INTERPRETER, is_used.size() - 1)] = true;
    auto found = std::find(is_used.begin() + 1, is_used.end(), false);
    return found == is_used.end() ? 0 : uint64_t(found - is_used.begin());
}

// The index of the process's interpreter; 0: it has no known interpreter.
uint64_t Unwinder::State::interpreter_of(pid_t pid)
{
    auto found = native_ ? std::nullopt : history_->symbols().interpreter(pid);
    report_unknown();
    return found ? interpreter_index(*found) : 0;
}

// Reports each version once, even if many files contain it.
void Unwinder::State::report_unknown()
{
    for (const auto &[path, version] : history_->symbols().take_unknown_interpreters())
        if (reported_.insert(version).second)
            report_(
                fmt::format("{} is a build of {} whose functions are not known here: stacks show "
                            "the interpreter's C functions instead",
                            path, version));
}

// Registers processes with interpreters. In a pid namespace other than the initial one, the
// kernel's process ids are unknown here, so a process is only registered at its first walk.
void Unwinder::State::introduce_known()
{
    if (native_ || !knows_tgids_)
        return;
    for (pid_t pid : history_->symbols().interpreted())
        layout_of(uint32_t(pid), pid);
}

// Records for tests what names were read from: the memory and, as a u64 before the kernel side's
// record, where the interpreter's file is loaded (LoadedInterpreter::bias).
static void record(std::string_view what, const Result<lang::Memory> &memory, uint64_t bias,
                   Bytes bytes)
{
    if (memory)
        memory->record();
    add_to_recording(what, {Bytes(&bias, sizeof(bias)), bytes});
}

void Unwinder::State::add_interpreted(unwind::UserStack &stack,
                                      const unwind_interpreted &interpreted)
{
    size_t index = size_t(interpreted.interpreter) - 1;
    if (interpreted.count == 0 || index >= described_.size())
        return;
    auto memory = lang::Memory::open(pid_t(interpreted.tgid));
    stack.interpreted = code_names_.frames(described_[index], pid_t(interpreted.tgid),
                                           memory ? &*memory : nullptr, interpreted);
    record("interpreted", memory, described_[index].bias, Bytes(&interpreted, sizeof(interpreted)));
    stack.interpreted_end = unwind_end(interpreted.end);
}

void Unwinder::State::answer_code(const unwind_code &code)
{
    size_t index = size_t(code.interpreter) - 1;
    if (index >= described_.size())
        return;
    auto memory = lang::Memory::open(pid_t(code.tgid));
    code_names_.add(described_[index], memory ? &*memory : nullptr, code);
    record("code", memory, described_[index].bias, Bytes(&code, sizeof(code)));
}

void Unwinder::State::answer_kept(const unwind_kept &kept)
{
    unwind::UserStack stack = addresses_of(kept.stack);
    add_jit_frames(stack, kept.interpreted);
    name(stack, kept.interpreted, pid_t(kept.tgid));
    // The map stores no more stacks than its capacity, and find() never asks for others.
    if (interpreted_.size() < bpf_map__max_entries(parts_.stacks))
        interpreted_[kept.id] = std::move(stack);
}

unwind::UserStack Unwinder::State::addresses_of(const unwind_stack &stack)
{
    uint32_t count = std::min<uint32_t>(stack.count, UNWIND_FRAMES);
    return {{stack.addresses, stack.addresses + count}, unwind_end(stack.end), stack.ts_ns};
}

// Reads the names of what interpreters and JVMs execute in the stack.
void Unwinder::State::name(unwind::UserStack &stack, const unwind_interpreted &interpreted,
                           pid_t pid)
{
    add_interpreted(stack, interpreted);
    history_->symbols().name_jit_code(history_->program(pid, stack.addresses), stack);
}

void Unwinder::State::add_jit_frames(unwind::UserStack &stack,
                                     const unwind_interpreted &interpreted)
{
    bool is_jit = interpreted.interpreter == 0;
    for (uint32_t i = 0; is_jit && i < std::min<uint32_t>(interpreted.count, UNWIND_INTERPRETED);
         i++) {
        uint64_t frame = interpreted.frames[i];
        uint8_t index = interpreted.checks[i];
        if (index & UNWIND_CHECK_V8)
            stack.jit_frames.push_back({uint32_t(index & ~UNWIND_CHECK_V8),
                                        UNWIND_FRAME_CODE(frame), UNWIND_V8_BITS(frame),
                                        unwind::UserStack::JitFrame::Kind::V8});
        else
            stack.jit_frames.push_back(
                {index, UNWIND_FRAME_CODE(frame), UNWIND_FRAME_POSITION(frame)});
    }
}

// Converts a stack of unwind_stacks, and reads its names unless answer_kept() has read them.
unwind::UserStack Unwinder::State::stack_of(uint64_t id, const unwind_stack &stack)
{
    if (auto known = interpreted_.find(id); known != interpreted_.end()) {
        unwind::UserStack named = std::move(known->second);
        interpreted_.erase(known);
        return named;
    }
    unwind::UserStack converted = addresses_of(stack);
    unwind_interpreted interpreted;
    uint64_t key = id | UNWIND_ID_INTERPRETED;
    if (stack.is_mixed &&
        bpf_map_lookup_elem(bpf_map__fd(parts_.stacks), &key, &interpreted) == 0) {
        add_jit_frames(converted, interpreted);
        name(converted, interpreted, pid_t(interpreted.tgid));
    }
    return converted;
}

// --- rules -------------------------------------------------------------------------------------

namespace {

// Programs may read the slot at the same time. While it is half written, its check matches no key.
void put(unwind_slot &slot, uint64_t key, const unwind_rule &rule)
{
    unwind_slot next = {};
    next.rule = rule;
    __atomic_store_n(&slot.words[0], next.words[0], __ATOMIC_RELAXED);
    __atomic_store_n(&slot.words[1], next.words[1], __ATOMIC_RELAXED);
    __atomic_store_n(&slot.check, key ^ next.words[0] ^ next.words[1], __ATOMIC_RELAXED);
}

uint64_t key_of(const unwind_slot &slot)
{
    return slot.check ^ slot.words[0] ^ slot.words[1];
}

uint32_t other_slot(uint64_t key, uint32_t at)
{
    uint32_t first = UNWIND_FIRST_SLOT(key);
    return at == first ? UNWIND_OTHER_SLOT(key) : first;
}

}  // namespace

// Cuckoo hashing: a rule goes into one of its two slots, the rule that was there moves to its own
// other slot, and so on. At most half of the slots are used, so that this ends soon; if it does
// not, one rule is forgotten.
void Unwinder::State::learn(uint64_t key, const unwind_rule &rule)
{
    constexpr int most_moves = 32;
    uint32_t first = UNWIND_FIRST_SLOT(key), other = UNWIND_OTHER_SLOT(key);
    for (uint32_t at : {first, other})
        if (key_of(slots_[at]) == key)
            return put(slots_[at], key, rule);
    if (++rules_kept_ > most_rules)
        drop_rules();
    uint32_t at = first;
    unwind_rule moved = rule;
    for (int i = 0; i < most_moves; i++) {
        unwind_slot old = slots_[at];
        put(slots_[at], key, moved);
        key = key_of(old);
        if (key == 0)
            return;
        moved = old.rule;
        at = other_slot(key, at);
    }
}

// Drops the rules of layouts that no process has any more. If that would leave more than half of
// `most_rules`, drops all: the unwinder learns them again.
void Unwinder::State::drop_rules()
{
    auto alive = layouts_in_use();
    auto is_alive = [&](const unwind_slot &slot) {
        uint64_t layout = key_of(slot) & ~UNWIND_EXACT & ~UNWIND_ADDRESS;
        return key_of(slot) && std::binary_search(alive.begin(), alive.end(), layout);
    };
    std::span slots(slots_.get(), UNWIND_SLOTS);
    uint64_t kept = std::count_if(slots.begin(), slots.end(), is_alive);
    bool all = kept > most_rules / 2;
    for (unwind_slot &slot : slots)
        if (key_of(slot) && (all || !is_alive(slot)))
            put(slot, 0, {});
    rules_kept_ = all ? 0 : kept;
}

// --- walks -------------------------------------------------------------------------------------

namespace {

unwind::Unwinding::Registers registers_of(const unwind_miss &miss)
{
    const unwind::UnwindMachine &machine = unwind::own_machine();
    unwind::Unwinding::Registers registers = {};
    for (uint64_t i = 0; i < machine.word_count; i++)
        registers[i] = miss.registers[machine.words[i]];
    return registers;
}

unwind::StackCopy copy_of(const unwind_miss &miss, Bytes bytes)
{
    auto region = [&](uint64_t at, uint64_t offset, uint64_t length) -> unwind::StackCopy::Region {
        return {at, bytes.slice(offset, length).value_or(Bytes()),
                miss.copied >> offset / UNWIND_CHUNK};
    };
    unwind::StackCopy copy = {region(miss.copy_at, 0, miss.copy_bytes)};
    if (miss.copy_bytes == UNWIND_LARGE)
        for (uint64_t i = 0; i < copy.far.size(); i++)
            copy.far[i] = region(miss.far_at[i], UNWIND_LARGE + i * UNWIND_FAR, UNWIND_FAR);
    return copy;
}

// Where the frontend's walk starts, and the addresses that were found before.
struct WalkStart {
    uint64_t pc;
    bool is_exact;
    unwind::Unwinding::Registers registers;
    std::vector<uint64_t> addresses;
    bool is_at_event = true;  // else it continues the kernel side's walk
};

// Starts at the event's own frame, where all registers are known. nullopt: the copy lacks that
// frame.
std::optional<WalkStart> start_at_event(const unwind_miss &miss, const unwind::StackCopy &copy)
{
    const unwind::UnwindMachine &machine = unwind::own_machine();
    auto registers = registers_of(miss);
    uint64_t pc = miss.registers[machine.pc_word] & UNWIND_ADDRESS, sp = *registers[machine.sp];
    bool is_at_entry = miss.start == UNWIND_AT_ENTRY, has_link = machine.link != elf::no_register;
    auto caller = has_link ? registers[machine.link] : copy.read(sp);
    if (!copy.near.read(sp) || (is_at_entry && !caller))
        return std::nullopt;
    if (!is_at_entry)
        return WalkStart{pc, true, registers, {pc}};
    if (!has_link)
        registers[machine.sp] = sp + sizeof(uint64_t);
    *caller &= UNWIND_ADDRESS;
    return WalkStart{*caller, false, registers, {pc, *caller}};
}

// Starts where the kernel side's walk ended.
WalkStart start_at_end(const unwind_miss &miss)
{
    const unwind::UnwindMachine &machine = unwind::own_machine();
    WalkStart start = {miss.pc, miss.is_exact != 0, {}, {}};
    start.registers[machine.sp] = miss.sp;
    start.registers[machine.fp] = miss.fp;
    uint32_t count = std::min<uint32_t>(miss.stack.count, UNWIND_FRAMES);
    start.is_at_event = false;
    start.addresses.assign(miss.stack.addresses, miss.stack.addresses + count);
    return start;
}

}  // namespace

void Unwinder::State::answer(Bytes record)
{
    if (record.size() < sizeof(unwind_miss)) {
        auto code = record.read<unwind_code>(0);
        if (code && record.size() == sizeof(unwind_code))
            answer_code(*code);
        else if (auto kept = record.read<unwind_kept>(0))
            answer_kept(*kept);
        return;
    }
    auto miss = record.read<unwind_miss>(0);
    answered_++;
    is_full_ |= miss->stack.end != UNWIND_MISS;
    pid_t pid = miss->shown_tgid;
    uint64_t layout = layout_of(miss->tgid, pid);
    unwind::StackCopy copy = copy_of(*miss, record.from(sizeof(unwind_miss)));
    WalkStart end = start_at_end(*miss), start = start_at_event(*miss, copy).value_or(end);
    // The program that the process executed at that time.
    pid_t program = history_->program(pid, start.addresses);
    unwind::Unwinding unwinding(
        copy, [&](uint64_t pc) { return history_->symbols().code(program, pc); },
        [&](uint64_t pc, bool is_exact, const unwind_rule &rule) {
            if (layout && program == pid)
                learn(pc | shifted(layout) | (is_exact ? UNWIND_EXACT : 0), rule);
        },
        [&](uint64_t from, uint64_t bytes) {
            return history_->symbols().read_code(program, from, bytes);
        });
    auto walk_from = [&](const WalkStart &first) {
        unwind::UserStack stack = {first.addresses, UNWIND_WHOLE, miss->ts_ns};
        if (!first.is_at_event)
            add_jit_frames(stack, miss->interpreted);
        unwinding.walk(first.pc, first.is_exact, first.registers, stack);
        return stack;
    };
    unwind::UserStack stack = walk_from(start);
    // The kernel side may have walked over another stack, which the copy lacks, and back to the
    // copied one (OCaml's calls to C). Then continue where it ended.
    bool is_cut = stack.end == UNWIND_UNREADABLE || stack.end == UNWIND_SHORT;
    if (is_cut && stack.addresses.size() < end.addresses.size())
        stack = walk_from(end);
    name(stack, miss->interpreted, pid);
    add(miss->id, std::move(stack));
}

const char *Unwinder::missing(uint64_t id)
{
    if (id == UNWIND_FULL)
        return "[not kept: increase --stacks]";
    return id & UNWIND_MISSED ? "[not kept: too many were walked by the tool]"
                              : "[not walked: too many at once]";
}

void Unwinder::State::forget(uint64_t id)
{
    if (!missed_.count(id))
        return;
    forgotten_.push_back(id);
    if (forgotten_.size() <= most_forgotten)
        return;
    missed_.erase(forgotten_.front());
    forgotten_.pop_front();
}

const unwind::UserStack *Unwinder::State::find(uint64_t id)
{
    // Walks miss a rule until it is learned, so complete them even while a long batch of events is
    // being shown.
    if (reader_ && !reader_->is_empty())
        handle_unknown_frames();
    if (id & UNWIND_MISSED) {
        auto found = missed_.find(id);
        if (found == missed_.end())
            handle_unknown_frames();
        found = missed_.find(id);
        return found == missed_.end() ? nullptr : &found->second;
    }
    if (id < UNWIND_FIRST_HASH || !parts_.stacks)
        return nullptr;
    if (auto known = known_.find(id); known != known_.end())
        return &known->second;
    unwind_stack stack;
    bool is_kept = bpf_map_lookup_elem(bpf_map__fd(parts_.stacks), &id, &stack) == 0;
    if (is_kept && (stack.is_mixed || stack.made) && !interpreted_.count(id))
        handle_unknown_frames();  // the kernel side sends the names before it stores the stack
    auto [entry, is_new] = known_.try_emplace(id);
    if (is_new && is_kept)
        entry->second = stack_of(id, stack);
    return &entry->second;
}

}  // namespace uscope::stacks
