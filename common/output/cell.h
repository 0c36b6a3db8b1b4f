// One value of a row, for people and for programs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/format.h"

namespace uscope::output {

struct Cell {
    enum class Kind : uint8_t { None, Signed, Unsigned, Real, Bool, Text, SafeText, Json };
    Kind kind = Kind::None;
    int precision = 3;  // Real: digits after the point
    int64_t integer = 0;
    double real = 0;
    std::string_view borrowed = {};  // Text: raw bytes; SafeText, Json: ready
    std::string owned = {};

    Cell() = default;
    Cell(int value) : kind(Kind::Signed), integer(value) {}
    Cell(long value) : kind(Kind::Signed), integer(value) {}
    Cell(long long value) : kind(Kind::Signed), integer(value) {}
    Cell(unsigned value) : kind(Kind::Unsigned), integer(value) {}
    Cell(unsigned long value) : kind(Kind::Unsigned), integer(value) {}
    Cell(unsigned long long value) : kind(Kind::Unsigned), integer(value) {}
    Cell(double value, int digits = 3) : kind(Kind::Real), precision(digits), real(value) {}
    Cell(bool value) : kind(Kind::Bool), integer(value) {}
    // Texts that somebody else keeps until the row is written,
    Cell(std::string_view value) : kind(Kind::Text), borrowed(value) {}
    Cell(const std::string &value) : kind(Kind::Text), borrowed(value) {}
    Cell(const char *value) : kind(Kind::Text), borrowed(value) {}
    // and those that the cell keeps.
    Cell(std::string &&value) : kind(Kind::Text), owned(std::move(value)) {}
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
    std::string_view text() const { return owned.empty() ? borrowed : std::string_view(owned); }

  private:
    template <class T>
    Cell(Kind its_kind, T &&value) : Cell(std::forward<T>(value))
    {
        kind = its_kind;
    }
};

// For a table: text is escaped unless `raw`. Nothing of a cell without value.
void append_text(fmt::memory_buffer &out, const Cell &cell, bool raw = false);
// For JSON; null of a cell without value, and of a number that is none.
void append_json(fmt::memory_buffer &out, const Cell &cell);

}  // namespace uscope::output
