// Finds where the names in a location end, and splits them at their colons.
#include "spec/location.h"

#include <algorithm>
#include <optional>
#include <set>

#include "base/text.h"
#include "spec/parameters.h"

namespace uscope::spec {

namespace {

constexpr KindName all_kind_names[] = {
    {"", ProbeKind::Entry, false},  // BCC accepts ":lib:func"
    {"p", ProbeKind::Entry, false},          {"r", ProbeKind::Return, false},
    {"t", ProbeKind::Tracepoint, false},     {"u", ProbeKind::Usdt, false},
    {"uprobe", ProbeKind::Entry, false},  // bpftrace's words
    {"uretprobe", ProbeKind::Return, false}, {"kprobe", ProbeKind::Entry, true},
    {"kretprobe", ProbeKind::Return, true},  {"tracepoint", ProbeKind::Tracepoint, false},
    {"usdt", ProbeKind::Usdt, false},
};

class Scanner {
  public:
    Scanner(std::string_view text, bool in_specifier) : text_(text), in_specifier_(in_specifier)
    {
        result_.probe.source = text;
    }

    Result<Location> scan()
    {
        skip_blanks();
        start_ = at_;
        if (at_ == text_.size())
            return error(0, "a probe is missing: c:open, u:FILE:PROBE, t:CATEGORY:EVENT");
        TRY(names());
        const KindName *kind = kind_prefix();
        if (kind)
            start_ += kind->text.size() + 1;
        probe().kind = kind ? kind->kind : ProbeKind::Entry;
        if (probe().kind == ProbeKind::Usdt)
            TRY(usdt());
        else if (probe().kind == ProbeKind::Tracepoint)
            TRY(tracepoint());
        else
            TRY(function(kind));
        result_.end = at_;
        return std::move(result_);
    }

  private:
    Probe &probe() { return result_.probe; }

    template <class... Args>
    Failure<> error(size_t at, fmt::format_string<Args...> format, Args &&...args) const
    {
        return fail_at(text_, at, format, std::forward<Args>(args)...);
    }

    char peek(size_t at) const { return at < text_.size() ? text_[at] : 0; }

    void skip_blanks()
    {
        while (is_blank(peek(at_)))
            at_++;
    }

    // --- Finds the end of the names, and each ':' that may separate them. ---

    Result<> names()
    {
        while (at_ < text_.size() && names_end_ == not_found) {
            char c = text_[at_];
            if ((c == '\'' || c == '"') && (at_ == start_ || text_[at_ - 1] == ':'))
                TRY(quoted());
            else if (is_blank(c) || c == '"')
                break;
            else if (c == '(')
                TRY(parenthesis());
            else if (c == '<' || c == '[' || c == '{')
                TRY(bracket());
            else if (c == ':')
                colons_.push_back(at_++);
            else if (!cpp_operator())
                at_++;
        }
        if (names_end_ == not_found)
            names_end_ = at_;
        return {};
    }

    Result<> quoted()
    {
        size_t end = text_.find(text_[at_], at_ + 1);
        if (end == text_.npos)
            return error(at_, "this quote is not closed");
        at_ = end + 1;
        return {};
    }

    Result<> bracket()
    {
        auto end = skip_brackets(text_, at_);
        if (!end)
            return error(at_,
                         "this '{}' is not closed (put quotes around such a name: p:FILE:'a<b')",
                         text_[at_]);
        at_ = *end;
        return {};
    }

    // Skips "operator<<", "operator()", "operator new[]" or "operator std::string". Returns false
    // if none of these starts here.
    bool cpp_operator()
    {
        constexpr std::string_view word = "operator";
        if (text_.substr(at_, word.size()) != word || is_identifier(peek(at_ + word.size())) ||
            (at_ > 0 && is_identifier(text_[at_ - 1])))
            return false;
        at_ += word.size();
        constexpr std::string_view symbols[] = {"()", "[]", "<=>", "<<=", ">>=", "->*",  "->", "<<",
                                                ">>", "<=", ">=",  "<",   ">",   "\"\"", ","};
        for (std::string_view symbol : symbols) {
            if (text_.substr(at_, symbol.size()) == symbol) {
                at_ += symbol.size();
                bool more = symbol == "\"\"" ? is_identifier(peek(at_ + 1)) : peek(at_ + 1) == '<';
                if (peek(at_) == ' ' && more)  // operator"" _kb, operator<< <char>
                    at_++;
                return true;
            }
        }
        if (peek(at_) == ' ' &&
            is_identifier(peek(at_ + 1))) {  // "new", "delete[]", or the type of a conversion
            while (is_identifier(peek(at_)) || (peek(at_) && strchr(" :<>*&,[]", text_[at_])))
                at_++;
            while (is_blank(text_[at_ - 1]))
                at_--;
        }
        return true;
    }

    // At '(': decides whether the parenthesis is part of the name or ends it.
    Result<> parenthesis()
    {
        auto end = skip_brackets(text_, at_);
        if (!end) {  // perhaps a condition, with a bracket in a string: leave errors to its parser
            names_end_ = at_;
            return {};
        }
        std::string_view inside = text_.substr(at_ + 1, *end - at_ - 2);
        bool is_go_receiver = at_ > 0 && text_[at_ - 1] == '.';
        if (is_go_receiver || inside == "anonymous namespace") {
            at_ = *end;
            return {};
        }
        ParameterList list = parse_parameters(inside);
        switch (list.kind) {
        case ParameterList::Kind::Other:  // a condition without a blank before it
            names_end_ = at_;
            break;
        case ParameterList::Kind::Named:
            names_end_ = at_;
            result_.parentheses = at_;
            probe().has_signature = true;
            for (Parameter &parameter : list.parameters)
                parameter.column += at_ + 1;
            probe().signature = std::move(list.parameters);
            TRY(check_names());
            at_ = *end;
            break;
        case ParameterList::Kind::Empty:
        case ParameterList::Kind::Types:
            size_t open = at_;
            at_ = cpp_qualifiers(*end);
            char next = peek(at_);
            bool ends =
                !next || is_blank(next) || next == '(' || next == '"' || specifier_continues(at_);
            if (!ends)
                break;  // "main(int)::{lambda()#1}", "ns::f(int)+0x10"
            names_end_ = at_;
            result_.parentheses = open;
            if (list.kind == ParameterList::Kind::Empty && at_ == *end) {
                probe().empty_parentheses = true;
                names_end_ = open;
            }
        }
        return {};
    }

    // Does the rest of a specifier start at `at`, as after "f()" in "f():int:…", "f()#label" and
    // "f();label", but not after "main(int)" in "main(int)::{lambda()#1}"?
    bool specifier_continues(size_t at) const
    {
        return in_specifier_ &&
               ((peek(at) == ':' && peek(at + 1) != ':') || peek(at) == '#' || peek(at) == ';');
    }

    Result<> check_names()
    {
        std::set<std::string_view> names;
        for (const Parameter &parameter : probe().signature) {
            if (!parameter.name.empty() && !names.insert(parameter.name).second)
                return error(parameter.column, "two parameters are named {}", parameter.name);
        }
        return {};
    }

    // Skips "const", "&", "[clone .cold]" and the like after a C++ parameter list.
    size_t cpp_qualifiers(size_t at) const
    {
        constexpr std::string_view words[] = {" const", " volatile", " &&", " &", " noexcept"};
        for (bool again = true; again;) {
            again = false;
            for (std::string_view word : words) {
                char next = peek(at + word.size());
                if (text_.substr(at, word.size()) == word && (!next || is_blank(next))) {
                    at += word.size();
                    again = true;
                }
            }
            if (text_.substr(at, 8) == " [clone ") {
                size_t end = text_.find(']', at);
                if (end != text_.npos) {
                    at = end + 1;
                    again = true;
                }
            }
        }
        return at;
    }

    // --- Splits the names into parts. ---

    const KindName *kind_prefix() const
    {
        if (colons_.empty())
            return nullptr;
        std::string_view word = text_.substr(start_, colons_[0] - start_);
        auto known = std::find_if(std::begin(all_kind_names), std::end(all_kind_names),
                                  [&](const KindName &name) { return name.text == word; });
        return known == std::end(all_kind_names) ? nullptr : known;
    }

    Piece piece(size_t begin, size_t end) const
    {
        char quote = peek(begin);
        if ((quote == '\'' || quote == '"') && end - begin >= 2 && text_[end - 1] == quote)
            begin++, end--;
        return {std::string(text_.substr(begin, end - begin)), begin};
    }

    // Returns the parts between all colons from start_ on.
    std::vector<Piece> pieces() const
    {
        std::vector<Piece> all;
        size_t begin = start_;
        for (size_t colon : colons_) {
            if (colon >= begin && colon < names_end_) {
                all.push_back(piece(begin, colon));
                begin = colon + 1;
            }
        }
        all.push_back(piece(begin, names_end_));
        return all;
    }

    Result<> no_signature(std::string_view what) const
    {
        if (result_.parentheses && !(in_specifier_ && result_.probe.empty_parentheses))
            return error(
                *result_.parentheses,
                "{} has no parameter list; put a blank before a condition: NAME (arg1 > 10)", what);
        return {};
    }

    Result<> usdt()
    {
        TRY(no_signature("a USDT probe"));
        auto parts = pieces();
        if (parts.size() < 2)
            return error(start_,
                         "a USDT probe is u:FILE:PROBE or u:FILE:PROVIDER:PROBE, or u::PROBE "
                         "with -p");
        if (parts.size() > 3)
            return error(parts[3].column,
                         "too many ':' - a USDT probe is u:FILE:PROVIDER:PROBE (put "
                         "quotes around a name that contains one: u:'/a:b':PROBE)");
        probe().library = parts.front();
        if (parts.size() == 3)
            probe().category = parts[1];
        probe().event = parts.back();
        if (probe().event.text.empty())
            return error(probe().event.column, "the probe's name is missing: u:FILE:PROBE");
        return {};
    }

    Result<> tracepoint()
    {
        TRY(no_signature("a tracepoint"));
        auto parts = pieces();
        if (parts.size() != 2 || parts[0].text.empty() || parts[1].text.empty())
            return error(start_,
                         "a tracepoint is t:CATEGORY:EVENT, as in t:syscalls:sys_enter_openat");
        probe().category = parts[0];
        probe().event = parts[1];
        return {};
    }

    // Returns the last colon from start_ on that is not part of a "::".
    std::optional<size_t> separator() const
    {
        for (size_t i = colons_.size(); i-- > 0 && colons_[i] >= start_;) {
            size_t at = colons_[i];
            bool before = at > start_ && text_[at - 1] == ':';
            bool after = peek(at + 1) == ':';
            if (at < names_end_ && !before && !after)
                return at;
        }
        return std::nullopt;
    }

    Result<> function(const KindName *kind)
    {
        size_t begin = start_;
        if (kind && peek(start_) == ':') {  // p::f
            begin++;
        } else if (auto colon = separator()) {
            probe().library = piece(start_, *colon);
            begin = *colon + 1;
        } else if (kind && !kind->kernel) {
            return error(start_, "a file is missing: {}:FILE:FUNCTION", kind->text);
        }
        size_t end = names_end_;
        if (probe().library.text.empty() && result_.parentheses)  // the kernel has no overloads
            end = std::min(end, *result_.parentheses);
        if (TRY(source_line(begin, end)))
            return {};
        TRY(offset(begin, end));
        probe().function = piece(begin, end);
        return check_function();
    }

    // Is it FILE:SOURCE.c:120? Then `library`, which ends at `begin`, has the first two.
    Result<bool> source_line(size_t begin, size_t end)
    {
        auto &[file, column] = probe().library;
        std::string_view digits = text_.substr(begin, end - begin);
        size_t colon = file.rfind(':');
        bool is_quoted = column != start_;
        if (is_quoted || digits.find_first_not_of("0123456789") != digits.npos ||
            colon == file.npos || colon == 0 || file[colon - 1] == ':' ||
            file.find('.', colon) == file.npos)
            return false;
        auto line = parse_number(digits);
        if (probe().kind == ProbeKind::Return)
            return error(begin, "a source line has no return: p:FILE:SOURCE:LINE");
        if (!line || *line == 0 || *line > INT32_MAX)
            return error(begin, "lines begin at 1");
        probe().line = {file.substr(colon + 1), static_cast<unsigned>(*line)};
        probe().function = piece(column + colon + 1, end);
        file.resize(colon);
        return true;
    }

    // Cuts "+0x10" off the end. A '+' at the start belongs to the name: "+0x349f" is a function.
    Result<> offset(size_t begin, size_t &end)
    {
        std::string_view name = text_.substr(begin, end - begin);
        size_t plus = name.rfind('+');
        bool is_quoted = name.starts_with('\'') || name.starts_with('"');
        if (plus == name.npos || plus == 0 || (is_quoted && name.rfind(name[0]) > plus))
            return {};
        auto number = parse_number(name.substr(plus + 1));
        if (!number)
            return {};
        if (probe().kind == ProbeKind::Return)
            return error(begin + plus,
                         "only an entry probe can have an offset (p:FILE:FUNCTION+0x10)");
        probe().offset = *number;
        end = begin + plus;
        return {};
    }

    Result<> check_function()
    {
        const Piece &name = probe().function;
        bool is_kernel = probe().library.text.empty();
        if (name.text.empty())
            return error(name.column,
                         "the function's name is missing: FILE:FUNCTION, as in c:open");
        if (is_kernel && name.text.find('/') != name.text.npos)
            return error(name.column + name.text.size(), "a function is missing: {}:FUNCTION",
                         name.text);
        if (name.text.starts_with('+'))
            TRY(check_start(name));
        if (is_kernel && (name.text.find("::") != name.text.npos || name.text.starts_with('+')))
            return error(name.column, "this is not a kernel function; add a file: FILE:{}",
                         name.text);
        probe().is_address = parse_number(name.text).has_value();
        if (probe().is_address && name.text == text_)
            return error(0, "a number is not a probe: to select process {0}, use -p {0}",
                         name.text);
        if (probe().is_address && (is_kernel || probe().offset))
            return error(name.column,
                         "{} is not a function, and an address needs a file: FILE:0x1234",
                         name.text);
        return {};
    }

    // "+0x349f", "+*"
    Result<> check_start(const Piece &name) const
    {
        if (!parse_number(std::string_view(name.text).substr(1)) && !is_glob(name.text))
            return error(name.column,
                         "after '+' comes the address at which a function starts, as in "
                         "FILE:+0x349f, or a pattern: FILE:+*");
        return {};
    }

    std::string_view text_;
    bool in_specifier_;
    size_t start_ = 0, at_ = 0;
    static constexpr size_t not_found = std::string_view::npos;
    size_t names_end_ = not_found;
    std::vector<size_t> colons_;
    Location result_;
};

}  // namespace

std::span<const KindName> kind_names()
{
    return all_kind_names;
}

Piece piece_of(std::string_view text, size_t begin, size_t end)
{
    size_t first = std::min(text.find_first_not_of(blanks, begin), end);
    size_t last = first == end ? end : text.find_last_not_of(blanks, end - 1) + 1;
    return {std::string(text.substr(first, last - first)), first};
}

Result<Location> scan_location(std::string_view text, bool in_specifier)
{
    return Scanner(text, in_specifier).scan();
}

}  // namespace uscope::spec
