// Lists the members of a type once, and formats their values for each event.
#include "expr/whole.h"

#include <algorithm>

#include "base/format.h"
#include "expr/record.h"
#include "expr/tree.h"
#include "output/escape.h"
#include "output/json.h"

namespace uscope::expr {
namespace {

using Kind = types::Type::Kind;

constexpr size_t max_items = 256;
constexpr size_t max_elements = 16;  // of an array that are shown
constexpr unsigned max_nesting = 4;

bool is_char_array(const types::Type &type)
{
    return type.kind == Kind::Array && type.target && type.target->is_char &&
           is_named_char(type.target->name);
}

// Must the program follow an address to read it?
bool is_outside(const types::Type &type)
{
    return type.text || (type.kind == Kind::Pointer && type.is_string());
}

output::Value value_of(const types::Member &place, Bytes bytes)
{
    const types::Type &type = *place.type;
    auto part = bytes.slice(place.offset, type.size);
    if (!part)
        return {};
    if (is_char_array(type)) {
        std::string_view text = part->text();
        return {.kind = output::Value::Kind::Text, .text = text.substr(0, text.find('\0'))};
    }
    bool is_power = type.size == 1 || type.size == 2 || type.size == 4 || type.size == 8;
    if (!is_power || (type.kind == Kind::Float && type.size < 4) || type.kind == Kind::Struct ||
        type.kind == Kind::Array || type.kind == Kind::Void)
        return {};
    uint64_t raw = 0;
    memcpy(&raw, part->data(), type.size);
    if (place.bit_size) {
        raw <<= 64 - place.bit_offset - place.bit_size;
        raw = type.is_signed ? uint64_t(int64_t(raw) >> (64 - place.bit_size))
                             : raw >> (64 - place.bit_size);
    } else if (type.kind != Kind::Float) {
        raw = extend(raw, type.size, type.is_signed);
    }
    return value_of_type(type, raw);
}

}  // namespace

Whole::Whole(const types::Type &type, const std::vector<uint64_t> *words, bool reads_texts)
    : reads_texts_(reads_texts)
{
    if (type.kind == Kind::Array)
        add_elements(type, 0, 0);
    else
        add_members(type, 0, 0);
    bytes_ = std::min<uint64_t>(type.size, max_bytes);
    if (!words)
        return;
    for (Item &item : items_)
        item.is_known = std::any_of(words->begin(), words->end(), [&](uint64_t word) {
            return word <= item.place.offset && item.place.offset < word + 8;
        });
}

bool Whole::is_full() const
{
    return items_.size() >= max_items;
}

void Whole::add_members(const types::Type &type, uint64_t offset, unsigned depth)
{
    items_.push_back({.kind = Item::Kind::Open});
    auto names = type.member_names ? type.member_names() : std::vector<std::string>();
    for (size_t i = 0; i < names.size() && !is_full(); i++) {
        // A name that occurs twice is found once: the first one, as in expressions.
        if (std::find(names.begin(), names.begin() + i, names[i]) != names.begin() + i)
            continue;
        auto member = type.find_member(names[i]);
        if (!member || !member->type)
            continue;
        member->offset += offset;
        add(names[i], *member, depth);
    }
    bool is_opaque = names.empty() && type.size > 0;
    if (is_opaque || is_full())
        items_.push_back({.kind = Item::Kind::Rest});
    items_.push_back({.kind = Item::Kind::Close});
}

void Whole::add_elements(const types::Type &type, uint64_t offset, unsigned depth)
{
    items_.push_back({.kind = Item::Kind::Open, .is_list = true});
    uint64_t size = type.target ? type.target->size : 0, count = size ? type.size / size : 0;
    for (uint64_t i = 0; i < std::min<uint64_t>(count, max_elements) && !is_full(); i++)
        add("", {.type = type.target, .offset = offset + i * size}, depth);
    if (count > max_elements || is_full())
        items_.push_back({.kind = Item::Kind::Rest});
    items_.push_back({.kind = Item::Kind::Close, .is_list = true});
}

void Whole::add(const std::string &label, const types::Member &place, unsigned depth)
{
    const types::Type &type = *place.type;
    bool is_text = reads_texts_ && is_outside(type) && texts_.size() < max_texts;
    if (is_text)
        texts_.push_back({place.offset, place.type});
    bool is_inner = (type.kind == Kind::Struct && !type.text) ||
                    (type.kind == Kind::Array && !is_char_array(type));
    if (is_inner && depth < max_nesting && type.interface == types::Type::Interface::No) {
        size_t open = items_.size();
        if (type.kind == Kind::Array)
            add_elements(type, place.offset, depth + 1);
        else
            add_members(type, place.offset, depth + 1);
        items_[open].label = label;
        return;
    }
    items_.push_back({.kind = Item::Kind::Value,
                      .label = label,
                      .place = place,
                      .text = is_text ? static_cast<int>(texts_.size()) - 1 : -1});
}

void Whole::append(std::string &text, std::string &json, Bytes bytes,
                   const std::vector<output::Value> &texts, const NameOf &name_of) const
{
    bool is_first = true;
    for (const Item &item : items_) {
        if (item.kind == Item::Kind::Close) {
            text += item.is_list ? ']' : '}';
            json += item.is_list ? ']' : '}';
            is_first = false;
            continue;
        }
        output::append(text, is_first ? "" : ", ");
        if (item.kind == Item::Kind::Rest) {
            output::append(text, "...");
            continue;
        }
        output::append(json, is_first ? "" : ",");
        if (!item.label.empty()) {
            text += item.label;
            text += '=';
            output::append_json_string(json, item.label);
            json += ':';
        }
        is_first = item.kind == Item::Kind::Open;
        if (item.kind == Item::Kind::Open) {
            text += item.is_list ? '[' : '{';
            json += item.is_list ? '[' : '{';
            continue;
        }
        output::Value value;
        if (item.text >= 0 && static_cast<size_t>(item.text) < texts.size())
            value = texts[item.text];
        else if (item.text < 0 && item.is_known)
            value = value_of(item.place, bytes);
        if (value.kind == output::Value::Kind::Integer && item.place.type->constant_name)
            value.name = name_of(*item.place.type, value.integer);
        output::append_value(text, value);
        output::append_json_value(json, value);
    }
}

}  // namespace uscope::expr
