#include "attach/object.h"

#include <cstdarg>
#include <cstdio>

#include "base/text.h"

namespace uscope::attach {
namespace {

std::string last_message;

int keep(libbpf_print_level level, const char *format, va_list arguments)
{
    if (level != LIBBPF_WARN)
        return 0;
    char text[512];
    vsnprintf(text, sizeof(text), format, arguments);
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
        bpf_map__set_map_flags(map, bpf_map__map_flags(map) & ~BPF_F_NO_PREALLOC);
}

std::string libbpf_message()
{
    return last_message;
}

}  // namespace uscope::attach
