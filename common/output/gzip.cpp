// Compresses with zlib.
#include "output/gzip.h"

#include <zlib.h>

namespace uscope::output {

Result<std::string> gzip(std::string_view text, int level)
{
    constexpr int gzip_window = 15 + 16, usual_memory = 8;
    z_stream stream = {};
    if (deflateInit2(&stream, level, Z_DEFLATED, gzip_window, usual_memory, Z_DEFAULT_STRATEGY) !=
        Z_OK)
        return fail("not enough memory to compress {} bytes", text.size());
    std::string compressed(deflateBound(&stream, text.size()), '\0');
    stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(text.data()));
    stream.avail_in = uInt(text.size());
    stream.next_out = reinterpret_cast<Bytef *>(compressed.data());
    stream.avail_out = uInt(compressed.size());
    int status = deflate(&stream, Z_FINISH);
    compressed.resize(stream.total_out);
    deflateEnd(&stream);
    if (status != Z_STREAM_END)
        return fail("cannot compress {} bytes", text.size());
    return compressed;
}

}  // namespace uscope::output
