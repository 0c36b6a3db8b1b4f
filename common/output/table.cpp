#include "output/table.h"

#include <algorithm>
#include <cerrno>
#include <cmath>

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "output/escape.h"

namespace uscope::output {

namespace {

constexpr size_t much = 64 * 1024;  // bytes: a pipe's capacity

std::string json_key(const Column &column)
{
    if (!column.json.empty())
        return column.json;
    std::string key;
    for (char c : column.title) {  // "TIME (us)" -> "time_us"
        bool letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (letter)
            key += c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
        else if (!key.empty() && key.back() != '_')
            key += '_';
    }
    while (!key.empty() && key.back() == '_')
        key.pop_back();
    return key;
}

// Most rows begin with a time: what fits an integer is not worth the general algorithm's 100 ns.
void append_real(fmt::memory_buffer &out, double value, int precision)
{
    constexpr uint64_t powers[] = {1, 10, 100, 1000, 10'000, 100'000, 1'000'000};
    if (precision < 1 || precision > 6 || !(std::fabs(value) < 1e9)) {
        fmt::format_to(fmt::appender(out), "{:.{}f}", value, precision);
        return;
    }
    uint64_t scaled = std::llround(std::fabs(value) * powers[precision]);
    if (value < 0 && scaled)
        out.push_back('-');
    fmt::format_int whole(scaled / powers[precision]);
    fmt::format_int fraction(scaled % powers[precision] + powers[precision]);  // 1 and its digits
    append(out, {whole.data(), whole.size()});
    out.push_back('.');
    append(out, {fraction.data() + 1, fraction.size() - 1});
}

void append_cell(fmt::memory_buffer &out, const Cell &cell)
{
    switch (cell.kind) {
    case Cell::Kind::Signed: {
        fmt::format_int digits(cell.integer);
        return append(out, {digits.data(), digits.size()});
    }
    case Cell::Kind::Unsigned: {
        fmt::format_int digits(static_cast<uint64_t>(cell.integer));
        return append(out, {digits.data(), digits.size()});
    }
    case Cell::Kind::Real:
        return append_real(out, cell.real, cell.precision);
    default:
        return;
    }
}

size_t terminal_columns(int fd)
{
    winsize size = {};
    return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

// A last column without a width is of any length: it needs no more than its title.
std::vector<int> fitting_widths(const std::vector<Column> &columns, size_t terminal)
{
    std::vector<int> declared, least;
    size_t together = 0;
    for (const Column &column : columns) {
        declared.push_back(column.width);
        least.push_back(column.title.size());
        together += std::max(declared.back(), least.back()) + 1;
    }
    return terminal && together > terminal + 1 ? least : declared;
}

}  // namespace

Writer::Writer(int fd) : fd_(fd), columns_(terminal_columns(fd)) {}

Writer::~Writer()
{
    flush();
}

void Writer::maybe_flush()
{
    if (buffer_.size() >= much)
        flush();
}

void Writer::flush()
{
    const char *at = buffer_.data(), *end = at + buffer_.size();
    while (at < end && error_ == 0) {
        ssize_t written = write(fd_, at, end - at);
        if (written >= 0) {
            at += written;
        } else if (errno == EAGAIN) {  // somebody made the terminal non-blocking
            pollfd wait = {.fd = fd_, .events = POLLOUT, .revents = 0};
            poll(&wait, 1, -1);
        } else if (errno != EINTR) {
            error_ = errno;
        }
    }
    buffer_.clear();
}

Table::Table(Writer &writer, std::vector<Column> columns, bool json, bool raw)
    : writer_(writer),
      columns_(std::move(columns)),
      widths_(fitting_widths(columns_, writer.columns())),
      json_(json),
      raw_(raw)
{
    for (const Column &column : columns_) {
        fmt::memory_buffer key;
        append_json_string(key, json_key(column));
        key.push_back(':');
        keys_.push_back(fmt::to_string(key));
    }
}

void Table::header()
{
    if (json_)
        return;
    std::vector<Cell> titles;
    for (const Column &column : columns_)
        titles.push_back(column.title);
    text_row(titles.data(), titles.size());
}

void Table::row(const Cell *cells, size_t count)
{
    count = std::min(count, columns_.size());
    if (json_)
        json_row(cells, count);
    else
        text_row(cells, count);
    writer_.maybe_flush();
}

void Table::text_row(const Cell *cells, size_t count)
{
    fmt::memory_buffer &out = writer_.buffer();
    for (size_t i = 0; i < count; i++) {
        const Cell &cell = cells[i];
        const Column &column = columns_[i];
        if (i)
            out.push_back(' ');
        size_t start = out.size();
        if (!cell.shown.empty())
            append(out, cell.shown);
        else if (cell.kind == Cell::Kind::Text)
            append_escaped(out, cell.text, raw_);
        else
            append_cell(out, cell);
        bool last = i + 1 == count;
        if (column.right || !last)  // no blanks at a line's end
            pad(out, start, widths_[i], !column.right);
        if (widths_[i] < column.width)
            widths_[i] = std::clamp<int>(columns({out.data() + start, out.size() - start}),
                                         widths_[i], column.width);
    }
    out.push_back('\n');
}

void Table::json_row(const Cell *cells, size_t count)
{
    fmt::memory_buffer &out = writer_.buffer();
    char separator = '{';
    for (size_t i = 0; i < count; i++) {
        const Cell &cell = cells[i];
        if (cell.kind == Cell::Kind::None)
            continue;
        out.push_back(separator);
        separator = ',';
        append(out, keys_[i]);
        if (cell.kind == Cell::Kind::Text)
            append_json_string(out, cell.text);
        else if (cell.kind == Cell::Kind::Json)
            append(out, cell.text);
        else if (cell.kind == Cell::Kind::Real && !std::isfinite(cell.real))
            append(out, "null");
        else
            append_cell(out, cell);
    }
    append(out, separator == '{' ? "{}\n" : "}\n");
}

void Table::line(std::string_view text, std::string_view json)
{
    fmt::memory_buffer &out = writer_.buffer();
    if (json_ && json.empty())
        return;
    append(out, json_ ? json : text);
    out.push_back('\n');
    writer_.maybe_flush();
}

}  // namespace uscope::output
