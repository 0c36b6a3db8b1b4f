// Encodes the few protobuf messages of a profile.
#include "output/pprof.h"

#include <map>

#include "output/gzip.h"
#include "output/name.h"
#include "output/protobuf.h"

namespace uscope::output {
namespace {

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
        ProtobufMessage type;
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
        ProtobufMessage sample;
        sample.numbers(1, locations);
        sample.numbers(2, {stack.count, stack.count * profile.value_of_one});
        message_.bytes(2, sample.text());
    }
    // Each location has a function of its own, so that both have the same number.
    void location(const Frame &frame, uint64_t number)
    {
        ProtobufMessage function, line, location;
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
        ProtobufMessage mapping;
        mapping.number(1, entry->second);
        mapping.number(2, segment.start - rest);
        mapping.number(3, (segment.end + page - 1) / page * page);
        mapping.number(4, segment.offset - rest);
        mapping.number(5, number_of(segment.path));
        mapping.number(6, number_of(segment.build_id));
        message_.bytes(3, mapping.text());
        return entry->second;
    }

    ProtobufMessage message_;
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
    return gzip(pprof_message(profile, stacks));
}

}  // namespace uscope::output
