// Parses expressions by precedence climbing over tokens. The one hard question of C's grammar is
// whether "(x)" is a cast; type_length() answers it without knowing the names of types.
#include "expr/parse.h"

#include <algorithm>
#include <array>

#include "expr/lexer.h"
#include "types/type.h"

namespace uscope::expr {
namespace {

// The maximum depth of the parser's recursion, and of the tree, over which later passes recurse.
constexpr unsigned max_depth = 200;

struct Tree {
    NodeRef node;
    unsigned depth = 1;
};

// Returns the precedence of a binary operator; 0 if `sign` is not one.
unsigned precedence(std::string_view sign)
{
    struct Row {
        std::string_view sign;
        unsigned level;
    };
    static constexpr std::array<Row, 18> table = {{
        {"||", 1},
        {"&&", 2},
        {"|", 3},
        {"^", 4},
        {"&", 5},
        {"==", 6},
        {"!=", 6},
        {"<", 7},
        {"<=", 7},
        {">", 7},
        {">=", 7},
        {"<<", 8},
        {">>", 8},
        {"+", 9},
        {"-", 9},
        {"*", 10},
        {"/", 10},
        {"%", 10},
    }};
    for (const Row &row : table)
        if (row.sign == sign)
            return row.level;
    return 0;
}

class Parser {
  public:
    Parser(std::string_view source, std::vector<Token> tokens)
        : source_(source), tokens_(std::move(tokens))
    {
    }

    Result<NodeRef> whole()
    {
        NodeRef node = TRY(conditional()).node;
        TRY(expect_end());
        return node;
    }

    Result<std::vector<NodeRef>> list()
    {
        std::vector<NodeRef> nodes;
        if (token().kind == Token::Kind::End)
            return nodes;
        do
            nodes.push_back(TRY(conditional()).node);
        while (accept(","));
        TRY(expect_end());
        return nodes;
    }

  private:
    const Token &token(size_t ahead = 0) const
    {
        return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
    }

    bool accept(std::string_view sign)
    {
        if (!token().is(sign))
            return false;
        at_++;
        return true;
    }

    Result<> expect(std::string_view sign)
    {
        if (!accept(sign))
            return fail_at(source_, token().column, "expected '{}'", sign);
        return {};
    }

    Result<> expect_end() const
    {
        if (token().is("="))
            return fail_at(source_, token().column, "'=' assigns: to compare use '=='");
        using Kind = Token::Kind;
        if (token().kind == Kind::Name || token().kind == Kind::Number ||
            token().kind == Kind::Text)
            return fail_at(source_, token().column,
                           "expected an operator here, or a comma before the next value");
        if (token().kind != Kind::End)
            return fail_at(source_, token().column, "expected an operator or the end here");
        return {};
    }

    Result<std::string> expect_name(const char *what)
    {
        if (token().kind != Token::Kind::Name)
            return fail_at(source_, token().column, "expected {}", what);
        return tokens_[at_++].text;
    }

    template <class... Trees>
    Result<Tree> make(NodeKind kind, size_t column, std::string text, Trees... children) const
    {
        Tree tree = {std::make_unique<Node>(), 1};
        tree.node->kind = kind;
        tree.node->column = column;
        tree.node->text = std::move(text);
        (adopt(tree, std::move(children)), ...);
        return bounded(std::move(tree));
    }

    static void adopt(Tree &parent, Tree child)
    {
        parent.depth = std::max(parent.depth, child.depth + 1);
        parent.node->children.push_back(std::move(child.node));
    }

    Result<Tree> bounded(Tree tree) const
    {
        if (tree.depth > max_depth)
            return fail_at(source_, tree.node->column, "the expression is nested too deeply");
        return tree;
    }

    Result<Tree> conditional()
    {
        if (nesting_ >= max_depth)
            return fail_at(source_, token().column, "the expression is nested too deeply");
        nesting_++;
        auto result = conditional_inside();
        nesting_--;
        return result;
    }

    Result<Tree> conditional_inside()
    {
        Tree condition = TRY(binary(1));
        size_t column = token().column;
        if (!accept("?"))
            return condition;
        Tree yes = TRY(conditional());
        TRY(expect(":"));
        Tree no = TRY(conditional());
        return make(NodeKind::Conditional, column, "?", std::move(condition), std::move(yes),
                    std::move(no));
    }

    Result<Tree> binary(unsigned lowest)
    {
        Tree left = TRY(unary());
        for (;;) {
            const Token &sign = token();
            unsigned level = sign.kind == Token::Kind::Sign ? precedence(sign.text) : 0;
            if (level < lowest || level == 0)
                return left;
            at_++;
            Tree right = TRY(binary(level + 1));
            left = TRY(
                make(NodeKind::Binary, sign.column, sign.text, std::move(left), std::move(right)));
        }
    }

    Result<Tree> unary()
    {
        if (nesting_ >= max_depth)
            return fail_at(source_, token().column, "the expression is nested too deeply");
        nesting_++;
        auto result = unary_inside();
        nesting_--;
        return result;
    }

    Result<Tree> unary_inside()
    {
        const Token &sign = token();
        for (std::string_view prefix : {"+", "-", "!", "~", "*"}) {
            if (accept(prefix))
                return make(NodeKind::Unary, sign.column, std::string(prefix), TRY(unary()));
        }
        if (size_t length = sign.is("(") ? type_length(at_ + 1) : 0) {
            std::string type = type_text(at_ + 1, length);
            at_ += length + 2;
            return make(NodeKind::Cast, sign.column, std::move(type), TRY(unary()));
        }
        return postfix();
    }

    std::string type_text(size_t first, size_t length) const
    {
        size_t start = tokens_[first].column;
        return std::string(source_.substr(start, tokens_[first + length - 1].end - start));
    }

    // Returns the number of tokens from `first` to the next ')' if they are a type, or 0 if they
    // are an expression. They are a type if parse_type() knows it without debug information; if
    // they begin with a word such as "struct"; if they end in '*', as no expression does; or if
    // they are one name and followed by something that cannot follow an expression: "(client)x".
    size_t type_length(size_t first) const
    {
        size_t length = 0;
        for (;; length++) {
            const Token &token = tokens_[first + length];
            if (token.is(")"))
                break;
            if (token.kind != Token::Kind::Name && !token.is("*"))
                return 0;
        }
        if (length == 0)
            return 0;
        if (tokens_[first].kind == Token::Kind::Name &&
            (tokens_[first + length - 1].is("*") || starts_type(tokens_[first].text) ||
             types::parse_type(type_text(first, length))))
            return length;
        const Token &next = tokens_[first + length + 1];
        bool primary_follows = next.kind == Token::Kind::Name || next.kind == Token::Kind::Number ||
                               next.kind == Token::Kind::Text || next.is("(") || next.is("~");
        return length == 1 && primary_follows ? length : 0;
    }

    static bool starts_type(std::string_view word)
    {
        return word == "struct" || word == "union" || word == "enum" || word == "class" ||
               word == "const";
    }

    Result<Tree> postfix()
    {
        Tree tree = TRY(primary());
        for (;;) {
            size_t column = token().column;
            if (accept("[")) {
                Tree index = TRY(conditional());
                TRY(expect("]"));
                tree = TRY(make(NodeKind::Index, column, "[", std::move(tree), std::move(index)));
            } else if (token().is(".") || token().is("->")) {
                NodeKind kind = token().is(".") ? NodeKind::Member : NodeKind::Arrow;
                at_++;
                column = token().column;
                std::string member = TRY(expect_name("a member's name"));
                if ((member == "size" || member == "get") && token().is("(") && token(1).is(")")) {
                    member += "()";
                    at_ += 2;
                }
                tree = TRY(make(kind, column, std::move(member), std::move(tree)));
            } else if (accept("@")) {
                if (TRY(expect_name("'user'")) != "user")
                    return fail_at(source_, column, "expected '@user'");
                tree = TRY(make(NodeKind::Unary, column, "@user", std::move(tree)));
            } else {
                return tree;
            }
        }
    }

    Result<Tree> primary()
    {
        const Token &first = token();
        switch (first.kind) {
        case Token::Kind::Number: {
            at_++;
            Tree tree = TRY(make(NodeKind::Number, first.column, {}));
            tree.node->number = first.number;
            tree.node->is_unsigned = first.is_unsigned;
            tree.node->is_long = first.is_long;
            return tree;
        }
        case Token::Kind::Text:
            at_++;
            return make(NodeKind::Text, first.column, first.text);
        case Token::Kind::Name:
            at_++;
            if (first.text == "sizeof" || first.text == "offsetof")
                return of_type(first);
            if (token().is("("))
                return call(first);
            return make(NodeKind::Name, first.column, first.text);
        default:
            break;
        }
        if (accept("(")) {
            Tree tree = TRY(conditional());
            TRY(expect(")"));
            return tree;
        }
        return fail_at(source_, first.column, "expected a value here: a name, a number or '('");
    }

    // sizeof(type), offsetof(type, member.member)
    Result<Tree> of_type(const Token &function)
    {
        TRY(expect("("));
        size_t length = 0;
        while (tokens_[at_ + length].kind == Token::Kind::Name || tokens_[at_ + length].is("*"))
            length++;
        if (length == 0)
            return fail_at(source_, token().column, "expected a type: {}(struct client{})",
                           function.text, function.text == "sizeof" ? "" : ", name");
        std::string type = type_text(at_, length);
        at_ += length;
        if (function.text == "sizeof") {
            TRY(expect(")"));
            return make(NodeKind::SizeOf, function.column, std::move(type));
        }
        TRY(expect(","));
        Tree member = TRY(postfix());
        TRY(expect(")"));
        return make(NodeKind::OffsetOf, function.column, std::move(type), std::move(member));
    }

    Result<Tree> call(const Token &name)
    {
        Tree tree = TRY(make(NodeKind::Call, name.column, name.text));
        TRY(expect("("));
        if (accept(")"))
            return tree;
        do
            adopt(tree, TRY(conditional()));
        while (accept(","));
        TRY(expect(")"));
        return bounded(std::move(tree));
    }

    std::string_view source_;
    std::vector<Token> tokens_;
    size_t at_ = 0;
    unsigned nesting_ = 0;
};

}  // namespace

Result<NodeRef> parse(std::string_view text)
{
    return Parser(text, TRY(tokenize(text))).whole();
}

Result<std::vector<NodeRef>> parse_list(std::string_view text)
{
    return Parser(text, TRY(tokenize(text))).list();
}

}  // namespace uscope::expr
