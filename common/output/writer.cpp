// Writes the buffer, and waits if the terminal is non-blocking.
#include "output/writer.h"

#include <cerrno>

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace uscope::output {
namespace {

size_t terminal_columns(int fd)
{
    winsize size = {};
    return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

}  // namespace

Writer::Writer(int fd) : fd_(fd), columns_(terminal_columns(fd)) {}

Writer::~Writer()
{
    flush();
}

void Writer::flush()
{
    const char *at = buffer_.data(), *end = at + buffer_.size();
    while (at < end && error_ == 0) {
        ssize_t written = write(fd_, at, end - at);
        if (written >= 0) {
            at += written;
        } else if (errno == EAGAIN) {  // another program made the terminal non-blocking
            pollfd wait = {.fd = fd_, .events = POLLOUT, .revents = 0};
            poll(&wait, 1, -1);
        } else if (errno != EINTR) {
            error_ = errno;
        }
    }
    buffer_.clear();
}

}  // namespace uscope::output
