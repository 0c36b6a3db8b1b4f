// Reads the terminal's size from the kernel, changes its settings, and writes escape sequences.
#include "run/terminal.h"

#include <csignal>
#include <cstdlib>

#include <sys/ioctl.h>
#include <unistd.h>

#include "base/progress.h"
#include "output/escape.h"

namespace uscope::run {
namespace {

// The alternate screen, no cursor, no wrapping of lines, an empty screen; and back.
constexpr std::string_view to_screen = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[H\x1b[J",
                           from_screen = "\x1b[?7h\x1b[?25h\x1b[?1049l";
constexpr int fatal_signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};

const termios *settings_before = nullptr;  // for restore_and_die(); null: they are unchanged

// A signal handler. Its signal then has its default action again.
void restore_and_die(int number)
{
    if (settings_before)
        tcsetattr(STDIN_FILENO, TCSANOW, settings_before);
    [[maybe_unused]] ssize_t written = write(STDOUT_FILENO, from_screen.data(), from_screen.size());
    raise(number);
}

void on_fatal_signals(void (*handler)(int))
{
    struct sigaction action = {};
    action.sa_handler = handler;
    action.sa_flags = int(SA_RESETHAND);
    for (int number : fatal_signals)
        sigaction(number, &action, nullptr);
}

// A terminal that is not the controlling one knows no foreground.
bool in_foreground()
{
    pid_t group = tcgetpgrp(STDOUT_FILENO);
    return group < 0 || group == getpgrp();
}

}  // namespace

std::optional<unsigned> terminal_rows()
{
    winsize size = {};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0)
        return std::nullopt;
    return size.ws_row;
}

bool redraws(const Tool &tool)
{
    return tool.interactive() && output::understands_escapes(getenv("TERM"));
}

bool Screen::enter()
{
    if (is_entered_ || !in_foreground())
        return is_entered_;
    has_keys_ = isatty(STDIN_FILENO) && tcgetattr(STDIN_FILENO, &before_) == 0;
    if (has_keys_) {
        termios keys = before_;
        keys.c_lflag &= ~tcflag_t(ICANON | ECHO);
        keys.c_cc[VMIN] = 1;
        keys.c_cc[VTIME] = 0;
        settings_before = &before_;
        tcsetattr(STDIN_FILENO, TCSANOW, &keys);
    }
    on_fatal_signals(restore_and_die);
    show_progress(false);
    out_.write_now(to_screen);
    is_entered_ = true;
    return true;
}

void Screen::leave()
{
    if (!is_entered_)
        return;
    is_entered_ = false;
    if (has_keys_ && in_foreground())  // else a shell has set the terminal for its own use
        tcsetattr(STDIN_FILENO, TCSANOW, &before_);
    out_.write_now(from_screen);
    settings_before = nullptr;
    on_fatal_signals(SIG_DFL);
    show_progress(true);
}

output::Heatmap terminal_heatmap(const Tool &tool, output::Heatmap::Unit unit)
{
    constexpr size_t usual = 80;
    size_t columns = tool.out().columns();
    auto colours = output::Colours::None;
    if (tool.out().style().colours)
        colours = output::terminal_colours(getenv("TERM"), getenv("COLORTERM"));
    return {columns ? columns : usual, unit, colours};
}

}  // namespace uscope::run
