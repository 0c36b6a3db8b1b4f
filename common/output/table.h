// Rows of named columns, as text or as JSON: a tool declares its columns once and never formats.
//
//     Table table(writer, {{"PID", 7}, {"COMM", 15}, {"US", 8, right}, {"MESSAGE"}}, json);
//     table.header();                            // PID     COMM                  US MESSAGE
//     table.row({pid, comm, took_us, message});  // 181     redis-server          42 GET key
//                                       or JSON: {"pid":181,"comm":"redis-server","us":42,"message":"GET key"}
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.h"

namespace uscope::output {

constexpr bool right = true;

struct Column {
    std::string title;  // "PID"; the JSON key is the same in lower case, other characters as '_'
    int width = 0;      // 0: the rest of the line (last column)
    bool right = false;
    std::string json = {};  // the key, when it is to be another
};

struct Cell {
    enum class Kind : uint8_t { Signed, Unsigned, Real, Text, Json, None };
    Kind kind = Kind::None;
    int64_t integer = 0;
    double real = 0;
    int precision = 3;            // Real: digits after the point
    std::string_view text = {};   // Text: raw bytes; Json: ready JSON, shown in JSON only
    std::string_view shown = {};  // when not empty: what the text form shows instead (already safe)

    Cell() = default;
    Cell(int value) : kind(Kind::Signed), integer(value) {}
    Cell(long value) : kind(Kind::Signed), integer(value) {}
    Cell(long long value) : kind(Kind::Signed), integer(value) {}
    Cell(unsigned value) : kind(Kind::Unsigned), integer(value) {}
    Cell(unsigned long value) : kind(Kind::Unsigned), integer(value) {}
    Cell(unsigned long long value) : kind(Kind::Unsigned), integer(value) {}
    Cell(double value, int digits = 3) : kind(Kind::Real), real(value), precision(digits) {}
    Cell(std::string_view value) : kind(Kind::Text), text(value) {}
    Cell(const std::string &value) : kind(Kind::Text), text(value) {}
    Cell(const char *value) : kind(Kind::Text), text(value) {}

    // JSON for programs (append_json_value(), arrays, …) beside `text` for people, which is already
    // safe.
    static Cell json(std::string_view json, std::string_view text = {})
    {
        Cell cell;
        cell.kind = Kind::Json;
        cell.text = json;
        cell.shown = text;
        return cell;
    }
};

// Buffers what it writes; flush() hands it over. Write errors are kept: ok() is false and error()
// says why (EPIPE: the reader went away), once and for all; what comes after is dropped.
class Writer {
  public:
    explicit Writer(int fd);
    ~Writer();
    Writer(const Writer &) = delete;

    fmt::memory_buffer &buffer() { return buffer_; }
    void maybe_flush();  // when there is much
    void flush();
    bool ok() const { return error_ == 0; }
    int error() const { return error_; }
    // Of the terminal that it writes to; 0 when it is none, or does not say.
    size_t columns() const { return columns_; }

  private:
    int fd_;
    int error_ = 0;
    size_t columns_;
    fmt::memory_buffer buffer_;
};

// Where the columns are wider together than the terminal, each is only as wide as its title and the
// cells so far need.
class Table {
  public:
    Table(Writer &writer, std::vector<Column> columns, bool json, bool raw = false);

    void header();  // text only
    // The cells of one row, in the order of the columns. A None cell is blank, and absent from
    // JSON. Text is escaped here (`raw`: not in the text form). Does not allocate.
    void row(std::initializer_list<Cell> cells) { row(cells.begin(), cells.size()); }
    void row(const std::vector<Cell> &cells) { row(cells.data(), cells.size()); }
    void row(const Cell *cells, size_t count);
    // A line of its own, such as a frame of a stack or a count of lost events. Text form: `text`
    // (already safe), which may be empty. JSON form: `json`, a ready object such as
    // {"type":"lost","count":3}, if it is not empty.
    void line(std::string_view text, std::string_view json = {});

  private:
    void text_row(const Cell *cells, size_t count);
    void json_row(const Cell *cells, size_t count);

    Writer &writer_;
    std::vector<Column> columns_;
    std::vector<int> widths_;        // as shown
    std::vector<std::string> keys_;  // `"pid":`
    bool json_, raw_;
};

}  // namespace uscope::output
