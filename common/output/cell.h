// One value of a row, printed in the text table and in JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace uscope::output {

struct Cell {
    enum class Kind : uint8_t { None, Signed, Unsigned, Real, Bool, Text, SafeText, Json };
    Kind kind = Kind::None;
    int precision = 3;  // Real: digits after the point

    Cell() = default;
    Cell(int number) : kind(Kind::Signed), integer_(number) {}
    Cell(long number) : kind(Kind::Signed), integer_(number) {}
    Cell(long long number) : kind(Kind::Signed), integer_(number) {}
    Cell(unsigned number) : kind(Kind::Unsigned), integer_(number) {}
    Cell(unsigned long number) : kind(Kind::Unsigned), integer_(int64_t(number)) {}
    Cell(unsigned long long number) : kind(Kind::Unsigned), integer_(int64_t(number)) {}
    Cell(double number, int digits = 3) : kind(Kind::Real), precision(digits), real_(number) {}
    Cell(bool is) : kind(Kind::Bool), integer_(is) {}
    // Refers to the text: the caller keeps it until the row is written.
    Cell(std::string_view text) : kind(Kind::Text), text_(text) {}
    Cell(const std::string &text) : kind(Kind::Text), text_(text) {}
    Cell(const char *text) : kind(Kind::Text), text_(text) {}
    // Takes over a temporary string.
    Cell(std::string &&text) : kind(Kind::Text), is_own_(true), own_(std::move(text)) {}
    template <class T>
    Cell(const std::optional<T> &value) : Cell(value ? Cell(*value) : Cell())
    {
    }

    // A cell without value unless `any`: blank in the table, and its key is absent from JSON.
    template <class T>
    static Cell when(bool any, T &&value)
    {
        return any ? Cell(std::forward<T>(value)) : Cell();
    }
    // Text that is already safe for a terminal; in JSON it is a string.
    template <class T>
    static Cell safe(T &&text)
    {
        return Cell(Kind::SafeText, std::forward<T>(text));
    }
    // A complete JSON value: an array, an object, null.
    template <class T>
    static Cell json(T &&text)
    {
        return Cell(Kind::Json, std::forward<T>(text));
    }

    bool is_none() const { return kind == Kind::None; }
    bool is_text() const { return kind >= Kind::Text; }
    int64_t integer() const { return integer_; }
    double real() const { return real_; }
    // Text: raw bytes. SafeText, Json: as they are printed.
    std::string_view text() const { return is_own_ ? std::string_view(own_) : text_; }

  private:
    template <class T>
    Cell(Kind its_kind, T &&text) : Cell(std::forward<T>(text))
    {
        kind = its_kind;
    }

    bool is_own_ = false;
    union {
        int64_t integer_ = 0;
        double real_;
    };
    std::string_view text_;
    std::string own_;
};

// Appends the cell's text form, nothing for a cell without value. Text is escaped unless `raw`.
// Returns true if what was appended is known to take one column per byte.
bool append_text(std::string &out, const Cell &cell, bool raw = false);
// Appends the cell's text form as a field of CSV (RFC 4180), in quotes if it contains a comma, a
// quote or a blank at its ends. Escaped text has no line breaks.
void append_csv(std::string &out, const Cell &cell);
// Appends the cell's JSON form: null for a cell without value, a NaN or an infinite number.
void append_json(std::string &out, const Cell &cell);

}  // namespace uscope::output
