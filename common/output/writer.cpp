// Writes the buffer, and waits if the terminal is non-blocking.
#include "output/writer.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/progress.h"
#include "output/escape.h"
#include "output/file.h"
#include "output/process_columns.h"

namespace uscope::output {
namespace {

size_t terminal_columns(int fd)
{
    winsize size = {};
    return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

Result<Fd> open_new(const std::string &path)
{
    NewFile file = TRY(NewFile::create(path));
    return std::move(file).put();
}

}  // namespace

Writer::Writer(int fd) : fd_(fd), columns_(terminal_columns(fd)) {}

void Writer::set_process_columns(std::vector<ProcessColumn> columns)
{
    process_columns_ = std::move(columns);
}

Writer::~Writer()
{
    flush();
}

Result<> Writer::redirect(const std::string &path)
{
    NewFile file = TRY(NewFile::create(path));
    if (file.is_regular()) {
        path_ = path;
    } else {
        file_ = TRY(std::move(file).put());
        fd_ = file_.get();
    }
    columns_ = 0;
    return {};
}

bool Writer::is_blank(size_t start, size_t end) const
{
    return std::all_of(buffer_.begin() + std::min(start, end), buffer_.begin() + end,
                       [](char c) { return c == '\n' || c == ' '; });
}

void Writer::mark_heading(size_t start)
{
    if (is_blank(heading_bytes_, start))
        heading_bytes_ = buffer_.size();
}

void Writer::heading(std::string_view line)
{
    if (!style_.headings)
        return;
    size_t start = buffer_.size();
    append(buffer_, style_.colours ? "\x1b[1m" : "");
    append(buffer_, line);
    append(buffer_, style_.colours ? "\x1b[0m\n" : "\n");
    mark_heading(start);
}

void Writer::csv_columns(std::string_view line)
{
    if (csv_columns_ == line)
        return;
    size_t start = buffer_.size();
    append(buffer_, csv_columns_.empty() ? "" : "\n");
    append(buffer_, line);
    mark_heading(start);
    csv_columns_ = line;
}

// Returns false as long as there is nothing to write into the file.
bool Writer::open_file()
{
    if (is_blank(heading_bytes_, buffer_.size()))
        return false;
    auto file = open_new(path_);
    if (file) {
        file_ = std::move(*file);
        fd_ = file_.get();
    } else {
        error_ = file.error().code ? file.error().code : EIO;
    }
    path_.clear();
    return true;
}

void Writer::hold()
{
    flush();
    is_held_ = true;
}

Writer::Held Writer::release()
{
    is_held_ = false;
    heading_bytes_ = 0;
    return {std::exchange(buffer_, {}), std::exchange(row_index_, {})};
}

void Writer::measure()
{
    columns_ = terminal_columns(fd_);
}

void Writer::flush()
{
    if (is_held_ || (!path_.empty() && !open_file()))
        return;
    if (columns_)
        erase_progress();
    write_now(buffer_);
    buffer_.clear();
    heading_bytes_ = 0;
}

void Writer::write_now(std::string_view text)
{
    const char *at = text.data(), *end = at + text.size();
    while (at < end && error_ == 0) {
        ssize_t written = write(fd_, at, end - at);
        if (written >= 0) {
            lines_ += std::count(at, at + written, '\n');
            at += written;
        } else if (errno == EAGAIN) {  // another program made the terminal non-blocking
            pollfd wait = {.fd = fd_, .events = POLLOUT, .revents = 0};
            poll(&wait, 1, -1);
        } else if (errno != EINTR) {
            error_ = errno;
        }
    }
}

}  // namespace uscope::output
