#include "lang/interpreter.h"

#include <algorithm>

#include "base/format.h"
#include "lang/python_frames.h"

namespace uscope::lang {
namespace {

constexpr size_t most_known = 65536;

std::optional<uint64_t> hash_of(const unwind_interpreter &frames, const Memory &memory,
                                uint64_t code)
{
    uint64_t words = code + frames.check_at + frames.check_words_at;
    auto hash = memory.read<uint64_t>(code + frames.check_at);
    for (uint64_t i = 0; i < UNWIND_CHECK_WORDS && hash; i++) {
        auto word = memory.read<uint64_t>(words + i * sizeof(uint64_t));
        hash = word ? std::optional(UNWIND_CHECK_NEXT(*hash, *word)) : std::nullopt;
    }
    return hash;
}

// The file without its folder; but with it where many files have that name.
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

std::string source_of(const Code &code, uint64_t at)
{
    uint32_t line = code.line(at);
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

bool may_interpret(std::string_view file_name)
{
    return is_python(file_name);
}

std::optional<Interpreter> find_interpreter(const elf::Image &image, const elf::Frames &frames,
                                            std::string_view file_name)
{
    return is_python(file_name) ? find_python_frames(image, frames, file_name) : std::nullopt;
}

// Null: it is not known, and cannot be read.
const CodeNames::Known *CodeNames::find(const Interpreter &interpreter, pid_t pid,
                                        const Memory *memory, uint64_t code)
{
    auto known = known_.find({pid, code});
    auto hash = memory ? hash_of(interpreter.frames, *memory, code) : std::nullopt;
    if (!hash || (known != known_.end() && known->second.hash == *hash))
        return known == known_.end() ? nullptr : &known->second;
    auto read = interpreter.read(*memory, code);
    if (!read)
        return nullptr;
    if (known_.size() >= most_known)
        known_.clear();
    Known &entry = known_[{pid, code}];
    entry = {*hash, std::move(*read)};
    return &entry;
}

std::vector<InterpretedFrame> CodeNames::frames(const Interpreter &interpreter, pid_t pid,
                                                const Memory *memory,
                                                const unwind_interpreted &frames)
{
    std::vector<InterpretedFrame> found;
    for (uint32_t i = 0; i < std::min<uint32_t>(frames.count, UNWIND_INTERPRETED); i++) {
        uint64_t at = UNWIND_FRAME_POSITION(frames.frames[i]) * 2;
        bool ends = frames.frames[i] & UNWIND_FRAME_ENDS;
        const Known *known = find(interpreter, pid, memory, UNWIND_FRAME_CODE(frames.frames[i]));
        if (!known || UNWIND_CHECK_OF(known->hash) != frames.checks[i])
            found.push_back({.ends = ends});
        else if (at >= known->code.first)
            found.push_back({known->code.function, source_of(known->code, at), ends});
        else if (ends && !found.empty())
            found.back().ends = true;
    }
    return found;
}

void CodeNames::forget(pid_t pid)
{
    std::erase_if(known_, [&](const auto &entry) { return entry.first.first == pid; });
}

}  // namespace uscope::lang
