// The options of --digest, their check, and the table at each interval.
#include "servers/digest_report.h"

#include <cctype>

#include "base/format.h"
#include "base/named.h"
#include "output/clock.h"
#include "output/escape.h"

namespace uscope::servers {
namespace {

constexpr size_t max_digests = 16384;
constexpr double shortest_s = 0.001, longest_s = 4e6;

}  // namespace

void DigestOptions::declare(run::Tool &tool, const std::string &help)
{
    tool.flag(0, "digest", digest, help);
    tool.option(0, "sort", order_name, "BY",
                fmt::format("sort digests by {} (default total)",
                            alternatives(db::digest_order_names())))
        .values = db::digest_order_names;
    tool.option(0, "top", top, "N", "only the first N digests");
    tool.option('i', "interval", interval, "SECONDS", "print digests every SECONDS seconds");
    live->declare(tool);
}

void DigestOptions::declare_tag(run::Tool &tool)
{
    tool.option(0, "tag", tag, "NAME",
                "separate digests also by this tag in comments such as /*controller='shops'*/");
}

Result<> DigestOptions::check() const
{
    if (interval && !(*interval >= shortest_s && *interval <= longest_s))
        return fail_usage("-i must be {} to {:.0f} seconds", shortest_s, longest_s);
    if (!digest && (top || interval || order_name))
        return fail_usage("--top, --sort and -i need --digest");
    if (!digest && live->is_given())
        return fail_usage("--live needs --digest");
    if (!digest && tag)
        return fail_usage("--tag needs --digest");
    if (top == 0u)
        return fail_usage("--top must be at least 1");
    if (order_name && !db::parse_digest_order(*order_name))
        return fail_usage("--sort: \"{}\" is not one of {}", *order_name,
                          join(db::digest_order_names(), ", "));
    return live->check();
}

db::DigestOrder DigestOptions::order() const
{
    return db::parse_digest_order(order_name.value_or("total")).value_or(db::DigestOrder::Total);
}

DigestReport::DigestReport(run::Tool &tool, const DigestOptions &options, db::DigestStyle style,
                           std::string what)
    : tool_(tool),
      options_(options),
      style_(std::move(style)),
      what_(std::move(what)),
      digests_(max_digests)
{
    style_.tags = options.tag.has_value();
}

Result<> DigestReport::show_every_interval(run::Loop &loop)
{
    constexpr double live_interval = 1;
    run::Live &live = *options_.live;
    if (!options_.interval && !live.is_given())
        return {};
    if (!style_.json)
        live.use();
    std::string column = options_.order_name.value_or("total");
    for (char &c : column)
        c = char(toupper(c));
    live.set_order({column, options_.top});
    TRY(live.start(tool_, loop, [this] { refresh(); }));
    return loop.every(options_.interval.value_or(live_interval) * 1000, [this] { refresh(); });
}

void DigestReport::refresh()
{
    if (options_.live->is_paused())
        return;
    if (!options_.live->draw([this] { write(true); }) && options_.interval)
        show();
}

void DigestReport::write(bool has_time)
{
    bool is_total = options_.live->is_given() && !options_.interval;
    auto rows = is_total ? digests_.all(options_.order()) : digests_.take(options_.order());
    if (has_time && !style_.json)
        append_format(tool_.out().buffer(), "{}{}\n", output::Clock::now(),
                      rows.empty() ? "  no " + what_ : "");
    if (auto top = tool_.out().max_rows(options_.top); top && rows.size() > *top)
        rows.resize(*top);
    if (!rows.empty())
        db::print_digests(tool_.out(), rows, style_);
    else if (!has_time)
        tool_.note_nothing(fmt::format("no {} were seen", what_));
}

void DigestReport::show()
{
    write(options_.interval.has_value());
    if (options_.interval && !style_.json)
        output::append(tool_.out().buffer(), "\n");
    tool_.out().flush();
}

}  // namespace uscope::servers
