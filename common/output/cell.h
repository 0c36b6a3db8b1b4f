// One value of a row, for people and for programs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace uscope::output {

struct Cell {
    enum class Kind : uint8_t { None, Signed, Unsigned, Real, Bool, Text, SafeText, Json };
    Kind kind = Kind::None;
    int precision = 3;  // Real: digits after the point
    // Text: raw bytes; SafeText, Json: ready. Somebody else keeps a view until the row is written, a string
    // is the cell's own.
    std::variant<int64_t, double, std::string_view, std::string> value = int64_t(0);

    Cell() = default;
    Cell(int number) : kind(Kind::Signed), value(int64_t(number)) {}
    Cell(long number) : kind(Kind::Signed), value(int64_t(number)) {}
    Cell(long long number) : kind(Kind::Signed), value(int64_t(number)) {}
    Cell(unsigned number) : kind(Kind::Unsigned), value(int64_t(number)) {}
    Cell(unsigned long number) : kind(Kind::Unsigned), value(int64_t(number)) {}
    Cell(unsigned long long number) : kind(Kind::Unsigned), value(int64_t(number)) {}
    Cell(double number, int digits = 3) : kind(Kind::Real), precision(digits), value(number) {}
    Cell(bool is) : kind(Kind::Bool), value(int64_t(is)) {}
    Cell(std::string_view text) : kind(Kind::Text), value(text) {}
    Cell(const std::string &text) : kind(Kind::Text), value(std::string_view(text)) {}
    Cell(const char *text) : kind(Kind::Text), value(std::string_view(text)) {}
    Cell(std::string &&text) : kind(Kind::Text), value(std::move(text)) {}
    template <class T>
    Cell(const std::optional<T> &value) : Cell(value ? Cell(*value) : Cell())
    {
    }

    // Nothing unless `any`: such a value is blank in the table, and its key is absent from JSON.
    template <class T>
    static Cell when(bool any, T &&value)
    {
        return any ? Cell(std::forward<T>(value)) : Cell();
    }
    // Text that is safe for a terminal already; in JSON it is a string.
    template <class T>
    static Cell safe(T &&text)
    {
        return Cell(Kind::SafeText, std::forward<T>(text));
    }
    // Ready JSON: an array, an object, null.
    template <class T>
    static Cell json(T &&text)
    {
        return Cell(Kind::Json, std::forward<T>(text));
    }

    bool is_none() const { return kind == Kind::None; }
    bool is_text() const { return kind >= Kind::Text; }
    int64_t integer() const { return *std::get_if<int64_t>(&value); }
    double real() const { return *std::get_if<double>(&value); }
    std::string_view text() const
    {
        auto *own = std::get_if<std::string>(&value);
        return own ? std::string_view(*own) : *std::get_if<std::string_view>(&value);
    }

  private:
    template <class T>
    Cell(Kind its_kind, T &&text) : Cell(std::forward<T>(text))
    {
        kind = its_kind;
    }
};

// For a table: text is escaped unless `raw`. Nothing of a cell without value. True: it is known to have a column for each
// byte.
bool append_text(std::string &out, const Cell &cell, bool raw = false);
// For JSON; null of a cell without value, and of a number that is none.
void append_json(std::string &out, const Cell &cell);

}  // namespace uscope::output
