// Columns about a process, which Rows adds to each list of fields that has a process (the key
// "pid"). So every tool has the same ones.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "output/field.h"

namespace uscope::output {

struct ProcessColumn {
    std::string title;  // empty: it is only in JSON
    Width width;
    std::string key;
    std::function<std::string(int64_t pid)> text;  // "": unknown

    // Returns the cell for a row with this pid; if the text is unknown: "-" in the table, absent
    // from JSON.
    Cell cell(const Cell &pid, bool json) const
    {
        std::string shown = pid.is_none() ? "" : text(pid.integer());
        if (!shown.empty())
            return {std::move(shown)};
        return json ? Cell() : Cell("-");
    }
};

// Adds the members to the JSON object of a row that is not described by fields.
inline void add_process_members(JsonObject &object, const std::vector<ProcessColumn> &columns,
                                int64_t pid)
{
    for (const ProcessColumn &column : columns)
        object.add(column.key, column.cell(pid, true));
}

// Says where columns about a process belong in a list of fields: after those that say which process
// it is (pid, tid, comm).
class ProcessPosition {
  public:
    static constexpr size_t none = SIZE_MAX;

    // Call for each field, in their order.
    void look_at(std::string_view key)
    {
        if (key == "pid")
            pid_ = at_;
        if (key == "pid" || (pid_ != none && (key == "tid" || key == "comm")))
            last_ = at_;
        at_++;
    }
    size_t pid() const { return pid_; }    // the index of the pid's field; none: there is none
    size_t last() const { return last_; }  // of the field before the columns
  private:
    size_t at_ = 0, pid_ = none, last_ = none;
};

}  // namespace uscope::output
