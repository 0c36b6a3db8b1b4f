// Parses specifiers: splits the text at the separators that are not inside expressions.
#include "spec/specifier.h"

#include <algorithm>
#include <cctype>
#include <cstring>

#include "base/text.h"
#include "spec/location.h"
#include "spec/parameters.h"

namespace uscope::spec {
namespace {

constexpr const char *right_form =
    "p:c:write(int fd, void *buf, size_t count):size_t:count:fd == 1#sizes";

// A histogram with more buckets would be unreadable.
constexpr size_t max_buckets = 1000;

class Parser {
  public:
    Parser(std::string_view text, Location location)
        : text_(text), at_(location.end), has_parentheses_(location.parentheses.has_value())
    {
        result_.probe = std::move(location.probe);
    }

    Result<Specifier> parse()
    {
        cut_label();
        TRY(signature_of_overload());
        if (!has_parentheses_ && !is_bare_kernel_function())
            return error(at_, "a list of parameters is missing (\"()\" if none is needed): {}",
                         right_form);
        std::vector<Piece> parts = TRY(split(':'));
        if (parts.size() > 3)
            return error(parts[3].column, "expected nothing more after the filter");
        if (parts.size() == 1)
            return error(parts[0].column, "an expression for this type is missing: {}", right_form);
        if (parts.size() >= 2)
            TRY(expressions(parts[0], parts[1]));
        if (parts.size() == 3)
            TRY(condition(parts[2]));
        return std::move(result_);
    }

  private:
    template <class... Args>
    Failure<> error(size_t at, fmt::format_string<Args...> format, Args &&...args) const
    {
        return fail_at(text_, at, format, std::forward<Args>(args)...);
    }

    // Is it a kernel function without parentheses, as in "r::vfs_read"? All other probes need the
    // parentheses: without these, a ':' after the name could be a part of the name.
    bool is_bare_kernel_function() const
    {
        const Probe &probe = result_.probe;
        return (probe.kind == ProbeKind::Entry || probe.kind == ProbeKind::Return) &&
               probe.library.text.empty() && probe.function.text.find(':') == std::string::npos &&
               text_.find_first_not_of(blanks, at_) >= end_;
    }

    // Parses the signature after an overload, as in "ns::f(int)(int a)": there, the first
    // parentheses belong to the name.
    Result<> signature_of_overload()
    {
        if (at_ >= end_ || text_[at_] != '(')
            return {};
        auto end = skip_brackets(text_, at_);
        if (!end || *end > end_)
            return error(at_, "this '(' is not closed");
        ParameterList list = parse_parameters(text_.substr(at_ + 1, *end - at_ - 2));
        bool is_signature = list.kind == ParameterList::Kind::Named;
        if (!is_signature && list.kind != ParameterList::Kind::Empty)
            return error(at_, "expected parameters with names, as in (int fd, size_t count)");
        result_.probe.has_signature = is_signature;
        result_.probe.signature = std::move(list.parameters);
        has_parentheses_ = true;
        at_ = *end;
        return {};
    }

    Result<> condition(Piece piece)
    {
        if (piece.text.empty())
            return error(piece.column, "a condition is missing here: {}", right_form);
        result_.probe.predicate = std::move(piece);
        return {};
    }

    // Cuts "#label" off the end, or ";label", which BCC once used. A '#' or ';' in quotes does not
    // start a label.
    void cut_label()
    {
        result_.label = text_;
        for (size_t at = at_; at < text_.size(); at++) {
            if (text_[at] == '"' || text_[at] == '\'')
                at = skip_quotes(at);
            else if (text_[at] == '#' || text_[at] == ';') {
                result_.label = trim(text_.substr(at + 1));
                result_.has_label = !result_.label.empty();
                end_ = at;
                return;
            }
        }
    }

    // Returns the position of the closing quote, or of the last character if there is no closing
    // quote; the expression's parser reports that error.
    size_t skip_quotes(size_t open) const
    {
        for (size_t at = open + 1; at < text_.size(); at++) {
            if (text_[at] == text_[open])
                return at;
            at += text_[at] == '\\';
        }
        return text_.size() - 1;
    }

    // Returns the parts after each `separator` from at_ on. The text from at_ on must start with a
    // separator or be empty.
    Result<std::vector<Piece>> split(char separator)
    {
        std::vector<Piece> parts;
        size_t begin = text_.find_first_not_of(blanks, at_);
        if (begin >= end_)
            return parts;
        if (text_[begin] != separator)
            return error(begin, "expected '{}' and a type, as in {}", separator, right_form);
        return split(begin + 1, end_, separator);
    }

    // Is there a value before `at`, as before the '@' of value@user?
    bool is_after_value(size_t begin, size_t at) const
    {
        size_t last = text_.find_last_not_of(blanks, at - 1);
        if (at == begin || last == text_.npos || last < begin)
            return false;
        auto c = static_cast<unsigned char>(text_[last]);
        bool ends_cast = c == ')' && !text_.substr(at + 1).starts_with("user");
        return isalnum(c) || (c == ')' && !ends_cast) || strchr("_]\"'", c);
    }

    std::vector<Piece> split(size_t begin, size_t end, char separator) const
    {
        std::vector<Piece> parts;
        size_t depth = 0, questions = 0, at = begin;
        for (; at < end; at++) {
            char c = text_[at];
            if (c == '"' || c == '\'') {
                at = skip_quotes(at);
            } else if (c == '(' || c == '[' || c == '{') {
                depth++;
            } else if (c == ')' || c == ']' || c == '}') {
                depth -= depth > 0;
            } else if (depth == 0 && c == ':' && at + 1 < end && text_[at + 1] == ':') {
                at++;
            } else if (c == '@' && !is_after_value(begin, at)) {
                at = std::min(text_.find(':', at), end - 1);  // that of @LIBRARY:NAME
            } else if (depth == 0 && c == '?') {
                questions++;
            } else if (depth == 0 && c == ':' && questions > 0) {
                questions--;
            } else if (depth == 0 && c == separator) {
                parts.push_back(piece_of(text_, begin, at));
                begin = at + 1;
            }
        }
        parts.push_back(piece_of(text_, begin, std::min(at, end)));
        return parts;
    }

    Result<> expressions(const Piece &types, const Piece &expressions)
    {
        size_t end = expressions.column + expressions.text.size();
        if (auto linear = TRY(cut_linear(expressions)))
            end = *linear;
        result_.types = split(types.column, types.column + types.text.size(), ',');
        result_.expressions = split(expressions.column, end, ',');
        for (const Piece &expression : result_.expressions) {
            if (expression.text.empty())
                return error(expression.column, "an expression is missing here: {}", right_form);
        }
        for (const Piece &type : result_.types) {
            if (type.text.empty())
                return error(type.column, "a type is missing here: {}", right_form);
        }
        if (result_.types.size() != result_.expressions.size())
            return error(types.column, "{} type{} for {} expression{}", result_.types.size(),
                         result_.types.size() == 1 ? "" : "s", result_.expressions.size(),
                         result_.expressions.size() == 1 ? "" : "s");
        return {};
    }

    // Returns the column of " lin(…)" at the end of the expressions, and stores its scale; nullopt
    // if there is none.
    Result<std::optional<size_t>> cut_linear(const Piece &expressions)
    {
        std::string_view text = expressions.text;
        size_t at = text.rfind("lin(");
        if (at == text.npos || at == 0 || !text.ends_with(')') || !is_blank(text[at - 1]))
            return std::optional<size_t>();
        size_t column = expressions.column + at;
        std::string_view inside = text.substr(at + 4, text.size() - at - 5);
        std::vector<int64_t> numbers;
        for (std::string_view item : uscope::split(inside, ',')) {
            item = trim(item);
            bool is_negative = item.starts_with('-');
            auto number = parse_number(item.substr(is_negative));
            if (!number || *number > uint64_t(INT64_MAX))
                return error(column, "\"{}\" is not a number: lin(MIN,MAX,STEP)", item);
            numbers.push_back(is_negative ? -int64_t(*number) : int64_t(*number));
        }
        if (numbers.size() != 3)
            return error(column, "linear buckets are lin(MIN,MAX,STEP)");
        if (numbers[2] < 1 || numbers[1] <= numbers[0])
            return error(column, "lin(MIN,MAX,STEP) needs MIN < MAX and a STEP of at least 1");
        output::LinearScale scale = {numbers[0], numbers[1], uint64_t(numbers[2])};
        if (scale.buckets() > max_buckets)
            return error(column, "these are {} buckets, but the maximum is {}", scale.buckets(),
                         max_buckets);
        result_.linear = scale;
        return std::optional(column);
    }

    std::string_view text_;
    size_t at_;
    size_t end_ = text_.size();
    bool has_parentheses_;
    Specifier result_;
};

}  // namespace

Result<Specifier> parse_specifier(std::string_view text)
{
    return Parser(text, TRY(scan_location(text, true))).parse();
}

}  // namespace uscope::spec
