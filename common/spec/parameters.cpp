// Distinguishes parameter lists from expressions by C's order of words: qualifiers, one type (of
// several words if it is a base type), pointers, then at most one name. "arg2 == 42" has an
// operator that no declaration has, "unsigned long" ends with a word that cannot be a name, and
// "size_t size" has a name. The result only says whether there are names, which names, and the text
// of their types.

#include "spec/parameters.h"

#include <algorithm>
#include <optional>

#include "base/text.h"

namespace uscope::spec {

namespace {

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words)
{
    return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_qualifier(std::string_view word)
{
    return is_one_of(word, {"const", "volatile", "restrict", "__restrict", "__user", "register"});
}

bool is_tag(std::string_view word)
{
    return is_one_of(word, {"struct", "union", "enum", "class", "typename"});
}

bool is_base(std::string_view word)
{
    return is_one_of(word, {"void", "char", "short", "int", "long", "signed", "unsigned", "float",
                            "double", "bool", "_Bool", "__int128", "_Complex"});
}

// Is it arg1 … or retval? These are values, never types.
bool is_value(std::string_view word)
{
    return word == "retval" || (word.substr(0, 3) == "arg" && word.size() > 3 &&
                                word.find_first_not_of("0123456789", 3) == std::string_view::npos);
}

class ParameterParser {
  public:
    explicit ParameterParser(std::string_view text) : text_(text) {}

    std::optional<Parameter> parse()
    {
        while (at_ < text_.size()) {
            char c = text_[at_];
            bool is_valid = c == ' ' || c == '\t'                      ? (at_++, true)
                            : c == '*' || c == '&'                     ? pointer()
                            : c == '['                                 ? array()
                            : c == '(' && !is_at_anonymous_namespace() ? function_pointer()
                                                                       : word();
            if (!is_valid)
                return std::nullopt;
        }
        if (!has_type_)
            return std::nullopt;
        if (name_.empty())
            return Parameter{std::string(text_), "", 0};
        return Parameter{type(), std::string(name_), size_t(name_.data() - text_.data())};
    }

  private:
    static constexpr std::string_view anonymous_namespace = "(anonymous namespace)";

    bool is_at_anonymous_namespace() const
    {
        return text_.substr(at_).starts_with(anonymous_namespace);
    }

    bool pointer()
    {
        at_++;
        return has_type_ && name_.empty();
    }

    bool array()
    {
        auto end = skip_brackets(text_, at_);
        std::string_view count = end ? text_.substr(at_ + 1, *end - at_ - 2) : "";
        if (!end || !has_type_ || !std::all_of(count.begin(), count.end(), is_identifier))
            return false;
        at_ = *end;
        is_array_ = true;
        return true;
    }

    // Skips both pairs of brackets of "(*name)(int)", "(*)(int)", "(&) [3]" or "(ns::C::*)(int)".
    bool function_pointer()
    {
        auto end = skip_brackets(text_, at_);
        if (!end || !has_type_ || !name_.empty())
            return false;
        std::string_view inside = trim(text_.substr(at_ + 1, *end - at_ - 2));
        size_t star = inside.find_last_of("*&");
        if (star == inside.npos)
            return false;
        name_ = trim(inside.substr(star + 1));
        is_function_ = true;
        at_ = *end;
        while (at_ < text_.size() && text_[at_] == ' ')
            at_++;
        if (at_ == text_.size() || (text_[at_] != '(' && text_[at_] != '['))
            return false;
        end = skip_brackets(text_, at_);
        at_ = end.value_or(at_);
        return end && std::all_of(name_.begin(), name_.end(), is_identifier);
    }

    bool word()
    {
        size_t start = at_;
        while (at_ < text_.size()) {
            char c = text_[at_];
            if (is_identifier(c)) {
                at_++;
            } else if (text_.substr(at_, 2) == "::") {
                at_ += 2;
            } else if (is_at_anonymous_namespace()) {
                at_ += anonymous_namespace.size();
            } else if ((c == '<' && at_ > start) || c == '{') {
                auto end = skip_brackets(text_, at_);
                if (!end)
                    return false;
                at_ = *end;
            } else {
                break;
            }
        }
        std::string_view word = text_.substr(start, at_ - start);
        if (word.empty() || (word[0] >= '0' && word[0] <= '9') || is_value(word))
            return false;
        if (is_qualifier(word))
            return true;
        if (is_tag(word))
            return !has_type_;
        if (!has_type_ || is_base(word)) {
            bool is_type_word = !has_type_ || (is_base_ && name_.empty());
            is_base_ = is_base(word);
            has_type_ = true;
            return is_type_word;
        }
        if (!name_.empty() || is_array_ || !std::all_of(word.begin(), word.end(), is_identifier))
            return false;
        name_ = word;
        return true;
    }

    // Returns the type: the declaration's text without the name, with references and arrays as
    // pointers.
    std::string type() const
    {
        if (is_function_)
            return "void *";
        std::string type(trim(text_.substr(0, name_.data() - text_.data())));
        if (is_array_)
            type += type.back() == '*' ? "*" : " *";
        for (size_t twice; (twice = type.find("&&")) != type.npos;)
            type.erase(twice, 1);
        std::replace(type.begin(), type.end(), '&', '*');
        return type;
    }

    std::string_view text_, name_;
    size_t at_ = 0;
    bool has_type_ = false, is_base_ = false, is_array_ = false, is_function_ = false;
};

}  // namespace

std::optional<size_t> skip_brackets(std::string_view text, size_t open)
{
    std::string closers;
    for (size_t i = open; i < text.size(); i++) {
        constexpr std::string_view opening = "([{<", closing = ")]}>";
        if (size_t which = opening.find(text[i]); which != opening.npos) {
            closers.push_back(closing[which]);
        } else if (text[i] == '>') {
            if (closers.back() == '>' && text[i - 1] != '-')
                closers.pop_back();
        } else if (closing.find(text[i]) != closing.npos) {
            while (!closers.empty() && closers.back() == '>')
                closers.pop_back();
            if (closers.empty() || closers.back() != text[i])
                return std::nullopt;
            closers.pop_back();
        }
        if (closers.empty())
            return i + 1;
    }
    return std::nullopt;
}

ParameterList parse_parameters(std::string_view inside)
{
    const char *start_of_text = inside.data();
    inside = trim(inside);
    if (inside.empty() || inside == "void")
        return {ParameterList::Kind::Empty, {}};
    ParameterList list;
    size_t start = 0;
    for (size_t i = 0; i <= inside.size(); i++) {
        if (i < inside.size() &&
            std::string_view("([{<").find(inside[i]) != std::string_view::npos) {
            auto end = skip_brackets(inside, i);
            if (!end)
                return {};
            i = *end - 1;
        } else if (i == inside.size() || inside[i] == ',') {
            std::string_view text = trim(inside.substr(start, i - start));
            start = i + 1;
            if (text == "...")
                continue;
            if (text == "*") {  // in a glob: any parameters
                list.parameters.push_back({"*", "", 0});
                continue;
            }
            auto parameter = ParameterParser(text).parse();
            if (!parameter)
                return {};
            parameter->column += text.data() - start_of_text;
            list.parameters.push_back(std::move(*parameter));
        }
    }
    bool named = std::any_of(list.parameters.begin(), list.parameters.end(),
                             [](const Parameter &p) { return !p.name.empty(); });
    list.kind = named ? ParameterList::Kind::Named : ParameterList::Kind::Types;
    return list;
}

}  // namespace uscope::spec
