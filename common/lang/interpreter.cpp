// Finds the interpreter in a file, and names interpreted frames.
#include "lang/interpreter.h"

#include <algorithm>

#include "base/format.h"
#include "elf/image.h"
#include "insn/flow.h"
#include "lang/memory.h"
#include "lang/perl/frames.h"
#include "lang/php/frames.h"
#include "lang/python/frames.h"
#include "lang/ruby/frames.h"

namespace uscope::lang {
namespace {

constexpr size_t max_known = 65536;

// Returns the hashes that the kernel side may have computed of this code. There are several,
// because it may have failed to read the name, the file, or both.
std::vector<uint64_t> hashes_of(const unwind_interpreter &frames, const Memory &memory,
                                uint64_t code)
{
    __u64 record[UNWIND_CODE_WORDS] = {};
    char *into = reinterpret_cast<char *>(record);
    uint64_t begin = code + frames.check_at, left = UNWIND_PAGE_LEFT(begin);
    if (!memory.read(begin, into, frames.check_bytes) &&
        (left >= frames.check_bytes || !memory.read(begin, into, left)))
        return {};
    std::vector<uint64_t> found = {unwind_check(&frames, record)};
    if (!frames.text_at)
        return found;
    __u64 *texts = &record[UNWIND_TEXTS];
    auto add = [&](uint64_t name, uint64_t file) {
        texts[0] = name;
        texts[1] = file;
        found.push_back(unwind_check(&frames, record));
    };
    auto text = [&](uint8_t at) {
        return memory.read<uint64_t>(record[at / sizeof(uint64_t)] + frames.text_hash_at)
            .value_or(0);
    };
    uint64_t name = text(frames.name_at), file = text(frames.file_at);
    add(name, file);
    add(name, 0);
    add(0, file);
    return found;
}

// Returns the file's name without its folders; but one folder stays in "package/__init__.py", since
// many files have this name.
std::string_view short_name(std::string_view path)
{
    auto last = [](std::string_view text) { return text.substr(text.rfind('/') + 1); };
    std::string_view name = last(path);
    if (!name.starts_with("__"))
        return name;
    std::string_view folder = path.substr(0, path.size() - name.size());
    if (!folder.empty())
        folder.remove_suffix(1);
    return path.substr(path.size() - name.size() - (folder.empty() ? 0 : last(folder).size() + 1));
}

std::string function_of(const Code &code, uint64_t at)
{
    return code.function_at ? std::string(code.function_at(at)) : code.function;
}

std::string source_of(const Code &code, uint64_t at)
{
    uint32_t line = code.line ? code.line(at) : 0;
    std::string_view name = short_name(code.file);
    return line ? fmt::format("{}:{}", name, line) : std::string(name);
}

}  // namespace

bool Interpreter::is_loop(uint64_t vaddr) const
{
    return std::any_of(loop.begin(), loop.end(), [&](const elf::Frame &piece) {
        return vaddr >= piece.start && vaddr < piece.end;
    });
}

bool Interpreter::use_registers()
{
    auto largest = std::max_element(loop.begin(), loop.end(),
                                    [](const elf::Frame &one, const elf::Frame &other) {
                                        return one.end - one.start < other.end - other.start;
                                    });
    if (largest == loop.end())
        return false;
    frames.loop_at = largest->start;
    frames.loop_bytes = uint32_t(largest->end - largest->start);
    return true;
}

bool may_interpret(std::string_view file_name)
{
    return is_python(file_name) || is_php(file_name) || is_ruby(file_name) || is_perl(file_name);
}

std::optional<Interpreter> find_interpreter(const elf::Image &image, const elf::Frames &frames,
                                            std::string_view file_name, std::string *unknown)
{
    if (is_python(file_name))
        return find_python_frames(image, frames, file_name, unknown);
    if (is_ruby(file_name))
        return find_ruby_frames(image, frames, unknown);
    if (is_perl(file_name))
        return find_perl_frames(image, frames, unknown);
    return is_php(file_name) ? find_php_frames(image, frames, unknown) : std::nullopt;
}

std::nullopt_t is_unknown(std::string *unknown, std::string_view language, const Version &version)
{
    if (unknown)
        *unknown = version.is_known() ? fmt::format("{} {}", language, to_string(version))
                                      : std::string(language);
    return std::nullopt;
}

void find_symbols(const elf::Image &image, std::initializer_list<NamedSymbol> wanted)
{
    for (const elf::SymbolTable &table : elf::symbol_tables(image))
        for (const NamedSymbol &one : wanted)
            table.each_containing(one.name, [&](const elf::Symbol &found) {
                if (found.name == one.name)
                    *one.symbol = found;
            });
}

std::vector<elf::Frame> find_loop(const elf::Image &image, const elf::Frames &frames,
                                  uint64_t start)
{
    constexpr size_t max_parts = 16;
    std::vector<elf::Frame> found;
    auto add = [&](uint64_t vaddr) {
        bool is_known = std::any_of(found.begin(), found.end(), [&](const elf::Frame &part) {
            return vaddr >= part.start && vaddr < part.end;
        });
        auto part = is_known || found.size() == max_parts ? std::nullopt : frames.at(vaddr);
        if (part)
            found.push_back(*part);
    };
    add(start);
    for (size_t i = 0; i < found.size(); i++) {
        uint64_t from = found[i].start, size = found[i].end - from;
        Bytes code = image.bytes_at(from, size).value_or(Bytes());
        for (uint64_t at = 0; at < code.size();) {
            auto step = insn::step(abi::Machine::X86_64, code.from(at));
            if (!step)
                break;
            bool jumps = step->flow == insn::Flow::Jump || step->flow == insn::Flow::Branch;
            uint64_t target = from + at + uint64_t(step->target);
            if (jumps && target - from >= size && frames.keeps_frame(target))
                add(target);
            at += step->length;
        }
    }
    return found;
}

// Returns null if the code is neither known nor readable.
const CodeNames::Known *CodeNames::find(const LoadedInterpreter &loaded, const Memory *memory,
                                        const Key &key)
{
    const Interpreter &interpreter = *loaded.interpreter;
    auto known = known_.find(key);
    bool is_known = known != known_.end();
    if (is_known && (interpreter.take || !memory))
        return &known->second;
    auto hashes =
        memory ? hashes_of(interpreter.frames, *memory, key.code) : std::vector<uint64_t>();
    auto hash = std::find_if(hashes.begin(), hashes.end(),
                             [&](uint64_t one) { return UNWIND_CHECK_OF(one) == key.check; });
    if (hash == hashes.end())
        return nullptr;
    if (is_known && known->second.hash == *hash)
        return &known->second;
    auto read = interpreter.read(*memory, loaded.bias, key.code);
    return read ? keep(key, *hash, std::move(*read)) : nullptr;
}

const CodeNames::Known *CodeNames::keep(const Key &key, uint64_t hash, Code code)
{
    if (known_.size() >= max_known)
        known_.clear();
    Known &entry = known_[key];
    entry = {hash, std::move(code)};
    return &entry;
}

void CodeNames::add(const LoadedInterpreter &loaded, const Memory *memory, const unwind_code &sent)
{
    const Interpreter &interpreter = *loaded.interpreter;
    auto code = interpreter.take ? interpreter.take(sent) : std::nullopt;
    if (!code && memory) {
        auto hashes = hashes_of(interpreter.frames, *memory, sent.code);
        if (std::count(hashes.begin(), hashes.end(), sent.hash) > 0)
            code = interpreter.read(*memory, loaded.bias, sent.code);
    }
    if (code)
        keep({pid_t(sent.tgid), sent.code, UNWIND_CHECK_OF(sent.hash)}, sent.hash,
             std::move(*code));
}

std::vector<InterpretedFrame> CodeNames::frames(const LoadedInterpreter &loaded, pid_t pid,
                                                const Memory *memory,
                                                const unwind_interpreted &frames)
{
    std::vector<InterpretedFrame> found;
    for (uint32_t i = 0; i < std::min<uint32_t>(frames.count, UNWIND_INTERPRETED); i++) {
        uint64_t at = UNWIND_FRAME_POSITION(frames.frames[i]) * loaded.interpreter->position_unit;
        bool ends = frames.frames[i] & UNWIND_FRAME_ENDS;
        const Known *known =
            find(loaded, memory, {pid, UNWIND_FRAME_CODE(frames.frames[i]), frames.checks[i]});
        if (!known)
            found.push_back({.ends = ends});
        else if (known->code.is_stack_end)
            found.push_back({.is_stack_end = true});
        else if (at >= known->code.first)
            found.push_back({.function = function_of(known->code, at),
                             .source = source_of(known->code, at),
                             .ends = ends,
                             .is_block = loaded.interpreter->frames.context_bytes &&
                                         at >> UNWIND_CONTEXT_SHIFT == UNWIND_CONTEXT_BLOCK});
        else if (ends && !found.empty())
            found.back().ends = true;
    }
    return found;
}

void CodeNames::forget(pid_t pid)
{
    std::erase_if(known_, [&](const auto &entry) { return entry.first.pid == pid; });
}

}  // namespace uscope::lang
