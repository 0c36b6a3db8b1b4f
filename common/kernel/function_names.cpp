// Runs a BPF program to get names from the kernel, or reads /proc/kallsyms if the kernel refuses
// that program.
#include "kernel/function_names.h"

#include <charconv>
#include <cstring>
#include <unordered_map>

#include <bpf/bpf.h>

#include "kernel/object.h"
#include "kernel_name.skel.h"
#include "symbols/symbolize.h"

namespace uscope::kernel {
namespace {

constexpr const char *unknown_function = "[unknown]", *of_kernel = "[kernel]";

// JIT-compiled BPF programs are not modules, but /proc/kallsyms lists them as if they were:
// "bpf_prog_6deef7357e7b4530_sample", "bpf_trampoline_6442536433".
bool is_compiled_program(std::string_view function)
{
    constexpr std::string_view program = "bpf_prog_", trampoline = "bpf_trampoline_";
    if (function.starts_with(program)) {
        std::string_view tag = function.substr(program.size(), 16);
        return tag.size() == 16 && tag.find_first_not_of("0123456789abcdef") == tag.npos;
    }
    return function.starts_with(trampoline) &&
           function.find_first_not_of("0123456789", trampoline.size()) == function.npos;
}

}  // namespace

std::optional<symbols::Frame> parse_kernel_name(std::string_view text)
{
    size_t name_end = text.find("+0x");
    if (name_end == text.npos || name_end == 0)
        return std::nullopt;
    symbols::Frame frame;
    frame.function = text.substr(0, name_end);
    text.remove_prefix(name_end + 3);
    auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), frame.offset, 16);
    text.remove_prefix(rest - text.data());
    if (error != std::errc() || !text.starts_with('/'))
        return std::nullopt;
    size_t module = text.find(" [");
    if (module != text.npos && !text.ends_with(']'))
        return std::nullopt;
    if (module != text.npos)
        frame.module = text.substr(module + 1);
    else
        frame.module = is_compiled_program(frame.function) ? "[bpf]" : of_kernel;
    frame.known = true;
    return frame;
}

namespace {

// The BPF program that gets a name from the kernel.
class Program {
  public:
    Program() : object_(Object<kernel_name_bpf>::open())
    {
        is_loaded_ = object_ && object_->load();
    }
    bool is_loaded() const { return is_loaded_; }
    // Returns the kernel's name for the address, in text that is valid until the next call.
    std::string_view run(uint64_t address)
    {
        kernel_name_bpf &names = *object_->operator->();
        names.bss->kernel_name_address = address;
        LIBBPF_OPTS(bpf_test_run_opts, options);
        if (bpf_prog_test_run_opts(bpf_program__fd(names.progs.kernel_name_write), &options) != 0)
            return {};
        return {names.bss->kernel_name,
                strnlen(names.bss->kernel_name, sizeof(names.bss->kernel_name))};
    }

  private:
    Result<Object<kernel_name_bpf>> object_;
    bool is_loaded_ = false;
};

}  // namespace

struct FunctionNames::State {
    std::unique_ptr<Program> program;  // loaded when the first name is needed
    symbols::KernelSymbols symbols;    // used if the kernel refuses the program
    std::unordered_map<uint64_t, symbols::Frame> found;

    symbols::Frame ask(uint64_t address);
};

FunctionNames::FunctionNames() : state_(std::make_unique<State>()) {}
FunctionNames::FunctionNames(FunctionNames &&) noexcept = default;
FunctionNames::~FunctionNames() = default;

symbols::Frame FunctionNames::State::ask(uint64_t address)
{
    if (!program)
        program = std::make_unique<Program>();
    if (!program->is_loaded())
        return symbols.find(address);
    if (auto frame = parse_kernel_name(program->run(address)))
        return *frame;
    return {unknown_function, 0, of_kernel, false};
}

const symbols::Frame &FunctionNames::find(uint64_t address)
{
    auto [entry, is_new] = state_->found.try_emplace(address);
    if (is_new)
        entry->second = state_->ask(address);
    return entry->second;
}

// If a callee never returns, the call may be the caller's last instruction, and the return address
// is then in the next function. So this looks up the byte before each return address. But the frame
// after the kernel's entry code for an interrupt or exception (asm_…, el1…) is the interrupted
// code: its address is exact, not a return address.
std::vector<symbols::Frame> FunctionNames::find_stack(const std::vector<uint64_t> &addresses)
{
    std::vector<symbols::Frame> frames;
    bool is_exact = true;
    for (uint64_t address : addresses) {
        symbols::Frame frame = find(is_exact ? address : address - 1);
        if (frame.known && !is_exact)
            frame.offset++;
        is_exact = frame.function.starts_with("asm_") || frame.function.starts_with("el1");
        frames.push_back(std::move(frame));
    }
    return frames;
}

}  // namespace uscope::kernel
