// The options of --digest, their check, and the table at each interval.
#include "servers/digest_report.h"

#include <algorithm>

#include "base/format.h"
#include "base/named.h"
#include "output/clock.h"
#include "output/escape.h"
#include "run/terminal.h"

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
    if (!digest && tag)
        return fail_usage("--tag needs --digest");
    if (top == 0u)
        return fail_usage("--top must be at least 1");
    if (order_name && !db::parse_digest_order(*order_name))
        return fail_usage("--sort: \"{}\" is not one of {}", *order_name,
                          join(db::digest_order_names(), ", "));
    return {};
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

bool DigestReport::in_place() const
{
    return options_.interval && !style_.json && run::redraws(tool_);
}

size_t DigestReport::max_rows() const
{
    constexpr size_t others = 3;  // the time, the header, the cursor's line
    size_t max = options_.top.value_or(SIZE_MAX);
    auto rows = in_place() ? run::terminal_rows() : std::nullopt;
    return rows ? std::min(max, std::max<size_t>(*rows, others + 1) - others) : max;
}

Result<> DigestReport::show_every_interval(run::Loop &loop)
{
    if (!options_.interval)
        return {};
    return loop.every(*options_.interval * 1000, [this] { show(); });
}

void DigestReport::begin_interval(bool any)
{
    std::string &out = tool_.out().buffer();
    if (in_place())
        run::begin_screen(out);
    append_format(out, "{}{}\n", output::Clock::now(), any ? "" : "  no " + what_);
}

void DigestReport::show()
{
    auto rows = digests_.take(options_.order());
    if (options_.interval && !style_.json)
        begin_interval(!rows.empty());
    if (rows.size() > max_rows())
        rows.resize(max_rows());
    if (!rows.empty())
        db::print_digests(tool_.out(), rows, style_);
    else if (!options_.interval)
        tool_.note_nothing(fmt::format("no {} were seen", what_));
    if (in_place())
        run::end_screen(tool_.out().buffer());
    else if (options_.interval && !style_.json)
        output::append(tool_.out().buffer(), "\n");
    tool_.out().flush();
}

}  // namespace uscope::servers
