// Reads the kernel's information about a program, a map or a link.
#pragma once

#include <cstdint>
#include <optional>

#include <bpf/bpf.h>

namespace uscope::kernel {

// `Info`: bpf_prog_info, bpf_map_info, bpf_link_info, or a longer struct that begins like one of
// them. `info` may contain input, such as the addresses of buffers to fill. Older kernels fill
// fewer members. Returns nullopt and sets errno if `fd` is no such object.
template <class Info>
std::optional<Info> info_of(int fd, Info info = {})
{
    uint32_t size = sizeof(info);
    if (bpf_obj_get_info_by_fd(fd, &info, &size) != 0)
        return std::nullopt;
    return info;
}

}  // namespace uscope::kernel
