// Executes each kind of x86-64 instruction without and with probes, and compares what it did.
//
//     instructions make FILE short|long|programs|executed [PROGRAM…]
//                               writes a library with a function for each instruction. short, long:
//                               of every opcode (long: in more forms), and of all kinds that occur in
//                               the PROGRAMs; programs: only the latter; executed: only those that
//                               uscope's BPF program can execute instead of the kernel
//     instructions run FILE     executes all of them and prints "ready"; does so again for each line
//                               that it reads, and prints which results differ from the first ones
//     instructions unsafe FILE  executes those that insn/decode.h refuses to probe, without and with
//                               an own uprobe, and prints which results differ
//
// A function is one instruction, with int3 before and after it. The return from a signal handler
// loads all registers and jumps to the instruction. The next signal, for the int3 or for a fault,
// has the registers after it.
//
// build: -static-pie -fPIE -fno-stack-protector -I. -Icommon common/insn/decode.cpp common/insn/execute.cpp common/insn/known.cpp common/insn/parts.cpp
#if !defined(__x86_64__)
int main() {}
#else
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <asm/prctl.h>
#include <cpuid.h>
#include <elf.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include "insn/decode.h"
#include "insn/parts.h"
#include "tests/targets/instruction_list.h"

using namespace uscope;
using namespace instructions;

namespace {

// --- executing -----------------------------------------------------------------------------------

enum Field { Registers = 16, Ip = 16, Flags, Signal, FsBase, Vectors, Memory, Fields };
using Outcome = std::array<uint64_t, Fields>;
constexpr const char *field_names[] = {
    "r8",    "r9",  "r10", "r11",   "r12",    "r13",     "r14",
    "r15",   "rdi", "rsi", "rbp",   "rbx",    "rdx",     "rax",
    "rcx",   "rsp", "rip", "flags", "signal", "fs base", "vector registers",
    "memory"};

constexpr size_t variants = 2;  // sets of values in registers and flags before an instruction

struct Machine {
    std::vector<Code> all;
    int file = -1;
    // The current run executes the instructions first <= i < last, each in all variants.
    size_t first = 0, last = 0, next = 0;
    std::vector<Outcome> *outcomes = nullptr;
    bool is_running = false;
    size_t at_last_tick = 0;
    ucontext_t home;
    std::vector<uint8_t> home_vectors, vectors;
    uint8_t *data = nullptr;
    std::vector<uint8_t> pristine;
    uint64_t fs_base = 0;
};
Machine machine;

// A system call without the C library, whose errno cannot be accessed while fs has a test's base.
long system_call(long number, long a, long b, long c)
{
    long result;
    asm volatile("syscall"
                 : "=a"(result)
                 : "a"(number), "D"(a), "S"(b), "d"(c)
                 : "rcx", "r11", "memory");
    return result;
}

uint64_t hash(const uint8_t *data, size_t size, uint64_t value)
{
    for (size_t i = 0; i + 8 <= size; i += 8) {
        uint64_t word;
        memcpy(&word, data + i, sizeof(word));
        value = (value ^ word) * 0x9e3779b97f4a7c15;
        value ^= value >> 29;
    }
    return value;
}

// Returns the size of the extended state in a signal's frame: 512 bytes for x87 and SSE, then, if
// there is more, a header of 64 bytes that says which parts are in use, and these parts.
size_t vector_bytes(const ucontext_t *context)
{
    uint32_t size;
    memcpy(&size, reinterpret_cast<const uint8_t *>(context->uc_mcontext.fpregs) + 468,
           sizeof(size));
    return size ? size - 4 : 512;
}

// Omits the fields that depend on addresses (the ip, opcode and operand of the last x87
// instruction).
uint64_t hash_vectors(const uint8_t *vectors, size_t size)
{
    uint64_t value =
        hash(vectors, 6, 1) ^ (uint64_t(vectors[0]) << 32 | vectors[2] << 8 | vectors[4]);
    value = hash(vectors + 24, 416 - 24, value);
    return size > 576 ? hash(vectors + 576, size - 576, value) : value;
}

void fill_vectors(const ucontext_t *context)
{
    auto *frame = reinterpret_cast<uint8_t *>(context->uc_mcontext.fpregs);
    size_t size = vector_bytes(context);
    machine.vectors.assign(frame, frame + size);
    uint8_t *vectors = machine.vectors.data();
    for (unsigned i = 0; i < 16; i++) {
        for (unsigned lane = 0; lane < 4; lane++) {
            float number = 1.5f + i + 0.25f * lane;
            uint32_t bits = i * 4 + lane * 8;
            if (i < 4)
                memcpy(&bits, &number, sizeof(bits));
            else if (i >= 8)
                bits *= 0x9e3779b9;
            memcpy(vectors + 160 + i * 16 + lane * 4, &bits, sizeof(bits));
        }
    }
    if (size <= 576)
        return;
    uint64_t features, used = 3;
    memcpy(&features, vectors + 472, sizeof(features));
    for (unsigned feature :
         {2, 5, 6, 7}) {  // upper halves of ymm, masks, upper halves of zmm, zmm16-31
        uint32_t bytes, offset, c, d;
        if (!(features >> feature & 1) || !__get_cpuid_count(13, feature, &bytes, &offset, &c, &d))
            continue;
        used |= 1 << feature;
        for (uint32_t i = 0; i < bytes; i++)
            vectors[offset + i] = feature == 5 ? i % 8 < 2 ? 0x5a : 0 : i * 7 + feature;
    }
    uint64_t in_use;
    memcpy(&in_use, vectors + 512, sizeof(in_use));
    in_use |= used;
    memcpy(vectors + 512, &in_use, sizeof(in_use));
}

uint64_t take_memory()
{
    if (memcmp(machine.data, machine.pristine.data(), data_bytes) == 0)
        return 0;
    uint64_t value = hash(machine.data, data_bytes, 2);
    memcpy(machine.data, machine.pristine.data(), data_bytes);
    return value;
}

void record(int signal, const ucontext_t *context)
{
    constexpr uint64_t resume_flag = 0x10000;
    Outcome &outcome = (*machine.outcomes)[machine.next];
    const greg_t *registers = context->uc_mcontext.gregs;
    std::copy(registers, registers + Registers, outcome.begin());
    outcome[Ip] = registers[REG_RIP];
    outcome[Flags] = registers[REG_EFL] & ~resume_flag;
    outcome[Signal] = signal;
    system_call(SYS_arch_prctl, ARCH_GET_FS, reinterpret_cast<long>(&outcome[FsBase]), 0);
    outcome[Vectors] = hash_vectors(reinterpret_cast<const uint8_t *>(context->uc_mcontext.fpregs),
                                    vector_bytes(context));
    outcome[Memory] = take_memory();
}

void prepare(ucontext_t *context)
{
    size_t index = machine.next / variants, variant = machine.next % variants;
    greg_t *registers = context->uc_mcontext.gregs;
    for (unsigned i = 0; i < Registers; i++)
        registers[i] = data_at + 0x2000 + i * 0x40;
    // The last instruction may have been a far return to 32-bit code: return to 64-bit code.
    registers[REG_CSGSFS] = machine.home.uc_mcontext.gregs[REG_CSGSFS];
    registers[REG_RCX] = 3 + variant;
    registers[REG_R10] = 5;
    registers[REG_R9] = -1;
    if (variant)
        registers[REG_RAX] = registers[REG_RDX] = 0;
    registers[REG_RSP] = data_at + 0x2800;
    registers[REG_EFL] = variant ? 0xad7 : 0x202;  // all arithmetic flags, or none
    registers[REG_RIP] = text_at + (machine.first + index + 1) * slot_bytes + code_in_slot;
    memcpy(context->uc_mcontext.fpregs, machine.vectors.data(), machine.vectors.size());
    // Instructions that write relative to fs must not change this program's thread data.
    system_call(SYS_arch_prctl, ARCH_SET_FS, registers[REG_R8], 0);
}

void handle(int signal, siginfo_t *, void *frame)
{
    auto *context = static_cast<ucontext_t *>(frame);
    if (signal == SIGPROF) {  // the timer: ends an instruction that hangs
        bool hangs = machine.is_running && machine.next == machine.at_last_tick;
        machine.at_last_tick = machine.next;
        if (!hangs)
            return;
    }
    if (!machine.is_running) {
        machine.home = *context;
        auto *vectors = reinterpret_cast<uint8_t *>(context->uc_mcontext.fpregs);
        machine.home_vectors.assign(vectors, vectors + vector_bytes(context));
        fill_vectors(context);
        machine.is_running = true;
    } else {
        record(signal, context);
        system_call(SYS_arch_prctl, ARCH_SET_FS, machine.fs_base, 0);
        machine.next++;
    }
    if (machine.next < (machine.last - machine.first) * variants)
        return prepare(context);
    machine.is_running = false;
    memcpy(context->uc_mcontext.gregs, machine.home.uc_mcontext.gregs,
           sizeof(machine.home.uc_mcontext.gregs));
    memcpy(context->uc_mcontext.fpregs, machine.home_vectors.data(), machine.home_vectors.size());
}

std::vector<Outcome> execute(size_t first, size_t last)
{
    std::vector<Outcome> outcomes((last - first) * variants);
    machine.first = first;
    machine.last = last;
    machine.next = 0;
    machine.outcomes = &outcomes;
    if (first < last)
        asm volatile("int3" ::: "memory");
    return outcomes;
}

void set_up_data()
{
    int memory = memfd_create("data", MFD_CLOEXEC);
    if (memory < 0 || ftruncate(memory, data_bytes) != 0)
        die("memfd_create");
    for (uint64_t times : {1, 2, 3, 4, 5, 8, 9}) {
        void *wanted = reinterpret_cast<void *>(data_at * times);
        void *got = mmap(wanted, data_bytes, PROT_READ | PROT_WRITE,
                         MAP_SHARED | MAP_FIXED_NOREPLACE, memory, 0);
        if (got != wanted)
            die("mmap of the data");
        if (times == 1)
            machine.data = static_cast<uint8_t *>(got);
    }
    for (uint64_t at = 0; at < data_bytes; at += sizeof(landing))
        memcpy(machine.data + at, &landing, sizeof(landing));
    machine.pristine.assign(machine.data, machine.data + data_bytes);
}

void set_up_signals()
{
    static uint8_t stack[1 << 17];
    stack_t where = {};
    where.ss_sp = stack;
    where.ss_size = sizeof(stack);
    struct sigaction action = {};
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART;
    if (sigaltstack(&where, nullptr) != 0)
        die("sigaltstack");
    for (int signal : {SIGTRAP, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGSYS, SIGPROF})
        sigaction(signal, &action, nullptr);
    itimerval tick = {{2, 0}, {2, 0}};
    setitimer(ITIMER_PROF, &tick, nullptr);
}

void load(const char *path)
{
    machine.file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (machine.file < 0 || fstat(machine.file, &status) != 0)
        die(path);
    void *map = mmap(nullptr, status.st_size, PROT_READ, MAP_PRIVATE, machine.file, 0);
    if (map == MAP_FAILED)
        die(path);
    Bytes bytes(map, status.st_size);
    auto header = bytes.read<Elf64_Ehdr>(0);
    auto table = bytes.read<Elf64_Shdr>(header->e_shoff + 2 * sizeof(Elf64_Shdr));
    for (uint64_t at = sizeof(Elf64_Sym); at < table->sh_size; at += sizeof(Elf64_Sym)) {
        auto symbol = bytes.read<Elf64_Sym>(table->sh_offset + at);
        const uint8_t *code = bytes.data() + symbol->st_value;
        machine.all.emplace_back(code, code + symbol->st_size);
    }
    size_t size = (machine.all.size() + 1) * slot_bytes;
    void *wanted = reinterpret_cast<void *>(text_at);
    if (mmap(wanted, size, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED_NOREPLACE, machine.file,
             text_offset) != wanted)
        die("mmap of the code");
    munmap(map, status.st_size);
    set_up_data();
    syscall(SYS_arch_prctl, ARCH_GET_FS, &machine.fs_base);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof(one), &one);
    set_up_signals();
}

// --- comparing -----------------------------------------------------------------------------------

// Returns "" if the outcomes are the same.
std::string differences(const Outcome &wanted, const Outcome &got)
{
    std::string text;
    char line[100];
    for (unsigned field = 0; field < Fields; field++) {
        if (wanted[field] == got[field])
            continue;
        snprintf(line, sizeof(line), " %s %lx instead of %lx", field_names[field], got[field],
                 wanted[field]);
        text += line;
    }
    return text;
}

// Returns for each instruction whether both runs had the same outcome: reading the time or a random
// number has not.
std::vector<bool> repeatable(const std::vector<Outcome> &once, const std::vector<Outcome> &again)
{
    std::vector<bool> same;
    for (size_t i = 0; i < once.size(); i += variants) {
        same.push_back(true);
        for (size_t variant = 0; variant < variants; variant++)
            same.back() = same.back() && once[i + variant] == again[i + variant];
    }
    return same;
}

// Has the instruction left a stack pointer that is no address? Some processors cannot return from an
// interrupt to such a program: a step, like any interrupt there, ends with a fault at the next
// instruction.
bool is_lost_stack(const Outcome &wanted, const Outcome &got)
{
    int64_t sp = wanted[REG_RSP];
    Outcome as_wanted = got;
    as_wanted[Ip] = wanted[Ip];
    as_wanted[Signal] = wanted[Signal];
    return (sp << 16 >> 16) != sp && as_wanted == wanted && wanted[Signal] == SIGTRAP &&
           got[Signal] == SIGSEGV && got[Ip] == wanted[Ip] - 1;
}

std::string first_difference(const std::vector<Outcome> &wanted, size_t at,
                             const std::vector<Outcome> &got, size_t got_at)
{
    for (size_t variant = 0; variant < variants; variant++) {
        if (is_lost_stack(wanted[at + variant], got[got_at + variant]))
            continue;
        std::string text = differences(wanted[at + variant], got[got_at + variant]);
        if (!text.empty())
            return text;
    }
    return "";
}

size_t executed(const std::vector<Outcome> &outcomes)
{
    return std::count_if(outcomes.begin(), outcomes.end(),
                         [](const Outcome &outcome) { return outcome[Signal] == SIGTRAP; });
}

// Is it the nop of 5 bytes? Linux 6.18 replaces it by a call when it has a probe, which writes
// below the stack pointer. That is harmless at a function's start, where nothing is stored there.
bool is_call(const Code &code)
{
    auto instruction = insn::decode(Bytes(code.data(), code.size()));
    return instruction && insn::refusal(*instruction, false) == insn::Refusal::Nop5;
}

// Prints how often each instruction is executed that is not executed just once with each set of
// registers: a few of the others jump to it.
void print_executions(const std::vector<Outcome> &outcomes)
{
    std::map<size_t, size_t> more;
    for (size_t i = 0; i < outcomes.size(); i++) {
        size_t slot = (outcomes[i][Ip] - text_at) / slot_bytes;
        if (slot < 1 || slot > machine.all.size() || slot - 1 == i / variants)
            continue;
        // It has caused a fault, or the int3 behind it a trap. There is also one before it.
        uint64_t in_slot = (outcomes[i][Ip] - text_at) % slot_bytes;
        bool is_trap = outcomes[i][Signal] == SIGTRAP;
        if (in_slot == code_in_slot + (is_trap ? machine.all[slot - 1].size() + 1 : 0))
            more[slot - 1]++;
    }
    for (auto [i, times] : more)
        printf("executions i%zu_%s %zu\n", i, hex(machine.all[i]).c_str(), variants + times);
}

int run(const char *path)
{
    load(path);
    size_t count = machine.all.size();
    printf("executing %zu instructions\n", count);
    fflush(stdout);
    auto wanted = execute(0, count);
    print_executions(wanted);
    auto same = repeatable(wanted, execute(0, count));
    printf("ready: %zu of %zu runs without a fault\n", executed(wanted), wanted.size());
    fflush(stdout);
    char line[16];
    while (fgets(line, sizeof(line), stdin)) {
        auto got = execute(0, count);
        size_t compared = 0, differ = 0;
        for (size_t i = 0; i < count; i++) {
            if (!same[i])
                continue;
            compared++;
            std::string text = first_difference(wanted, i * variants, got, i * variants);
            if (!text.empty() && is_call(machine.all[i]) && text.starts_with(" memory"))
                continue;
            if (!text.empty() && ++differ <= 1000)
                printf("i%zu_%s:%s\n", i, hex(machine.all[i]).c_str(), text.c_str());
        }
        printf("compared %zu, %zu differ\n", compared, differ);
        fflush(stdout);
    }
    return 0;
}

// --- with an own uprobe --------------------------------------------------------------------------

int put_uprobe(const char *path, uint64_t offset)
{
    static int type = [] {
        FILE *file = fopen("/sys/bus/event_source/devices/uprobe/type", "r");
        int number = -1;
        if (!file || fscanf(file, "%d", &number) != 1)
            die("the kernel's uprobes");
        fclose(file);
        return number;
    }();
    perf_event_attr attributes = {};
    attributes.size = sizeof(attributes);
    attributes.type = type;
    attributes.config1 = reinterpret_cast<uint64_t>(path);
    attributes.config2 = offset;
    return syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

int run_unsafe(const char *path)
{
    load(path);
    size_t refused = 0, differ = 0, same = 0;
    for (size_t i = 0; i < machine.all.size(); i++) {
        const Code &code = machine.all[i];
        auto instruction = insn::decode(Bytes(code.data(), code.size()));
        if (!instruction || instruction->kind != insn::Kind::Refused)
            continue;
        auto wanted = execute(i, i + 1);
        int probe = put_uprobe(path, text_offset + (i + 1) * slot_bytes + code_in_slot);
        if (probe < 0) {
            refused++;
            printf("%s: refused\n", hex(code).c_str());
            continue;
        }
        auto got = execute(i, i + 1);
        close(probe);
        std::string text = first_difference(wanted, 0, got, 0);
        (text.empty() ? same : differ)++;
        printf("%s: %s%s\n", hex(code).c_str(),
               text.empty() ? "the same" : "differs:", text.c_str());
    }
    printf("%zu are refused, %zu differ, %zu do the same\n", refused, differ, same);
    return 0;
}

}  // namespace

int main(int argc, char **argv)
{
    // Without address randomization, the heap does not collide with the fixed addresses of the
    // data.
    if (!(personality(0xffffffff) & ADDR_NO_RANDOMIZE)) {
        personality(ADDR_NO_RANDOMIZE);
        execv("/proc/self/exe", argv);
    }
    std::string_view command = argc > 2 ? argv[1] : "";
    if (command == "run")
        return run(argv[2]);
    if (command == "unsafe")
        return run_unsafe(argv[2]);
    if (command != "make" || argc < 4) {
        fprintf(
            stderr,
            "usage: instructions make FILE short|long|programs|executed [PROGRAM…] | run FILE | "
            "unsafe FILE\n");
        return 2;
    }
    Instructions list;
    bool is_long = std::string_view(argv[3]) == "long";
    if (is_long || std::string_view(argv[3]) == "short") {
        add_legacy(list, is_long);
        add_vectors(list, is_long);
    }
    if (std::string_view(argv[3]) == "executed")
        add_executed(list);
    for (int i = 4; i < argc; i++)
        add_program(list, argv[i]);
    make(argv[2], list.all());
    return 0;
}
#endif
