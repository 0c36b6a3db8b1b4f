// Reads a program's table, and decodes its keys and values.
#include "probe/table.h"

#include "output/escape.h"
#include "output/rank.h"
#include "probe/program.h"

namespace uscope::probe {
namespace {

constexpr uint32_t count_bytes = sizeof(uint64_t), slot_bytes = sizeof(histogram_slot);

const char *conversion(const expr::Field &field)
{
    switch (field.shape) {
    case expr::Shape::Float:
        return "%g";
    case expr::Shape::Integer:
        if (field.type->constant_name && !field.type->constant_value)  // $container
            return "%s";
        return field.is_signed ? "%ld" : "%lu";
    default:
        return "%s";
    }
}

// Returns the format of a key's text: "fd = %ld, size = %lu".
std::string format_of(const Program &program)
{
    std::string text;
    const auto &fields = program.main.layouts[0].fields;
    auto value = program.probe->values.begin();
    for (size_t i = 0; i < fields.size(); i += 1 + fields[i].parts) {
        text += i ? ", " : "";
        for (char c : value++->name) {
            text += c;
            if (c == '%' || c == '\\')
                text += c;
        }
        text += std::string(" = ") + conversion(fields[i]);
    }
    return text;
}

// A value without quotes, as Format shows it.
std::string plain_text(const output::Value &value)
{
    std::string text;
    if (value.kind == output::Value::Kind::Text)
        text.append(value.text).append(value.truncated ? "..." : "");
    else if (value.kind != output::Value::Kind::Integer)
        output::append_value(text, value, true);
    else if (value.is_signed)
        output::append_decimal(text, value.integer);
    else
        output::append_decimal(text, uint64_t(value.integer));
    return text;
}

}  // namespace

std::strong_ordering RowKey::operator<=>(const RowKey &other) const
{
    if (auto order = output::by_numbers(text, other.text); order != 0)
        return order < 0 ? std::strong_ordering::less : std::strong_ordering::greater;
    return std::tie(text, stack) <=> std::tie(other.text, other.stack);
}

Table::Table(const Program &program, uint32_t string_bytes, stacks::CountedStacks *stacks,
             const Sampling &sampling)
    : program_(program), stacks_(stacks), sampling_(sampling), values_(string_bytes)
{
}

Result<Table> Table::create(const Program &program, uint32_t entries, uint32_t string_bytes,
                            stacks::CountedStacks *stacks, const Sampling &sampling)
{
    Table table(program, string_bytes, stacks, sampling);
    table.format_ = TRY(output::Format::parse(format_of(program)));
    kernel::MapRequest request;
    request.name = "uscope_table";
    request.is_hash = table.is_keyed();
    request.value_bytes = table.value_bytes();
    request.entries = entries;
    if (table.is_keyed())
        request.key_bytes = program.main.layouts[0].record_bytes;
    else if (const auto &buckets = program.probe->buckets)
        request.entries = buckets->buckets();
    else
        request.entries = table.has_slots() ? uint32_t(HISTOGRAM_SLOTS) : 1;
    table.map_ = TRY(kernel::create_table(request));
    using Holds = kernel::TableReader::Holds;
    if (table.addends())
        table.sums_.emplace(table.map(), table.addends());
    else
        table.reader_.emplace(table.map(), table.has_slots() ? Holds::Slots : Holds::Counts);
    return table;
}

bool Table::is_keyed() const
{
    return stacks_ || !program_.main.layouts[0].fields.empty();
}

bool Table::has_slots() const
{
    return program_.probe->measured && !program_.probe->buckets;
}

size_t Table::addends() const
{
    return program_.probe->addends.size();
}

uint32_t Table::value_bytes() const
{
    if (addends())
        return kernel::sums_bytes(addends());
    return has_slots() ? slot_bytes : count_bytes;
}

Row &Table::row_of(Bytes key, uint64_t count, Rows &rows)
{
    Row &row = is_keyed() ? keyed_row(key, count, rows) : rows[RowKey()];
    row.count += count;
    return row;
}

Row &Table::keyed_row(Bytes key, uint64_t count, Rows &rows)
{
    std::string text, json;
    const auto &values = values_.read(program_, 0, key);
    json.push_back('{');
    for (size_t i = 0; i < values.size(); i++) {
        if (i)
            json.push_back(',');
        output::append_json_string(json, program_.probe->values[i].name);
        json.push_back(':');
        output::append_json_value(json, values[i]);
    }
    json.push_back('}');
    format_.apply(values.data(), text);
    RowKey row_key = {std::move(text)};
    if (stacks_)
        row_key.stack = stacks_->name(stacks::key_stacks(key), count,
                                      stacks::CountedStacks::from(program_.group.is_at_exits()));
    Row &row = rows[std::move(row_key)];
    row.json = std::move(json);
    if (keeps_texts_ && row.texts.empty()) {
        for (const output::Value &value : values)
            row.texts.push_back(plain_text(value));
    }
    return row;
}

void Table::add(Bytes key, const histogram_slot &counted, Rows &rows)
{
    histogram_slot added = sampling_.scaled(counted);
    Row &row = row_of(key, added.count, rows);
    // The keys of histograms start with the slot.
    uint32_t slot = key.read<uint32_t>(0).value_or(0);
    if (has_slots()) {
        row.histogram.add(slot, added);
    } else if (const auto &buckets = program_.probe->buckets) {
        row.buckets.resize(buckets->buckets());
        if (slot < row.buckets.size())
            row.buckets[slot] += added.count;
    }
}

Result<> Table::take(Since since, Rows &rows, uint64_t interval)
{
    if (sums_) {
        return sums_->take(since, interval, [&](Bytes key, uint64_t count, const auto &added) {
            Row &row = row_of(key, sampling_.scaled(count), rows);
            row.sums.resize(added.size());
            for (size_t i = 0; i < added.size(); i++) {
                kernel::Sum sum = added[i];
                sum.total = sampling_.scaled(sum.total);
                row.sums[i].merge(sum);
            }
        });
    }
    return reader_->take(since,
                         [&](Bytes key, const histogram_slot &added) { add(key, added, rows); });
}

}  // namespace uscope::probe
