// Writes JSON objects member by member. Only this code puts braces, commas and quotes.
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

    // Omits the member if the cell has no value. `key` may be any text: it is escaped.
    JsonObject &add(std::string_view key, const Cell &value)
    {
        if (!value.is_none())
            append_json(member(key), value);
        return *this;
    }
    // Appends the key; the caller must append the value, such as an object or an array.
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

// Starts an object about the run, which is not a row of the tool's table:
// {"type":"lost","time_ns":…
JsonObject notice(std::string &out, std::string_view type);

// Appends an array; `append_one(out, item)` appends each element.
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
