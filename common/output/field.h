// Describes a tool's rows as data: what each field is called, and where its value is.
//
//     using Field = output::Field<Event>;
//     return {Field::time(clock, &Event::ts_ns),                        // "time_ns" in JSON
//             {"PID", 7, "pid", &Event::tgid},                          // in the table and in JSON
//             {"uid", &Event::uid},                                     // only in JSON
//             {"STATUS", right(6), "status", or_dash(&Event::status)},  // without value: "-"
//             {"URL", rest, "url", &Event::url, url_with_error},        // the table shows more
//             Field("pid", &Event::pid).attribute("process.pid"),       // also in exported spans
//             Field::only_attribute("url.scheme", scheme)};             // only in exported spans
//
// A value is a member's pointer, or a function of the row. A field without value (an empty
// optional, Cell()) is blank in the table, and absent from JSON.
#pragma once

#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "output/cell.h"
#include "output/clock.h"
#include "output/duration.h"
#include "output/json.h"

namespace uscope::output {

// A column's width, and the side to which its cells are aligned.
struct Width {
    constexpr Width(int its_columns = 0, bool right = false) : columns(its_columns), is_right(right)
    {
    }
    int columns;  // 0: the rest of the line (only for the last column)
    bool is_right;
};
constexpr Width right(int columns)
{
    return {columns, true};
}
constexpr Width rest;

// Converts the value of a field. An array of characters is a text that ends at its first NUL; a
// vector of texts becomes a JSON array.
template <class T>
Cell cell_of(T &&value)
{
    using Value = std::remove_cvref_t<T>;
    if constexpr (std::is_array_v<Value>) {
        return std::string_view(value, strnlen(value, sizeof(value)));
    } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
        std::string array;
        append_json_strings(array, value);
        return Cell::json(std::move(array));
    } else {
        return Cell(std::forward<T>(value));
    }
}

// Values of fields:
// no value if it is "", 0 or false
template <class Get>
auto if_any(Get get)
{
    return [=](const auto &row) {
        Cell cell = cell_of(std::invoke(get, row));
        return Cell::when(cell.is_text() ? !cell.text().empty() : cell.integer() != 0, cell);
    };
}
// "-" in the table if there is no value
template <class Get>
struct OrDash {
    Get get;
};
template <class Get>
OrDash<Get> or_dash(Get get)
{
    return {get};
}
// the same in all rows
template <class Value>
auto always(Value value)
{
    return [=](const auto &) { return value; };
}
// a member of a member: members_of(&Row::request)(&Request::url)
template <class Outer>
auto members_of(Outer outer)
{
    return [=](auto inner) {
        return [=](const auto &row) -> decltype(auto) {
            return std::invoke(inner, std::invoke(outer, row));
        };
    };
}

template <class Row>
struct Field {
    using Get = std::function<Cell(const Row &)>;

    std::string title;  // its column's title; empty: it is only in JSON
    Width width;
    std::string key;           // its JSON key; empty: it is only in the table
    Get value;                 // for JSON; without `shown`, also for the table
    Get shown;                 // for the table, if it differs from JSON
    unsigned narrow_rank = 0;  // gives_way()
    std::string exported_as;   // its name in exported spans; empty: it is not in them

    template <class Value>
    Field(std::string its_key, Value get) : key(std::move(its_key)), value(getter(get))
    {
    }
    template <class Value>
    Field(std::string its_title, Width its_width, Value get)
        : title(std::move(its_title)), width(its_width), value(getter(get))
    {
    }
    template <class Value>
    Field(std::string its_title, Width its_width, std::string its_key, Value get)
        : title(std::move(its_title)), width(its_width), key(std::move(its_key)), value(getter(get))
    {
    }
    template <class Value>
    Field(std::string its_title, Width its_width, std::string its_key, OrDash<Value> get)
        : Field(std::move(its_title), its_width, std::move(its_key), get.get, get)
    {
    }
    template <class Value, class Shown>
    Field(std::string its_title, Width its_width, std::string its_key, Value get, Shown get_shown)
        : Field(std::move(its_title), its_width, std::move(its_key), get)
    {
        shown = getter(get_shown);
    }

    // TIME, a time of CLOCK_MONOTONIC. The clock must outlive the field.
    template <class Value>
    static Field time(const Clock &clock, Value get, Clock::Form form = &Clock::time_of_day,
                      int its_width = 15)
    {
        return {"TIME", its_width, "time_ns",
                [=, &clock](const Row &row) { return clock.unix_ns(std::invoke(get, row)); },
                [=, &clock](const Row &row) { return (clock.*form)(std::invoke(get, row)); }};
    }
    // LATENCY and the like: nanoseconds in JSON, "1.23ms" in the table, "-" without value.
    template <class Value>
    static Field duration(std::string title, std::string key, Value get,
                          std::string (*text)(uint64_t) = duration_text)
    {
        return {std::move(title), right(8), std::move(key), get, [=](const Row &row) {
                    Cell ns = cell_of(std::invoke(get, row));
                    return ns.is_none() ? Cell("-") : Cell::safe(text(uint64_t(ns.integer())));
                }};
    }

    // On a terminal that is too narrow, tables whose lines are cut (Table::cut_lines()) have no
    // such column; those with the highest rank are dropped first.
    Field gives_way(unsigned rank) const
    {
        Field field = *this;
        field.narrow_rank = rank;
        return field;
    }
    Field only_if(bool is) const { return in_table_if(is).in_json_if(is); }
    Field in_table_if(bool is) const
    {
        Field field = *this;
        if (!is)
            field.title.clear();
        return field;
    }
    Field in_json_if(bool is) const
    {
        Field field = *this;
        if (!is)
            field.key.clear();
        return field;
    }
    // Exports the field's value as this attribute of a span. `name` is that of OpenTelemetry's
    // semantic conventions.
    Field attribute(std::string name) const
    {
        Field field = *this;
        field.exported_as = std::move(name);
        return field;
    }
    template <class Value>
    static Field only_attribute(std::string name, Value get)
    {
        return Field("", get).attribute(std::move(name));
    }
    bool is_in(bool json) const { return json ? !key.empty() : !title.empty(); }

  private:
    template <class Value>
    static Get getter(Value get)
    {
        return [=](const Row &row) mutable { return cell_of(std::invoke(get, row)); };
    }
    template <class Value>
    static Get getter(OrDash<Value> get)
    {
        return [=](const Row &row) {
            Cell cell = cell_of(std::invoke(get.get, row));
            return cell.is_none() ? Cell("-") : cell;
        };
    }
};

}  // namespace uscope::output
