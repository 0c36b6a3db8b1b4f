// Creates and removes events in tracefs's uprobe_events.
#include "attach/uprobe_event.h"

#include <algorithm>
#include <csignal>

#include <fcntl.h>

#include "base/format.h"
#include "base/text.h"
#include "proc/tracefs.h"

namespace uscope::attach {
namespace {

constexpr std::string_view group = "uscope/", prefix = "t";

std::string path_in(const proc::Tracefs &tracefs, std::string_view file)
{
    return fmt::format("/proc/self/fd/{}/{}", tracefs.directory(), file);
}

bool write_all(const Fd &fd, std::string_view text)
{
    while (!text.empty()) {
        ssize_t written = write(fd.get(), text.data(), text.size());
        if (written <= 0)
            return false;
        text.remove_prefix(written);
    }
    return true;
}

// Does nothing if a descriptor still uses the event: the kernel then refuses this with EBUSY.
void remove_event(const Fd &list, std::string_view name)
{
    write_all(list, fmt::format("-:{}{}\n", group, name));
}

bool is_alive(pid_t pid)
{
    return kill(pid, 0) == 0 || errno != ESRCH;
}

std::string new_name()
{
    static int count = 0;
    return fmt::format("{}{}_{}", prefix, getpid(), count++);
}

Result<uint32_t> read_id(const proc::Tracefs &tracefs, std::string_view name)
{
    std::string text = TRY(read_file(path_in(tracefs, fmt::format("events/{}{}/id", group, name))));
    auto id = parse_number(trim(text));
    if (!id || *id > UINT32_MAX)
        return fail("the event {}{} has no id", group, name);
    return uint32_t(*id);
}

void remove_stale(const std::string &path, const Fd &list)
{
    for (const std::string &name : stale_events(read_file(path).value_or(""), is_alive))
        remove_event(list, name);
}

std::string list_path(const proc::Tracefs &tracefs)
{
    return path_in(tracefs, "uprobe_events");
}
Fd open_list(const std::string &path)
{
    return Fd(open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
}

}  // namespace

Result<UprobeEvent> UprobeEvent::create(const std::string &path, bool is_return,
                                        const std::vector<UprobeSite> &sites)
{
    auto unusable = [](std::string text) {
        return Failure(Error{.text = std::move(text), .code = ENOTSUP});
    };
    auto tracefs = proc::Tracefs::open();
    if (!tracefs)
        return unusable(tracefs.error().text);
    std::string list = list_path(*tracefs);
    UprobeEvent event;
    event.list_ = open_list(list);
    if (!event.list_)
        return unusable(fmt::format("cannot write tracefs' uprobe_events: {}", errno_text(errno)));
    static const bool swept = (remove_stale(list, event.list_), true);
    (void)swept;

    // The lines name the file as /proc/self/fd/N, because the kernel ends a path at the first
    // blank.
    Fd file(open(path.c_str(), O_PATH | O_CLOEXEC));
    if (!file)
        return fail_errno("cannot open {}", path);
    event.name_ = new_name();
    std::string lines;
    for (const UprobeSite &site : sites) {
        lines += fmt::format("{}:{}{} /proc/self/fd/{}:{:#x}", is_return ? 'r' : 'p', group,
                             event.name_, file.get(), site.offset);
        lines += site.ref_ctr_offset ? fmt::format("({:#x})\n", site.ref_ctr_offset) : "\n";
    }
    if (!write_all(event.list_, lines))
        return fail_errno("the kernel refuses an event with {} sites in {}", sites.size(), path);
    event.id_ = TRY(read_id(*tracefs, event.name_));
    return event;
}

UprobeEvent::UprobeEvent(UprobeEvent &&other) noexcept
    : list_(std::move(other.list_)), name_(std::exchange(other.name_, "")), id_(other.id_)
{
}

UprobeEvent &UprobeEvent::operator=(UprobeEvent &&other) noexcept
{
    std::swap(list_, other.list_);
    std::swap(name_, other.name_);
    std::swap(id_, other.id_);
    return *this;
}

UprobeEvent::~UprobeEvent()
{
    if (!name_.empty())
        remove_event(list_, name_);
}

void remove_stale_events()
{
    auto tracefs = proc::Tracefs::open();
    if (!tracefs)
        return;
    std::string list = list_path(*tracefs);
    remove_stale(list, open_list(list));
}

std::vector<std::string> stale_events(std::string_view text, bool is_alive(pid_t))
{
    std::vector<std::string> stale;
    for (std::string_view line : split(text, '\n')) {
        size_t start = line.find(group);
        if (start == line.npos || line.substr(0, start).find(' ') != line.npos)
            continue;
        std::string_view name = line.substr(start + group.size());
        name = name.substr(0, name.find(' '));
        std::string_view pid = name.substr(0, name.find('_'));
        if (!pid.starts_with(prefix))
            continue;
        auto number = parse_number(pid.substr(prefix.size()));
        if (number && *number <= INT32_MAX && !is_alive(pid_t(*number)) &&
            std::find(stale.begin(), stale.end(), name) == stale.end())
            stale.emplace_back(name);
    }
    return stale;
}

}  // namespace uscope::attach
