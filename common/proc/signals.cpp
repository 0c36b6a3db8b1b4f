// Uses the C library's names of signals, and computes those of real-time signals (RTMIN+1,
// RTMAX-1).
#include "proc/signals.h"

#include <csignal>
#include <cstring>

#include "base/format.h"
#include "base/text.h"

namespace uscope::proc {
namespace {

constexpr int largest = 64;

// Parses "RTMIN", "RTMIN+3" or "RTMAX-1".
std::optional<int> parse_real_time(std::string_view name)
{
    struct {
        std::string_view name;
        int base;
        char sign;
    } ends[] = {{"RTMIN", SIGRTMIN, '+'}, {"RTMAX", SIGRTMAX, '-'}};
    for (auto [end, base, sign] : ends) {
        if (!name.starts_with(end))
            continue;
        name.remove_prefix(end.size());
        if (name.empty())
            return base;
        auto distance = parse_number(name.substr(1));
        if (name[0] != sign || !distance || *distance > unsigned(SIGRTMAX - SIGRTMIN))
            return {};
        return sign == '+' ? base + int(*distance) : base - int(*distance);
    }
    return {};
}

}  // namespace

std::vector<std::string> signal_names()
{
    std::vector<std::string> names;
    for (int signal = 1; signal <= SIGRTMAX; signal++)
        if (std::string name = signal_name(signal); name.starts_with("SIG"))
            names.push_back(name.substr(3));
    return names;
}

std::string signal_name(int signal)
{
    if (const char *name = sigabbrev_np(signal); name && signal > 0)
        return fmt::format("SIG{}", name);
    if (signal == SIGRTMIN)
        return "SIGRTMIN";
    if (signal > SIGRTMIN && signal <= SIGRTMAX)
        return fmt::format("SIGRTMIN+{}", signal - SIGRTMIN);
    return fmt::format("{}", signal);
}

std::optional<int> parse_signal(std::string_view text)
{
    if (auto number = parse_number(text))
        return *number <= largest ? std::optional(int(*number)) : std::nullopt;
    std::string name;
    for (char c : text)
        name += c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c;
    if (name.starts_with("SIG"))
        name.erase(0, 3);
    if (name == "IO")
        return SIGIO;
    if (name == "IOT")
        return SIGIOT;
    for (int signal = 1; signal < SIGRTMIN; signal++) {
        const char *known = sigabbrev_np(signal);
        if (known && name == known)
            return signal;
    }
    return parse_real_time(name);
}

}  // namespace uscope::proc
