// Reads the kernel's map of statements and makes records from its entries.
#include "servers/pending.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <vector>

#include <bpf/bpf.h>

#include "base/clock.h"
#include "db/statement_texts.h"
#include "kernel/map.h"
#include "output/clock.h"
#include "output/json.h"

namespace uscope::servers {
namespace {

using Open = std::pair<statement_key, statement_state>;

bool is_postgres(const statement_event &event)
{
    return event.kind >= 'A' && event.kind <= 'Z';
}

bool is_reported(const statement_event &event, const statement_config &config)
{
    if (event.kind == 0 || event.kind == '?' || event.took_ns < config.min_ns)
        return false;
    bool is_step = event.kind == 'P' || event.kind == 'B' || event.kind == 'S';
    bool has_text = event.unreadable != STATEMENT_UNSEEN_TEXT;
    bool is_alive = kill(pid_t(event.tgid), 0) == 0 || errno != ESRCH;
    return is_alive && (!is_postgres(event) || (has_text && (!is_step || config.steps)));
}

std::string text_of(const Open &open, const StatementMaps &maps)
{
    const auto &[key, state] = open;
    if (!state.has_long_text)
        return {state.text, std::min<size_t>(state.event.kept, sizeof(state.text))};
    statement_long_text text;
    if (bpf_map_lookup_elem(bpf_map__fd(maps.long_texts), &key, &text) != 0)
        return {};
    return {text.text, std::min<size_t>(state.event.kept, sizeof(text.text))};
}

std::string record_of(const Open &open, const StatementMaps &maps)
{
    statement_event event = open.second.event;
    uint32_t thread = open.first.owner;
    if (is_postgres(event))
        bpf_map_lookup_elem(bpf_map__fd(maps.sessions), &thread, &event.session);
    std::string text = text_of(open, maps);
    event.kept = text.size();
    return std::string(reinterpret_cast<const char *>(&event), sizeof(event)) + text;
}

}  // namespace

Result<> each_open_statement(const StatementMaps &maps, const statement_config &config,
                             uint64_t end_ns, const std::function<void(Bytes record)> &take)
{
    auto found = TRY((kernel::read_map<statement_key, statement_state>(bpf_map__fd(maps.states))));
    std::erase_if(found, [&](const Open &open) { return open.second.event.start_ns > end_ns; });
    for (auto &[key, state] : found) {
        state.event.is_open = true;
        state.event.ts_ns = end_ns;
        bool is_running = state.start_ns && state.start_ns < end_ns;
        state.event.took_ns = state.worked_ns + (is_running ? end_ns - state.start_ns : 0);
    }
    std::erase_if(found, [&](const Open &open) { return !is_reported(open.second.event, config); });
    std::sort(found.begin(), found.end(), [](const Open &a, const Open &b) {
        return a.second.event.start_ns < b.second.event.start_ns;
    });
    for (const Open &open : found)
        take(Bytes(record_of(open, maps)));
    return {};
}

void report_open(run::Tool &tool, uint64_t open)
{
    if (open == 0)
        return;
    tool.note("{} statement{} had not ended and {} not counted", open, open == 1 ? "" : "s",
              open == 1 ? "is" : "are");
    if (tool.json())
        output::JsonObject(tool.out().buffer())
            .add("type", "statements")
            .add("time_ns", output::Clock::now_unix_ns())
            .add("open", open)
            .end_line();
}

Result<> report_open(run::Tool &tool, const StatementMaps &maps, const statement_config &config)
{
    uint64_t open = 0;
    auto count = [&](Bytes record) {
        auto event = record.read<statement_event>(0);
        open += event && db::is_wanted(*event, config);
    };
    TRY(each_open_statement(maps, config, monotonic_ns(), count));
    report_open(tool, open);
    return {};
}

}  // namespace uscope::servers
