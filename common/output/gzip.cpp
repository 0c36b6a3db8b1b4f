// Compresses and unpacks with zlib.
#include "output/gzip.h"

#include <zlib.h>

namespace uscope::output {
namespace {

constexpr int gzip_window = 15 + 16;

}  // namespace

Result<std::string> gzip(std::string_view text, int level)
{
    constexpr int usual_memory = 8;
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

struct Gunzip::State {
    z_stream stream = {};
    bool is_open = false;
};

Gunzip::Gunzip() : state_(std::make_unique<State>())
{
    state_->is_open = inflateInit2(&state_->stream, gzip_window) == Z_OK;
}

Gunzip::~Gunzip()
{
    if (state_->is_open)
        inflateEnd(&state_->stream);
}

Result<> Gunzip::add(std::string_view packed, const std::function<Result<>(std::string_view)> &take)
{
    z_stream &stream = state_->stream;
    stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(packed.data()));
    stream.avail_in = uInt(packed.size());
    char buffer[32 << 10];
    do {
        stream.next_out = reinterpret_cast<Bytef *>(buffer);
        stream.avail_out = sizeof(buffer);
        int status = state_->is_open && !is_complete_ ? inflate(&stream, Z_NO_FLUSH) : Z_DATA_ERROR;
        if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
            return fail("its gzip compression is damaged");
        is_complete_ = status == Z_STREAM_END;
        TRY(take({buffer, sizeof(buffer) - stream.avail_out}));
    } while (!is_complete_ && (stream.avail_in || !stream.avail_out));
    return {};
}

}  // namespace uscope::output
