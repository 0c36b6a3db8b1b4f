// Adapts BPF objects to the kernel, and explains why loading one failed.
#include "kernel/object.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "base/text.h"
#include "kernel/features.h"

namespace uscope::kernel {
namespace {

// The largest size of a map with preallocated entries, not counting the headers of the entries.
constexpr uint32_t preallocated_bytes = 32 << 20;

std::string last_message;
bool is_verdict = false;

// Returns the line that says what the verifier refused: the last line of its log before the
// statistics ("processed 12 insns …").
std::string verdict_of_load(std::string_view log)
{
    std::string_view last;
    for (std::string_view line : split(log, '\n')) {
        if (line.starts_with("processed "))
            break;
        if (!trim(line).empty())
            last = trim(line);
    }
    return std::string(last);
}

// Stores libbpf's last warning. If the kernel refuses a program, libbpf first reports the
// verifier's log, then errors that follow from the refusal: then the message with the log is kept.
int keep(libbpf_print_level level, const char *format, va_list arguments)
{
    if (level != LIBBPF_WARN || is_verdict)
        return 0;
    if (getenv("USCOPE_VERIFIER_LOG")) {
        va_list again;
        va_copy(again, arguments);
        vfprintf(stderr, format, again);
        va_end(again);
    }
    std::string text(1 << 20, '\0');
    int size = vsnprintf(text.data(), text.size(), format, arguments);
    text.resize(std::min<size_t>(std::max(size, 0), text.size() - 1));
    constexpr std::string_view begin = "-- BEGIN PROG LOAD LOG --";
    size_t log = text.find(begin);
    is_verdict = log != text.npos;
    if (is_verdict)
        text = text.substr(0, log) +
               verdict_of_load(std::string_view(text).substr(log + begin.size()));
    last_message = trim(text);
    return 0;
}

}  // namespace

void keep_libbpf_messages()
{
    libbpf_set_print(keep);
}

void suit_maps_to_kernel(bpf_object *object)
{
    if (programs_may_allocate())
        return;
    bpf_map *map;
    bpf_object__for_each_map(map, object)
    {
        uint32_t flags = bpf_map__map_flags(map);
        if (!(flags & BPF_F_NO_PREALLOC))
            continue;
        bpf_map__set_map_flags(map, flags & ~BPF_F_NO_PREALLOC);
        uint32_t capacity = preallocated_bytes / bpf_map__value_size(map);
        if (bpf_map__max_entries(map) > capacity)
            bpf_map__set_max_entries(map, capacity);
    }
}

Result<> load_result(int error)
{
    if (error == 0)
        return {};
    std::string missing = missing_privilege();
    if (!missing.empty())
        return fail("{}", missing);
    if (error == -ESRCH && !has_type_information())
        return fail("{}; the programs need it to read kernel structures",
                    missing_type_information());
    if (std::string locked = lockdown(); !locked.empty())
        return fail("{}", locked);
    return fail("cannot load the BPF programs on Linux {}: {} ({})", kernel_release(),
                errno_text(-error), libbpf_message());
}

std::string libbpf_message()
{
    return last_message;
}

}  // namespace uscope::kernel
