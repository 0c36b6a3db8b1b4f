#include "probe/unwinder.h"

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
#include "lang/interpreter.h"
#include "lang/memory.h"
#include "lib/unwind.h"
#include "proc/tracefs.h"
#include "resolve/kernel_types.h"
#include "stack/process_history.h"
#include "stack/symbolize.h"
#include "stack/unwind.h"

namespace uscope::probe {
namespace {

constexpr size_t rules_bytes = UNWIND_PLACES * sizeof(unwind_place);
constexpr uint64_t most_rules = UNWIND_PLACES / 2;
constexpr uint32_t most_processes = 16384, most_named = 16384;

// Where a task has what the programs read of it. 0: not known.
uint32_t task_offset(const std::vector<std::string> &members)
{
    return resolve::kernel_member("struct task_struct", members).value_or(0);
}

// Since Linux 5.8.
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
    Result<> start(stack::ProcessHistory &history, Tell tell);
    void learn();
    int fd() const { return bpf_map__fd(parts_.misses); }
    void handle_unknown_frames();
    const stack::UserStack *find(uint64_t id);
    void forget(uint64_t id);
    void add(uint64_t id, stack::UserStack stack)
    {
        if (missed_.size() < most_missed)
            missed_[id] = std::move(stack);
    }
    uint64_t answered() const { return answered_; }

  private:
    static constexpr size_t most_missed = 65536;
    // Between two events with one id there are no more misses than unwind_misses has sizes for.
    static constexpr size_t most_forgotten = 4096;

    void answer(Bytes record);
    void move_changed();
    void introduce_known();
    uint64_t free_index();
    void answer_kept(const unwind_kept &kept);
    void answer_code(const unwind_code &code);
    void name(stack::UserStack &stack, const unwind_interpreted &interpreted, pid_t pid);
    void add_interpreted(stack::UserStack &stack, const unwind_interpreted &interpreted);
    static void add_jit_frames(stack::UserStack &stack, const unwind_interpreted &interpreted);
    static stack::UserStack addresses_of(const unwind_stack &stack);
    stack::UserStack stack_of(uint64_t id, const unwind_stack &stack);
    uint64_t interpreter_of(pid_t pid);
    void tell_unknown();
    uint64_t interpreter_index(const stack::UserSymbols::FoundInterpreter &found);
    uint64_t layout_of(uint32_t tgid, pid_t pid);
    uint64_t introduce(uint32_t tgid, pid_t pid);
    uint64_t new_number();
    uint64_t number_of(uint64_t hash);
    void set_layout(uint32_t tgid, pid_t pid, uint64_t number);
    std::vector<uint64_t> layouts_in_use() const;
    void learn(uint64_t key, const unwind_rule &rule);
    void make_room();
    void renew_stacks();

    Parts parts_;
    struct Unmap {
        void operator()(unwind_place *places) const { munmap(places, rules_bytes); }
    };
    std::unique_ptr<unwind_place[], Unmap> places_;  // of the map of rules
    stack::ProcessHistory *history_ = nullptr;
    Tell tell_;
    std::set<std::string> reported_;
    std::optional<attach::RingReader> reader_;

    std::unordered_map<uint64_t, uint64_t> numbers_;  // of layouts, by their hashes
    uint64_t last_number_ = 0;
    uint64_t rules_kept_ = 0;

    std::vector<lang::LoadedInterpreter> described_;  // by the index of the map, less 1
    uint32_t thread_pointer_at_ = 0;                  // in a task; 0: not known yet
    bool native_ = false, knows_tgids_ = false;
    lang::CodeNames code_names_;

    std::unordered_map<uint64_t, stack::UserStack> interpreted_;  // that are kept: with their names

    std::unordered_map<uint64_t, stack::UserStack> missed_;
    std::deque<uint64_t> forgotten_;  // of these, that are not gone yet
    std::map<uint64_t, stack::UserStack> known_;
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

Result<> Unwinder::start(stack::ProcessHistory &history, Tell tell)
{
    return state_->start(history, std::move(tell));
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

const stack::UserStack *Unwinder::find(uint64_t id)
{
    return state_->find(id);
}

void Unwinder::forget(uint64_t id)
{
    state_->forget(id);
}

void Unwinder::add(uint64_t id, stack::UserStack stack)
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
    parts_.config->copies_what_has_no_place = sizes.renews;
    parts_.config->last_place = UNWIND_PLACES - 1;
    native_ = sizes.native;
    knows_tgids_ = sizes.pidns_inode == 0;
    parts_.config->freed_at = TRY(freed.place_of("pid", sizeof(uint32_t)));
    auto started = TRY(tracefs.read("task", "task_newtask"));
    parts_.config->child_at = TRY(started.place_of("pid", sizeof(uint32_t)));
    parts_.config->flags_at = TRY(started.place_of("clone_flags", sizeof(uint64_t)));
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
        return fail("the programs that walk stacks are loaded already");
    return {};
}

Result<> Unwinder::State::start(stack::ProcessHistory &history, Tell tell)
{
    history_ = &history;
    tell_ = std::move(tell);
    void *places = mmap(nullptr, rules_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                        bpf_map__fd(parts_.rules), 0);
    if (places == MAP_FAILED)
        return fail_errno("cannot map the rules of stacks");
    places_.reset(static_cast<unwind_place *>(places));
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
        // All records begin with their time.
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

// Events that are not shown yet may have the ids of the stacks that were in the map: those are remembered
// once more.
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
    if (last_number_ + 1 == UNWIND_LAYOUTS) {  // begin anew
        auto all = attach::read_map<uint32_t, uint64_t>(bpf_map__fd(parts_.layouts));
        for (auto &[tgid, layout] : all ? *all : Layouts())
            bpf_map_delete_elem(bpf_map__fd(parts_.layouts), &tgid);
        numbers_.clear();
        last_number_ = 0;
        make_room();
    }
    return ++last_number_;
}

uint64_t Unwinder::State::number_of(uint64_t hash)
{
    auto [entry, is_new] = numbers_.try_emplace(hash);
    if (is_new) {
        uint64_t number = new_number();  // may have cleared all
        return numbers_[hash] = number;
    }
    return entry->second;
}

void Unwinder::State::set_layout(uint32_t tgid, pid_t pid, uint64_t number)
{
    uint64_t value = shifted(number) | interpreter_of(pid);
    // It fails when the process executes another program by now, or has ended.
    bpf_map_update_elem(bpf_map__fd(parts_.layouts), &tgid, &value, BPF_EXIST);
}

// Sorted, once for each process.
std::vector<uint64_t> Unwinder::State::layouts_in_use() const
{
    std::vector<uint64_t> found;
    if (auto all = attach::read_map<uint32_t, uint64_t>(bpf_map__fd(parts_.layouts)))
        for (auto &[tgid, layout] : *all)
            found.push_back(layout & ~UNWIND_ADDRESS);
    std::sort(found.begin(), found.end());
    return found;
}

// First an entry that no rules are for, then a look at what is mapped: when the process executes another
// program meanwhile, the kernel side removes the entry, and what was seen is used for nothing.
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

// Processes that have mapped something. One that has a layout of its own may keep it, if nothing else
// was at that place before; nobody joins it then, as it is no more what its hash says.
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
            // What it has mapped is forgotten when very many others have begun since: it is read again.
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

uint64_t Unwinder::State::interpreter_index(const stack::UserSymbols::FoundInterpreter &found)
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

// Of the map; 0: processes have them all.
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

// 0: it has none that is known.
uint64_t Unwinder::State::interpreter_of(pid_t pid)
{
    auto found = native_ ? std::nullopt : history_->symbols().interpreter(pid);
    tell_unknown();
    return found ? interpreter_index(*found) : 0;
}

// Once each, also where many files are the same interpreter.
void Unwinder::State::tell_unknown()
{
    for (const auto &[path, version] : history_->symbols().take_unknown_interpreters())
        if (reported_.insert(version).second)
            tell_(
                fmt::format("{} is a build of {} whose functions are not known here: stacks show "
                            "the interpreter's C functions instead",
                            path, version));
}

// In another pid namespace than the kernel's, a process is known by its first walk.
void Unwinder::State::introduce_known()
{
    if (native_ || !knows_tgids_)
        return;
    for (pid_t pid : history_->symbols().interpreted())
        layout_of(uint32_t(pid), pid);
}

// What names were read from, and where the interpreter's file lies (LoadedInterpreter), a u64 before the record.
static void record(std::string_view what, const Result<lang::Memory> &memory, uint64_t bias,
                   Bytes bytes)
{
    if (memory)
        memory->record();
    add_to_recording(what, {Bytes(&bias, sizeof(bias)), bytes});
}

void Unwinder::State::add_interpreted(stack::UserStack &stack,
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
    stack::UserStack stack = addresses_of(kept.stack);
    add_jit_frames(stack, kept.interpreted);
    name(stack, kept.interpreted, pid_t(kept.tgid));
    // More than there are places for are not kept in the end, and nobody asks for them.
    if (interpreted_.size() < bpf_map__max_entries(parts_.stacks))
        interpreted_[kept.id] = std::move(stack);
}

stack::UserStack Unwinder::State::addresses_of(const unwind_stack &stack)
{
    uint32_t count = std::min<uint32_t>(stack.count, UNWIND_FRAMES);
    return {{stack.addresses, stack.addresses + count}, unwind_end(stack.end), stack.ts_ns};
}

// Reads what interpreters, and JVMs, have executed in it.
void Unwinder::State::name(stack::UserStack &stack, const unwind_interpreted &interpreted,
                           pid_t pid)
{
    add_interpreted(stack, interpreted);
    history_->symbols().name_made(history_->program(pid, stack.addresses), stack);
}

void Unwinder::State::add_jit_frames(stack::UserStack &stack, const unwind_interpreted &interpreted)
{
    bool is_made = interpreted.interpreter == 0;
    for (uint32_t i = 0; is_made && i < std::min<uint32_t>(interpreted.count, UNWIND_INTERPRETED);
         i++) {
        uint64_t frame = interpreted.frames[i];
        uint8_t index = interpreted.checks[i];
        if (index & UNWIND_CHECK_V8)
            stack.jit_frames.push_back({uint32_t(index & ~UNWIND_CHECK_V8),
                                        UNWIND_FRAME_CODE(frame), UNWIND_V8_BITS(frame),
                                        stack::UserStack::JitFrame::Kind::V8});
        else
            stack.jit_frames.push_back(
                {index, UNWIND_FRAME_CODE(frame), UNWIND_FRAME_POSITION(frame)});
    }
}

// Of the map. What has no names yet has them read now.
stack::UserStack Unwinder::State::stack_of(uint64_t id, const unwind_stack &stack)
{
    if (auto known = interpreted_.find(id); known != interpreted_.end()) {
        stack::UserStack made = std::move(known->second);
        interpreted_.erase(known);
        return made;
    }
    stack::UserStack made = addresses_of(stack);
    unwind_interpreted interpreted;
    uint64_t key = id | UNWIND_ID_INTERPRETED;
    if (stack.is_mixed &&
        bpf_map_lookup_elem(bpf_map__fd(parts_.stacks), &key, &interpreted) == 0) {
        add_jit_frames(made, interpreted);
        name(made, interpreted, pid_t(interpreted.tgid));
    }
    return made;
}

// --- rules -------------------------------------------------------------------------------------

namespace {

// Programs read it meanwhile: what is half written has the key of no rule.
void put(unwind_place &place, uint64_t key, const unwind_rule &rule)
{
    unwind_place next = {};
    next.rule = rule;
    __atomic_store_n(&place.words[0], next.words[0], __ATOMIC_RELAXED);
    __atomic_store_n(&place.words[1], next.words[1], __ATOMIC_RELAXED);
    __atomic_store_n(&place.check, key ^ next.words[0] ^ next.words[1], __ATOMIC_RELAXED);
}

uint64_t key_of(const unwind_place &place)
{
    return place.check ^ place.words[0] ^ place.words[1];
}

uint32_t other_place(uint64_t key, uint32_t at)
{
    uint32_t first = UNWIND_FIRST_PLACE(key);
    return at == first ? UNWIND_OTHER_PLACE(key) : first;
}

}  // namespace

// A rule takes one of its two places; what is there goes to its own other place, and so on. With half of
// the places taken at most, that ends soon (cuckoo hashing); else one rule is forgotten.
void Unwinder::State::learn(uint64_t key, const unwind_rule &rule)
{
    constexpr int most_moves = 32;
    uint32_t first = UNWIND_FIRST_PLACE(key), other = UNWIND_OTHER_PLACE(key);
    for (uint32_t at : {first, other})
        if (key_of(places_[at]) == key)
            return put(places_[at], key, rule);
    if (++rules_kept_ > most_rules)
        make_room();
    uint32_t at = first;
    unwind_rule moved = rule;
    for (int i = 0; i < most_moves; i++) {
        unwind_place old = places_[at];
        put(places_[at], key, moved);
        key = key_of(old);
        if (key == 0)
            return;
        moved = old.rule;
        at = other_place(key, at);
    }
}

// The rules of layouts that no process has any more; if those are few, all: they are learned again.
void Unwinder::State::make_room()
{
    auto alive = layouts_in_use();
    auto is_alive = [&](const unwind_place &place) {
        uint64_t layout = key_of(place) & ~UNWIND_EXACT & ~UNWIND_ADDRESS;
        return key_of(place) && std::binary_search(alive.begin(), alive.end(), layout);
    };
    std::span places(places_.get(), UNWIND_PLACES);
    uint64_t kept = std::count_if(places.begin(), places.end(), is_alive);
    bool all = kept > most_rules / 2;
    for (unwind_place &place : places)
        if (key_of(place) && (all || !is_alive(place)))
            put(place, 0, {});
    rules_kept_ = all ? 0 : kept;
}

// --- walks -------------------------------------------------------------------------------------

namespace {

stack::Unwinding::Registers registers_of(const unwind_miss &miss)
{
    const stack::UnwindMachine &machine = stack::own_machine();
    stack::Unwinding::Registers registers = {};
    for (uint64_t i = 0; i < machine.word_count; i++)
        registers[i] = miss.registers[machine.words[i]];
    return registers;
}

stack::StackCopy copy_of(const unwind_miss &miss, Bytes bytes)
{
    auto region = [&](uint64_t at, uint64_t offset, uint64_t length) -> stack::StackCopy::Region {
        return {at, bytes.slice(offset, length).value_or(Bytes()),
                miss.copied >> offset / UNWIND_CHUNK};
    };
    stack::StackCopy copy = {region(miss.copy_at, 0, miss.copy_bytes)};
    if (miss.copy_bytes == UNWIND_LARGE)
        for (uint64_t i = 0; i < copy.far.size(); i++)
            copy.far[i] = region(miss.far_at[i], UNWIND_LARGE + i * UNWIND_FAR, UNWIND_FAR);
    return copy;
}

struct Begin {
    uint64_t pc;
    bool is_exact;
    stack::Unwinding::Registers registers;
    std::vector<uint64_t> addresses;
    bool is_anew = true;
};

// The event's own frame, where all registers are known, if the copy goes that far.
std::optional<Begin> event_of(const unwind_miss &miss, const stack::StackCopy &copy)
{
    const stack::UnwindMachine &machine = stack::own_machine();
    auto registers = registers_of(miss);
    uint64_t pc = miss.registers[machine.pc_word] & UNWIND_ADDRESS, sp = *registers[machine.sp];
    bool is_at_entry = miss.start == UNWIND_AT_ENTRY, has_link = machine.link != elf::no_register;
    auto caller = has_link ? registers[machine.link] : copy.read(sp);
    if (!copy.near.read(sp) || (is_at_entry && !caller))
        return std::nullopt;
    if (!is_at_entry)
        return Begin{pc, true, registers, {pc}};
    if (!has_link)
        registers[machine.sp] = sp + sizeof(uint64_t);
    *caller &= UNWIND_ADDRESS;
    return Begin{*caller, false, registers, {pc, *caller}};
}

// Where the walk ended.
Begin end_of(const unwind_miss &miss)
{
    const stack::UnwindMachine &machine = stack::own_machine();
    Begin begin = {miss.pc, miss.is_exact != 0, {}, {}};
    begin.registers[machine.sp] = miss.sp;
    begin.registers[machine.fp] = miss.fp;
    uint32_t count = std::min<uint32_t>(miss.stack.count, UNWIND_FRAMES);
    begin.is_anew = false;
    begin.addresses.assign(miss.stack.addresses, miss.stack.addresses + count);
    return begin;
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
    stack::StackCopy copy = copy_of(*miss, record.from(sizeof(unwind_miss)));
    Begin end = end_of(*miss), begin = event_of(*miss, copy).value_or(end);
    // The program that the process was then.
    pid_t program = history_->program(pid, begin.addresses);
    stack::Unwinding unwinding(
        copy, [&](uint64_t pc) { return history_->symbols().code(program, pc); },
        [&](uint64_t pc, bool is_exact, const unwind_rule &rule) {
            if (layout && program == pid)
                learn(pc | shifted(layout) | (is_exact ? UNWIND_EXACT : 0), rule);
        },
        [&](uint64_t from, uint64_t bytes) {
            return history_->symbols().read_code(program, from, bytes);
        });
    auto walked_from = [&](const Begin &first) {
        stack::UserStack stack = {first.addresses, UNWIND_WHOLE, miss->ts_ns};
        if (!first.is_anew)
            add_jit_frames(stack, miss->interpreted);
        unwinding.walk(first.pc, first.is_exact, first.registers, stack);
        return stack;
    };
    stack::UserStack stack = walked_from(begin);
    // The walk may have gone over a stack that was not copied, and come back to this one: OCaml's calls of C.
    bool is_cut = stack.end == UNWIND_UNREADABLE || stack.end == UNWIND_SHORT;
    if (is_cut && stack.addresses.size() < end.addresses.size())
        stack = walked_from(end);
    name(stack, miss->interpreted, pid);
    add(miss->id, std::move(stack));
}

const char *Unwinder::missing(uint64_t id)
{
    if (id == UNWIND_NO_PLACE)
        return "[not kept: --stacks makes places]";
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

const stack::UserStack *Unwinder::State::find(uint64_t id)
{
    // Walks that lack a rule do so until it is learned: while a long batch of events is shown, too.
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
        handle_unknown_frames();  // its names were sent before it was kept
    auto [entry, is_new] = known_.try_emplace(id);
    if (is_new && is_kept)
        entry->second = stack_of(id, stack);
    return &entry->second;
}

}  // namespace uscope::probe
