// Buffers a tool's output in front of a file descriptor, or of a file.
#pragma once

#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "output/row_index.h"

namespace uscope::output {

struct ProcessColumn;

// After a write error, ok() is false and error() is its errno (EPIPE: the reader went away), and
// all later output is dropped.
class Writer {
  public:
    explicit Writer(int fd);
    ~Writer();
    Writer(const Writer &) = delete;

    struct Style {
        bool headings = true;  // tables begin with the titles of their columns
        bool colours = false;
        bool csv = false;  // what would be JSON objects are lines of CSV
    };
    void set_style(Style style) { style_ = style; }
    const Style &style() const { return style_; }
    // Columns for the rows of processes (output/process_columns.h).
    void set_process_columns(std::vector<ProcessColumn> columns);
    const std::vector<ProcessColumn> &process_columns() const { return process_columns_; }
    // From now on, writes to this file. A regular file is replaced only when the first result is
    // written, so that a tool that fails before keeps the old file. Errors: the file cannot be
    // written.
    Result<> redirect(const std::string &path);

    std::string &buffer() { return buffer_; }
    void maybe_flush()  // if the buffer is large
    {
        constexpr size_t large = 64 * 1024;  // bytes: a pipe's capacity
        if (buffer_.size() >= large)
            flush();
    }
    void flush();
    // For a display that replaces what it showed before. From hold() on, the text stays in the
    // buffer, and rows of tables are entered in row_index(); release() takes both.
    void hold();
    struct Held {
        std::string text;
        RowIndex rows;
    };
    Held release();
    RowIndex *row_index() { return is_held_ ? &row_index_ : nullptr; }
    // Returns how many rows a tool should write at most: all if a display sorts them first.
    std::optional<uint64_t> max_rows(std::optional<uint64_t> top) const
    {
        return is_held_ ? std::nullopt : top;
    }
    // Returns rows, of which the greatest is the last, in the order to write: a display may have no
    // room for the last ones.
    template <class Order>
    Order in_order(Order order) const
    {
        return is_held_ ? Order(order.rbegin(), order.rend()) : order;
    }
    // Writes past the buffer: for escape sequences of a display.
    void write_now(std::string_view text);
    // Asks the terminal again for its width.
    void measure();
    // Appends a line above results.
    void heading(std::string_view line);
    // Appends the line with the names of CSV's columns, unless the last such line is the same. An
    // empty line separates tables with different columns.
    void csv_columns(std::string_view line);
    // Marks the buffer's text since `start` as a heading. A file is not replaced (see redirect())
    // while the buffer has only headings.
    void mark_heading(size_t start);
    bool ok() const { return error_ == 0; }
    int error() const { return error_; }
    // The terminal's width; 0 if the output is not a terminal, or its width is unknown.
    size_t columns() const { return columns_; }
    uint64_t lines() const { return lines_; }  // written so far

  private:
    int fd_;
    int error_ = 0;
    bool is_held_ = false;
    RowIndex row_index_;
    bool open_file();
    bool is_blank(size_t start, size_t end) const;

    size_t columns_;
    uint64_t lines_ = 0;
    Style style_;
    std::vector<ProcessColumn> process_columns_;
    Fd file_;
    std::string path_;          // the file to replace; "": none, or done
    size_t heading_bytes_ = 0;  // at the start of the buffer
    std::string buffer_;
    std::string csv_columns_;  // the last line of names, with its line break
};

}  // namespace uscope::output
