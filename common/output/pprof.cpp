// Encodes the few protobuf messages of a profile.
#include "output/pprof.h"

#include <map>

#include <zlib.h>

#include "output/name.h"

namespace uscope::output {
namespace {

// A protobuf message, or a part of one.
class Message {
  public:
    void number(unsigned field, uint64_t value)
    {
        varint(field << 3);
        varint(value);
    }
    void bytes(unsigned field, std::string_view text)
    {
        varint(field << 3 | 2);
        varint(text.size());
        text_ += text;
    }
    void numbers(unsigned field, const std::vector<uint64_t> &values)
    {
        Message packed;
        for (uint64_t value : values)
            packed.varint(value);
        bytes(field, packed.text_);
    }
    const std::string &text() const { return text_; }

  private:
    void varint(uint64_t value)
    {
        for (; value >= 0x80; value >>= 7)
            text_.push_back(char(value | 0x80));
        text_.push_back(char(value));
    }
    std::string text_;
};

class ProfileWriter {
  public:
    ProfileWriter() { number_of(""); }

    std::string write(const PprofProfile &profile, const std::vector<StackCount> &stacks)
    {
        message_.bytes(1, type(profile.unit_name, "count"));
        message_.bytes(1, type(profile.value_name, profile.value_unit));
        for (const StackCount &stack : stacks)
            sample(profile, stack);
        for (const auto &[frame, number] : locations_)
            location(frame, number);
        message_.number(9, profile.time_ns);
        message_.number(10, profile.duration_ns);
        message_.bytes(11, type(profile.value_name, profile.value_unit));
        message_.number(12, profile.value_of_one);
        for (const std::string *text : strings_)
            message_.bytes(6, *text);
        return message_.text();
    }

  private:
    uint64_t number_of(const std::string &text)
    {
        auto [entry, is_new] = known_.try_emplace(text, strings_.size());
        if (is_new)
            strings_.push_back(&entry->first);
        return entry->second;
    }
    std::string type(const std::string &name, const std::string &unit)
    {
        Message type;
        type.number(1, number_of(name));
        type.number(2, number_of(unit));
        return type.text();
    }
    void sample(const PprofProfile &profile, const StackCount &stack)
    {
        std::vector<uint64_t> locations;
        for (auto frame = stack.frames.rbegin(); frame != stack.frames.rend(); ++frame)
            locations.push_back(
                locations_.try_emplace(*frame, locations_.size() + 1).first->second);
        Message sample;
        sample.numbers(1, locations);
        sample.numbers(2, {stack.count, stack.count * profile.value_of_one});
        message_.bytes(2, sample.text());
    }
    // Each location has a function of its own, so that both have the same number.
    void location(const Frame &frame, uint64_t number)
    {
        Message function, line, location;
        uint64_t text = number_of(escaped_name(frame.name));
        function.number(1, number);
        function.number(2, text);
        function.number(3, text);
        line.number(1, number);
        location.number(1, number);
        if (frame.segment) {
            location.number(2, mapping_of(*frame.segment));
            location.number(3, frame.address);
        }
        location.bytes(4, line.text());
        message_.bytes(4, location.text());
        message_.bytes(5, function.text());
    }
    // The segment as if it were mapped at its addresses in the file.
    uint64_t mapping_of(const CodeSegment &segment)
    {
        constexpr uint64_t page = 4096;
        auto [entry, is_new] = mappings_.try_emplace(segment, mappings_.size() + 1);
        if (!is_new)
            return entry->second;
        uint64_t rest = segment.start % page;
        Message mapping;
        mapping.number(1, entry->second);
        mapping.number(2, segment.start - rest);
        mapping.number(3, (segment.end + page - 1) / page * page);
        mapping.number(4, segment.offset - rest);
        mapping.number(5, number_of(segment.path));
        mapping.number(6, number_of(segment.build_id));
        message_.bytes(3, mapping.text());
        return entry->second;
    }

    Message message_;
    std::map<std::string, uint64_t> known_;
    std::map<Frame, uint64_t> locations_;
    std::map<CodeSegment, uint64_t> mappings_;
    std::vector<const std::string *> strings_;
};

}  // namespace

std::string pprof_message(const PprofProfile &profile, const std::vector<StackCount> &stacks)
{
    return ProfileWriter().write(profile, stacks);
}

Result<std::string> pprof_file(const PprofProfile &profile, const std::vector<StackCount> &stacks)
{
    constexpr int gzip_window = 15 + 16, usual_memory = 8;
    std::string message = pprof_message(profile, stacks);
    z_stream stream = {};
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_window, usual_memory,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        return fail("not enough memory to compress the profile");
    std::string file(deflateBound(&stream, message.size()), '\0');
    stream.next_in = reinterpret_cast<Bytef *>(message.data());
    stream.avail_in = uInt(message.size());
    stream.next_out = reinterpret_cast<Bytef *>(file.data());
    stream.avail_out = uInt(file.size());
    int status = deflate(&stream, Z_FINISH);
    file.resize(stream.total_out);
    deflateEnd(&stream);
    if (status != Z_STREAM_END)
        return fail("cannot compress the profile of {} bytes", message.size());
    return file;
}

}  // namespace uscope::output
