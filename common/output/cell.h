// One value of a row, for people and for programs.
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
    // Somebody else keeps the bytes until the row is written …
    Cell(std::string_view text) : kind(Kind::Text), text_(text) {}
    Cell(const std::string &text) : kind(Kind::Text), text_(text) {}
    Cell(const char *text) : kind(Kind::Text), text_(text) {}
    // … but of a string that is given away.
    Cell(std::string &&text) : kind(Kind::Text), is_own_(true), own_(std::move(text)) {}
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
    int64_t integer() const { return integer_; }
    double real() const { return real_; }
    // Text: raw bytes; SafeText, Json: ready.
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

// For a table: text is escaped unless `raw`. Nothing of a cell without value. True: it is known to have a column for each
// byte.
bool append_text(std::string &out, const Cell &cell, bool raw = false);
// For JSON; null of a cell without value, and of a number that is none.
void append_json(std::string &out, const Cell &cell);

}  // namespace uscope::output
