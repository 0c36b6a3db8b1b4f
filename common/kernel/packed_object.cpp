// Unpacks BPF objects with zlib.
#include "kernel/packed_object.h"

#include <zlib.h>

namespace uscope::kernel {

std::string unpacked_object(std::span<const unsigned char> packed, size_t bytes)
{
    constexpr int gzip_format = MAX_WBITS + 16;
    std::string object(bytes, '\0');
    z_stream stream = {};
    stream.next_in = const_cast<unsigned char *>(packed.data());
    stream.avail_in = packed.size();
    stream.next_out = reinterpret_cast<unsigned char *>(object.data());
    stream.avail_out = bytes;
    bool is_whole = inflateInit2(&stream, gzip_format) == Z_OK &&
                    inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.avail_out == 0;
    inflateEnd(&stream);
    if (!is_whole)
        object.clear();  // no memory: libbpf refuses an empty object
    return object;
}

}  // namespace uscope::kernel
