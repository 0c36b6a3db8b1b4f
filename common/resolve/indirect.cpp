// Reads the chosen addresses from /proc/PID/mem.
#include "resolve/indirect.h"

#include <algorithm>

#include <fcntl.h>

#include "base/fd.h"
#include "base/format.h"
#include "elf/dynamic.h"
#include "proc/maps.h"

namespace uscope::resolve {
namespace {

// Returns the load bias: the number to add to the file's addresses in a process with these
// mappings. Takes it from the mapping of the code, because a page at the border of two segments is
// mapped twice.
std::optional<uint64_t> load_bias(const proc::MappedObject &object, const elf::Function &function)
{
    for (const proc::Mapping &m : object.mappings) {
        uint64_t into = function.file_offset - m.offset;
        if (m.executable && function.file_offset >= m.offset && into < m.end - m.start)
            return m.start + into - function.vaddr;
    }
    return std::nullopt;
}

std::vector<uint64_t> read_words(pid_t pid, uint64_t bias, const std::vector<uint64_t> &slots)
{
    std::vector<uint64_t> words;
    Fd memory(open(fmt::format("/proc/{}/mem", pid).c_str(), O_RDONLY | O_CLOEXEC));
    for (uint64_t slot : slots) {
        uint64_t word;
        if (memory && pread(memory.get(), &word, sizeof word, bias + slot) == sizeof word)
            words.push_back(word);
    }
    return words;
}

}  // namespace

std::vector<elf::Function> chosen_implementations(const elf::Image &image,
                                                  const std::string &open_path,
                                                  const elf::Function &indirect,
                                                  const std::vector<pid_t> &pids)
{
    std::vector<elf::Function> chosen;
    auto add = [&](uint64_t vaddr) {
        auto offset = image.file_offset(vaddr);
        bool known = std::any_of(chosen.begin(), chosen.end(), [&](const elf::Function &function) {
            return function.vaddr == vaddr;
        });
        if (!known && offset && image.is_executable(vaddr))
            chosen.push_back({indirect.name, indirect.display, vaddr, 0, *offset});
    };
    std::vector<uint64_t> slots = elf::indirect_slots(image, indirect.vaddr);
    for (pid_t pid : pids) {
        auto objects = proc::mapped_objects(pid);
        if (slots.empty() || !objects)
            continue;
        for (const proc::MappedObject &object : *objects) {
            auto bias = load_bias(object, indirect);
            if (!bias || !proc::is_same_file(open_path, object.file))
                continue;
            for (uint64_t address : read_words(pid, *bias, slots))
                add(address - *bias);
        }
    }
    return chosen;
}

std::vector<std::string> implementation_names(const elf::Image &image,
                                              const elf::Function &indirect,
                                              const elf::SymbolOptions &options)
{
    constexpr size_t max = 5;
    std::vector<std::string> names;
    for (std::string pattern : {indirect.name + "_*", "__" + indirect.name + "_*"}) {
        auto functions = elf::find_functions(image, pattern, options);
        if (!functions)
            continue;
        for (const elf::Function &function : *functions)
            if (!function.is_indirect && function.vaddr != indirect.vaddr && names.size() < max)
                names.push_back(function.display);
    }
    return names;
}

}  // namespace uscope::resolve
