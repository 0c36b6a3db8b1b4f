// Knows the offsets of the goroutine and of its number, by Go's version.
#include "go/goroutine.h"

namespace uscope::go {

std::optional<int64_t> goroutine_in_thread(const elf::Image &image)
{
    constexpr int64_t pointer_bytes = 8;
    if (image.is_library() || image.thread_bytes() > pointer_bytes)
        return std::nullopt;
    return -pointer_bytes;
}

std::optional<uint64_t> goroutine_id_offset(Version version)
{
    if (version < oldest_known || version > Version{1, 27})
        return std::nullopt;
    bool has_frame_pointer = version == Version{1, 23} || version == Version{1, 24};
    return has_frame_pointer ? 160 : 152;
}

}  // namespace uscope::go
