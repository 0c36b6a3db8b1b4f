// Parses a record's arguments, and quotes them for text and JSON.
#include "db/redis_command.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/format.h"
#include "base/text.h"
#include "db/cut_text.h"
#include "output/json.h"

namespace uscope::db {
namespace {

void append_argument(std::string &out, std::string_view text)
{
    bool is_quoted = text.empty() || text.find_first_of(" \"'\t\n") != text.npos;
    if (is_quoted)
        out.push_back('"');
    for (std::string_view rest = text; !rest.empty();) {
        size_t quote = is_quoted ? rest.find('"') : rest.npos;
        output::append_escaped(out, rest.substr(0, quote));
        if (quote == rest.npos)
            break;
        output::append(out, "\\\"");
        rest.remove_prefix(quote + 1);
    }
    if (is_quoted)
        out.push_back('"');
}

}  // namespace

bool RedisCommand::read(Bytes record, uint32_t argument_bytes)
{
    auto event = record.read<redis_event>(0);
    if (!event || event->shown > REDIS_ARGUMENTS)
        return false;
    event_ = *event;
    error_.assign(event->error, strnlen(event->error, sizeof(event->error)));
    arguments_.clear();
    uint64_t at = sizeof(redis_event);
    for (uint32_t i = 0; i < event->shown; i++) {
        auto head = record.read<redis_argument>(at);
        if (!head)
            return false;
        at += sizeof(*head);
        Argument argument = {head->kind, head->length, {}};
        if (head->kind == REDIS_TEXT) {
            uint64_t kept = std::min<uint64_t>(head->length, argument_bytes);
            auto bytes = record.slice(at, kept);
            if (!bytes)
                return false;
            argument.text = bytes->text();
            if (argument.is_cut())
                argument.text = without_part_of_character(argument.text);
            at += (kept + 7) & ~uint64_t(7);
        } else if (head->kind == REDIS_NUMBER) {
            number_texts_[i] = fmt::format("{}", int64_t(head->length));
            argument.text = number_texts_[i];
            argument.length = argument.text.size();
        }
        arguments_.push_back(argument);
    }
    if (event->is_secret && arguments_.size() > 1)
        arguments_.resize(1);
    return true;
}

std::string_view RedisCommand::status() const
{
    if (!event_.reports_errors)
        return "-";
    return error_.empty() ? "ok" : std::string_view(error_);
}

std::string RedisCommand::name() const
{
    return arguments_.empty() ? "" : lower_case(arguments_[0].text);
}

std::string RedisCommand::text() const
{
    std::string out;
    for (const Argument &argument : arguments_) {
        if (!out.empty())
            out.push_back(' ');
        if (argument.kind == REDIS_UNREADABLE) {
            out.push_back('?');
            continue;
        }
        append_argument(out, argument.text);
        if (argument.is_cut())
            append_format(out, "... [{} bytes]", argument.length);
    }
    if (event_.arguments > arguments_.size())
        append_format(out, " ... [{} more]", event_.arguments - arguments_.size());
    return out;
}

std::string RedisCommand::json() const
{
    std::string out;
    output::append_json_array(out, arguments_, [](auto &out, const Argument &argument) {
        if (argument.kind == REDIS_UNREADABLE)
            output::append(out, "null");
        else if (!argument.is_cut())
            output::append_json_string(out, argument.text);
        else
            output::JsonObject(out).add("text", argument.text).add("length", argument.length).end();
    });
    return out;
}

}  // namespace uscope::db
