// JSON objects, written member by member: braces, commas and quotes are put here and nowhere else.
//
//     JsonObject(out).add("type", "lost").add("count", 3).end_line();    {"type":"lost","count":3}
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "output/cell.h"
#include "output/escape.h"

namespace uscope::output {

class JsonObject {
  public:
    explicit JsonObject(std::string &out) : out_(out) { out_.push_back('{'); }

    // A cell without value is left out. (`key` is the tool's or a reason of its own: it is escaped.)
    JsonObject &add(std::string_view key, const Cell &value)
    {
        if (!value.is_none())
            append_json(member(key), value);
        return *this;
    }
    // The value is the caller's to append: an object, an array.
    std::string &member(std::string_view key)
    {
        if (std::exchange(any_, true))
            out_.push_back(',');
        append_json_string(out_, key);
        out_.push_back(':');
        return out_;
    }
    void end() { out_.push_back('}'); }
    void end_line() { append(out_, "}\n"); }

  private:
    std::string &out_;
    bool any_ = false;
};

// An object that is no row of the tool's table but about the run: {"type":"lost","time_ns":…
JsonObject notice(std::string &out, std::string_view type);

// [a,b] of what `append_one(out, item)` appends for each.
template <class Items, class AppendOne>
void append_json_array(std::string &out, const Items &items, AppendOne append_one)
{
    out.push_back('[');
    bool any = false;
    for (const auto &item : items) {
        if (std::exchange(any, true))
            out.push_back(',');
        append_one(out, item);
    }
    out.push_back(']');
}
inline void append_json_strings(std::string &out, const std::vector<std::string> &texts)
{
    append_json_array(out, texts, append_json_string);
}

}  // namespace uscope::output
