// Draws the screen of --live, and reads its keys.
#include "run/live.h"

#include <algorithm>
#include <csignal>
#include <deque>

#include <poll.h>
#include <unistd.h>

#include "base/format.h"
#include "output/columns.h"
#include "output/escape.h"
#include "run/loop.h"
#include "run/terminal.h"
#include "run/tool.h"

namespace uscope::run {

using output::append;

struct Live::State {
    State(Tool &its_tool, Loop &its_loop, Order its_order, std::function<void()> its_refresh)
        : tool(its_tool),
          loop(its_loop),
          order(std::move(its_order)),
          refresh(std::move(its_refresh)),
          screen(tool.out())
    {
    }
    ~State()
    {
        if (has_ended)  // and the loop may be gone
            return;
        loop.drop_ends();
        leave();
    }

    Tool &tool;
    Loop &loop;
    Order order;
    std::function<void()> refresh;
    Screen screen;
    output::Writer::Held shown = {};
    bool is_paused = false, has_ended = false;
    std::deque<std::string> notes = {};  // lines for standard error
    uint64_t left_out = 0;               // notes before them

    Result<> listen();
    bool enter();
    void leave();
    void end();
    void suspend();
    void keep(std::string line);
    void read_keys();
    void on_key(char key);
    void sort_by_next();
    void paint();
    std::string text() const { return shown.rows.sorted(shown.text, order.column, order.max_rows); }
    std::string status(size_t hidden_lines) const;
};

namespace {

constexpr size_t max_notes = 1000;
constexpr const char *reverse = "\x1b[7m", *plain = "\x1b[0m", *erase_rest = "\x1b[K";

bool is_ignored(int number)
{
    struct sigaction action;
    return sigaction(number, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

// The length of the first key: an arrow or a function key is a sequence, which ends with a letter
// or '~'.
size_t key_length(std::string_view keys)
{
    if (!keys.starts_with("\x1b[") && !keys.starts_with("\x1bO"))
        return 1;
    size_t length = 2;
    while (length < keys.size() && keys[length] < '@')
        length++;
    return std::min(length + 1, keys.size());
}

std::vector<std::string_view> lines_of(std::string_view text)
{
    while (text.starts_with('\n'))
        text.remove_prefix(1);
    while (text.ends_with('\n'))
        text.remove_suffix(1);
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        size_t end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

}  // namespace

// --- the terminal --------------------------------------------------------------------------------

Result<> Live::State::listen()
{
    TRY(loop.on_other_signal(SIGWINCH, [this] {
        tool.out().measure();
        paint();
    }));
    // Another program may have changed the terminal while this process was stopped.
    TRY(loop.on_other_signal(SIGCONT, [this] {
        leave();
        tool.out().measure();
        paint();
    }));
    // A shell without job control ignores it.
    if (!is_ignored(SIGTSTP))
        TRY(loop.on_other_signal(SIGTSTP, [this] { suspend(); }));
    loop.on_end([this] { end(); });
    return {};
}

bool Live::State::enter()
{
    if (screen.is_entered() || has_ended)
        return screen.is_entered();
    if (!screen.enter())
        return false;
    if (isatty(STDERR_FILENO))
        tool.set_note_reader([this](std::string line) { keep(std::move(line)); });
    if (screen.has_keys() && !loop.on_readable(STDIN_FILENO, [this] { read_keys(); }))
        loop.forget(STDIN_FILENO);
    return true;
}

void Live::State::leave()
{
    if (!screen.is_entered())
        return;
    loop.forget(STDIN_FILENO);
    screen.leave();
    tool.set_note_reader({});
    if (left_out)
        tool.note("{} earlier notes are left out", std::exchange(left_out, 0));
    for (const std::string &line : std::exchange(notes, {}))
        fputs(line.c_str(), stderr);
}

void Live::State::end()
{
    has_ended = true;
    is_paused = false;
    leave();
}

// Does what SIGTSTP does without this tool's handling. The kernel ignores the signal if no shell
// could continue the process.
void Live::State::suspend()
{
    leave();
    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTSTP);
    raise(SIGTSTP);
    sigprocmask(SIG_UNBLOCK, &stop, nullptr);
    sigprocmask(SIG_BLOCK, &stop, nullptr);
    tool.out().measure();
    paint();
}

void Live::State::keep(std::string line)
{
    notes.push_back(std::move(line));
    if (notes.size() <= max_notes)
        return;
    notes.pop_front();
    left_out++;
}

// --- keys ----------------------------------------------------------------------------------------

void Live::State::read_keys()
{
    char keys[64];
    ssize_t count = read(STDIN_FILENO, keys, sizeof(keys));
    if (count <= 0)
        return loop.forget(STDIN_FILENO);
    std::string_view rest(keys, count);
    while (!rest.empty()) {
        size_t length = key_length(rest);
        if (length == 1)
            on_key(rest[0]);
        rest.remove_prefix(length);
    }
}

void Live::State::on_key(char key)
{
    if (key == 'q') {
        loop.stop();
    } else if (key == 's') {
        sort_by_next();
        paint();
    } else if (key == 'p') {
        is_paused = !is_paused;
        if (!is_paused)
            refresh();
        paint();
    }
}

void Live::State::sort_by_next()
{
    const auto &titles = shown.rows.titles();
    auto column = std::find(titles.begin(), titles.end(), order.column);
    if (column != titles.end())
        ++column;
    if (column == titles.end())
        column = titles.begin();
    if (column != titles.end())
        order.column = *column;
}

// --- drawing -------------------------------------------------------------------------------------

std::string Live::State::status(size_t hidden_lines) const
{
    std::string text = is_paused ? " PAUSED  " : " ";
    append(text, screen.has_keys() ? "q quit" : "Ctrl-C quit");
    const auto &titles = shown.rows.titles();
    if (screen.has_keys() && !titles.empty()) {
        bool is_sorted = std::find(titles.begin(), titles.end(), order.column) != titles.end();
        append(text, "  s sort");
        if (is_sorted)
            append(text, fmt::format(" ({})", order.column));
    }
    if (screen.has_keys())
        append(text, is_paused ? "  p continue" : "  p pause");
    if (hidden_lines)
        append(text, fmt::format("  {} more line{}", hidden_lines, hidden_lines == 1 ? "" : "s"));
    return text + " ";
}

void Live::State::paint()
{
    if (!enter())
        return;
    size_t rows = std::max(terminal_rows().value_or(24), 1u);
    size_t below = 1 + !notes.empty();
    size_t room = rows > below ? rows - below : 0;
    std::string sorted = text(), out = "\x1b[H";
    auto lines = lines_of(sorted);
    size_t hidden = lines.size() > room ? lines.size() - room : 0;
    lines.resize(lines.size() - hidden);
    for (std::string_view line : lines) {
        append(out, line);
        append(out, fmt::format("{}\r\n", erase_rest));
    }
    append(out, "\x1b[J");
    if (!notes.empty() && rows > 1)
        append(out, fmt::format("\x1b[{};1H{}", rows - 1,
                                notes.back().substr(0, notes.back().find('\n'))));
    std::string last = status(hidden);
    if (size_t columns = tool.out().columns())
        last.resize(output::bytes_of_columns(last, columns));
    append(out, fmt::format("\x1b[{};1H{}{}{}", rows, reverse, last, plain));
    tool.out().write_now(out);
}

// --- the class -----------------------------------------------------------------------------------

Live::Live() = default;
Live::~Live() = default;

void Live::declare(Tool &tool)
{
    tool_ = &tool;
    tool.flag(0, "live", is_given_,
              "on a terminal: refresh results in place; keys: q quit, s sort, p pause");
}

Result<> Live::check() const
{
    if (!is_given_)
        return {};
    if (tool_->writes_objects())
        return fail_usage("--live and {} exclude each other", tool_->json_name());
    if (tool_->writes_file())
        return fail_usage("--live and --output exclude each other");
    if (excluded_)
        return fail_usage("--live and {} exclude each other", excluded_);
    return {};
}

void Live::set_order(Order order)
{
    order_ = std::move(order);
}

Result<> Live::start(Tool &tool, Loop &loop, std::function<void()> refresh)
{
    if (!is_given_ && !is_used_)
        return {};
    if (!redraws(tool)) {
        if (is_given_ && !tool.quiet())
            tool.note("--live has no effect: standard output is not a terminal with a screen");
        return {};
    }
    state_ = std::make_unique<State>(tool, loop, order_, std::move(refresh));
    TRY(state_->listen());
    state_->paint();
    return {};
}

bool Live::draw(const std::function<void()> &write)
{
    if (!state_)
        return false;
    if (!state_->enter()) {
        state_->shown = {};
        return false;
    }
    output::Writer &out = state_->tool.out();
    out.hold();
    write();
    state_->shown = out.release();
    state_->paint();
    return true;
}

Result<> Live::draw_each_second(Tool &tool, Loop &loop, const std::function<void()> &write)
{
    constexpr unsigned second_ms = 1000;
    auto refresh = [this, write] {
        if (!is_paused())
            draw(write);
    };
    TRY(start(tool, loop, refresh));
    return state_ ? loop.every(second_ms, refresh) : Result<>();
}

bool Live::is_paused() const
{
    return state_ && state_->is_paused;
}

void Live::append_last(std::string &out) const
{
    if (state_)
        append(out, state_->text());
}

void SummaryOptions::declare(Tool &tool)
{
    tool.flag('S', "summary", is_wanted,
              "print a table by host and path template at the end, instead of lines");
    live.declare(tool);
}

Result<> SummaryOptions::check()
{
    if (live.is_given() && !is_wanted)
        return fail_usage("--live needs --summary (-S)");
    live.set_order({.column = "COUNT"});
    return live.check();
}

}  // namespace uscope::run
