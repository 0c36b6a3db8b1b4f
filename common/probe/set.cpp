#include "probe/set.h"

#include <algorithm>

#include <linux/bpf.h>

#include "attach/kernel.h"
#include "base/text.h"
#include "expr/lexer.h"

namespace uscope::probe {
namespace {

using spec::ProbeKind;

void shift(expr::Node &node, size_t column)
{
    node.column += column;
    for (auto &child : node.children)
        shift(*child, column);
}

// Expressions are parsed from a piece of the probe's text; carets are to count from the whole.
Result<std::vector<expr::NodeRef>> parse_piece(const spec::Probe &spec, const spec::Piece &piece)
{
    auto nodes = expr::parse_list(piece.text);
    if (!nodes) {
        nodes.error().source = spec.source;
        nodes.error().column += piece.column;
        return nodes;
    }
    for (auto &node : *nodes)
        shift(*node, piece.column);
    return nodes;
}

expr::Wanted wanted_by(char conversion)
{
    switch (conversion) {
    case 's':
        return expr::Wanted::String;
    case 'e':
    case 'f':
    case 'g':
        return expr::Wanted::Float;
    default:
        return expr::Wanted::Integer;
    }
}

// `"%.*s", n, p` reads exactly n bytes: p becomes str(p, n).
expr::NodeRef bounded_string(expr::NodeRef pointer, expr::NodeRef length)
{
    auto call = std::make_unique<expr::Node>();
    call->kind = expr::NodeKind::Call;
    call->text = "str";
    call->column = pointer->column;
    call->children.push_back(std::move(pointer));
    call->children.push_back(std::move(length));
    return call;
}

// The text between the quotes as the user wrote it, up to a column behind it: 'a' and '\n' are still
// C's characters.
std::string_view as_written(std::string_view source, size_t opening_quote)
{
    size_t end = opening_quote + 1;
    while (end < source.size() && source[end] != '"')
        end += source[end] == '\\' ? 2 : 1;
    return source.substr(opening_quote + 1, end - opening_quote - 1);
}

// {0x6c, 'a', '\0'} -> bytes. Columns count from the start of `list`.
Result<std::string> initializer(std::string_view list)
{
    std::string_view inside = trim(list);
    if (!inside.starts_with('{') || !inside.ends_with('}'))
        return fail_at(list, 0, "with -B this is \"{{0x6c, 'a'}}\", bytes in braces");
    inside = inside.substr(1, inside.size() - 2);
    size_t column = inside.data() - list.data();
    auto tokens = expr::tokenize(inside);
    if (!tokens)
        return fail_at(list, column + tokens.error().column, "{}", tokens.error().text);
    std::string bytes;
    for (size_t at = 0;; at += 2) {
        const expr::Token &byte = (*tokens)[at];
        bool is_character = inside.substr(byte.column).starts_with('\'');
        if (byte.kind != expr::Token::Kind::Number || (byte.number > 255 && !is_character))
            return fail_at(list, column + byte.column,
                           "expected a byte: 0 to 255, or a character like 'a'");
        bytes += static_cast<char>(byte.number);
        const expr::Token &next = (*tokens)[at + 1];
        if (next.kind == expr::Token::Kind::End)
            return bytes;
        if (!next.is(","))
            return fail_at(list, column + next.column, "expected ',' or the closing '}}'");
    }
}

// STRCMP("{0x6c, '\0'}", p) -> buf(p, 2) == "\x6c\0"
Result<> compare_binary(const spec::Probe &spec, expr::Node &node)
{
    for (auto &child : node.children)
        TRY(compare_binary(spec, *child));
    if (node.kind != expr::NodeKind::Call || node.text != "STRCMP" || node.children.size() != 2)
        return {};
    expr::Node &literal = *node.children[0];
    if (literal.kind != expr::NodeKind::Text)
        return fail_at(spec.source, literal.column,
                       "with -B this is \"{{0x6c, 'a'}}\", bytes in braces");
    auto bytes = initializer(as_written(spec.source, literal.column));
    if (!bytes)
        return fail_at(spec.source, literal.column + 1 + bytes.error().column, "{}",
                       bytes.error().text);

    auto length = std::make_unique<expr::Node>();
    length->kind = expr::NodeKind::Number;
    length->number = bytes->size();
    auto buffer = std::make_unique<expr::Node>();
    buffer->kind = expr::NodeKind::Call;
    buffer->text = "buf";
    buffer->column = length->column = node.column;
    buffer->children.push_back(std::move(node.children[1]));
    buffer->children.push_back(std::move(length));
    literal.text = std::move(*bytes);
    node.kind = expr::NodeKind::Binary;
    node.text = "==";
    node.children[1] = std::move(node.children[0]);
    node.children[0] = std::move(buffer);
    return {};
}

Result<> pair_values_with_format(Parsed &parsed)
{
    const spec::Probe &spec = parsed.spec;
    std::vector<expr::NodeRef> values, again;
    if (!spec.values.text.empty()) {
        values = TRY(parse_piece(spec, spec.values));
        again = TRY(parse_piece(spec, spec.values));
    }
    if (values.size() != parsed.format.values()) {
        return fail_at(spec.source, spec.format.column,
                       "the format shows {} value{}, but {} {} given", parsed.format.values(),
                       parsed.format.values() == 1 ? "" : "s", values.size(),
                       values.size() == 1 ? "is" : "are");
    }

    size_t next = 0;
    auto take = [&](char conversion, bool sized) {
        parsed.values.push_back(std::move(values[next++]));
        parsed.wanted.push_back(wanted_by(conversion));
        parsed.conversions.push_back(conversion);
        parsed.sized.push_back(sized);
    };
    for (const output::Specifier &specifier : parsed.format.specifiers()) {
        if (!specifier.conversion)
            continue;
        if (specifier.precision_from_value) {
            take('d', false);
            if (specifier.conversion == 's')
                values[next] = bounded_string(std::move(values[next]), std::move(again[next - 1]));
        }
        take(specifier.conversion, specifier.size != 0);
    }
    return {};
}

}  // namespace

Result<Parsed> parse(std::string_view text, bool binary_compare)
{
    Parsed parsed;
    parsed.spec = TRY(spec::parse_probe(text));
    const spec::Probe &spec = parsed.spec;
    if (!spec.predicate.text.empty()) {
        auto conditions = TRY(parse_piece(spec, spec.predicate));
        if (conditions.size() != 1)
            return fail_at(spec.source, conditions[1]->column, "a condition is one expression");
        parsed.predicate = std::move(conditions[0]);
    }
    if (spec.has_format)
        parsed.format =
            TRY(output::Format::parse(spec.format.text, spec.source, spec.format.column));
    TRY(pair_values_with_format(parsed));
    if (binary_compare) {
        if (parsed.predicate)
            TRY(compare_binary(spec, *parsed.predicate));
        for (auto &value : parsed.values)
            TRY(compare_binary(spec, *value));
    }
    return parsed;
}

const std::string &Program::site_name(uint32_t cookie) const
{
    return site_names[cookie && cookie <= site_names.size() ? cookie - 1 : 0];
}

namespace {

// Names each site and decides whether a cookie has to tell them apart.
std::vector<std::string> name_sites(const resolve::Group &group)
{
    std::vector<std::string> names;
    for (const auto &file : group.files) {
        for (const auto &site : file.sites)
            names.push_back(site.name);
    }
    bool same = std::all_of(names.begin(), names.end(),
                            [&](const std::string &name) { return name == names[0]; });
    if (same)
        names.resize(1);
    return names;
}

expr::ProgramRequest request_for(const Program &program, const BuildOptions &options,
                                 uint32_t number)
{
    const Parsed &parsed = *program.probe;
    bool is_tracepoint = parsed.spec.kind == ProbeKind::Tracepoint;
    expr::ProgramRequest request;
    request.scope = &program.names->scope();
    request.predicate = parsed.predicate.get();
    for (size_t i = 0; i < parsed.values.size(); i++)
        request.outputs.push_back({parsed.values[i].get(), parsed.wanted[i]});
    request.filter = options.filter;
    if (!is_tracepoint)
        request.filter.not_tgid.reset();  // our own code maps none of the traced files
    request.header_bytes = options.header_bytes;
    request.probe = number;
    request.string_bytes = options.string_bytes;
    request.sleepable = options.sleepable && !is_tracepoint;
    request.emit = options.emit;
    request.source = parsed.spec.source;
    return request;
}

Result<std::unique_ptr<Program>> compile(const Parsed &parsed, resolve::Group group,
                                         const BuildOptions &options, uint32_t number)
{
    auto program = std::make_unique<Program>();
    program->probe = &parsed;
    program->group = std::move(group);
    program->names = std::make_unique<resolve::Names>(parsed.spec, program->group);
    program->site_names = name_sites(program->group);

    expr::ProgramRequest request = request_for(*program, options, number);
    program->main = TRY(expr::compile(request));
    if (parsed.spec.kind == ProbeKind::Return)
        program->entry = TRY(expr::compile_entry(request));
    return program;
}

}  // namespace

Result<Set> Set::build(const std::vector<std::string> &texts, const BuildOptions &options)
{
    Set set;
    set.sleepable_ = options.sleepable;
    for (const std::string &text : texts) {
        set.probes_.push_back(std::make_unique<Parsed>(TRY(parse(text, options.binary_compare))));
        const Parsed &parsed = *set.probes_.back();
        for (resolve::Group &group : TRY(resolve::resolve(parsed.spec, options.lookup))) {
            set.programs_.push_back(
                TRY(compile(parsed, std::move(group), options, set.programs_.size())));
        }
    }
    // The calls map is shared, and the kernel copies whole values of it.
    uint32_t most = set.call_bytes();
    for (size_t i = 0; i < set.programs_.size(); i++) {
        Program &program = *set.programs_[i];
        if (!program.entry || program.entry->call_bytes == most)
            continue;
        expr::ProgramRequest request = request_for(program, options, i);
        request.least_call_bytes = most;
        program.entry = TRY(expr::compile_entry(request));
    }
    return set;
}

bool Set::any_message() const
{
    return std::any_of(probes_.begin(), probes_.end(),
                       [](const auto &probe) { return probe->spec.has_format; });
}

bool Set::any_conversion(char conversion) const
{
    return std::any_of(probes_.begin(), probes_.end(), [conversion](const auto &probe) {
        return std::count(probe->conversions.begin(), probe->conversions.end(), conversion) != 0;
    });
}

bool Set::any_sites_by_cookie() const
{
    return std::any_of(programs_.begin(), programs_.end(),
                       [](const auto &program) { return program->site_names.size() > 1; });
}

size_t Set::site_count() const
{
    size_t count = 0;
    for (const auto &program : programs_)
        count += program->group.site_count();
    return count;
}

size_t Set::refused_count() const
{
    size_t count = 0;
    for (const auto &program : programs_)
        count += program->group.refused;
    return count;
}

bool Set::any_may_unwind() const
{
    return std::any_of(programs_.begin(), programs_.end(),
                       [](const auto &program) { return program->group.may_unwind; });
}

uint32_t Set::largest_record() const
{
    uint32_t bytes = 0;
    for (const auto &program : programs_) {
        for (const auto &layout : program->main.layouts)
            bytes = std::max(bytes, layout.record_bytes);
    }
    return bytes;
}

uint32_t Set::call_bytes() const
{
    uint32_t bytes = 0;
    for (const auto &program : programs_)
        bytes = std::max(bytes, program->entry ? program->entry->call_bytes : 0);
    return bytes;
}

Result<> Set::load(const attach::Template &half, const std::map<expr::MapSlot, int> &maps)
{
    for (auto &program : programs_) {
        bool is_tracepoint = program->group.tracepoint.has_value();
        attach::Template::LoadOptions options;
        options.name = program->site_names[0];
        options.program_type = is_tracepoint ? BPF_PROG_TYPE_TRACEPOINT : BPF_PROG_TYPE_KPROBE;
        if (!is_tracepoint && attach::has_uprobe_multi())
            options.attach_type = attach::trace_uprobe_multi;
        options.sleepable = sleepable_ && !is_tracepoint && program->main.reads_memory;
        program->main_fd = TRY(half.load(program->main, maps, options));
        if (program->entry) {
            options.sleepable = sleepable_ && program->entry->reads_memory;
            program->entry_fd = TRY(half.load(*program->entry, maps, options));
        }
    }
    return {};
}

Result<> Set::attach(pid_t pid)
{
    auto add = [this](attach::Links links) {
        std::move(links.begin(), links.end(), std::back_inserter(links_));
    };
    for (auto &program : programs_) {
        if (const auto &tracepoint = program->group.tracepoint) {
            links_.push_back(
                TRY(attach::attach_tracepoint(program->main_fd.get(), tracepoint->id,
                                              tracepoint->category + ":" + tracepoint->name)));
            continue;
        }
        uint64_t cookie = 0;
        for (const auto &file : program->group.files) {
            attach::UprobeRequest request;
            request.program = program->main_fd.get();
            request.path = file.file.open_path;
            request.name = file.sites.size() == 1
                               ? fmt::format("{} in {}", file.sites[0].name, file.file.path)
                               : fmt::format("{} places in {}", file.sites.size(), file.file.path);
            request.is_return = program->probe->spec.kind == ProbeKind::Return;
            request.pid = pid;
            for (const auto &site : file.sites) {
                cookie += program->site_names.size() > 1;
                request.sites.push_back({site.file_offset, site.ref_ctr_offset, cookie});
            }
            if (program->entry) {  // first the entry: a return without one is not wanted
                attach::UprobeRequest entry = request;
                entry.program = program->entry_fd.get();
                entry.is_return = false;
                add(TRY(attach::attach_uprobes(entry)));
            }
            add(TRY(attach::attach_uprobes(request)));
        }
    }
    return {};
}

}  // namespace uscope::probe
