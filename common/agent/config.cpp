// Reads YAML by libyaml, as a document of nodes that know their lines.
//
// libyaml makes the static program 82 kB larger. Debian's libraries for TOML are templates with
// streams: toml++ takes 684 kB, toml11 832 kB.
#include "agent/config.h"

#include <algorithm>
#include <cstdlib>
#include <functional>

#include <yaml.h>

#include "base/format.h"
#include "base/text.h"
#include "telemetry/address.h"
#include "telemetry/endpoint.h"
#include "telemetry/otlp_output.h"

namespace uscope::agent {
namespace {

constexpr size_t max_name = 64;

class Reader {
  public:
    Reader(const std::vector<std::string> &tools, std::vector<Problem> &problems)
        : tools_(tools), problems_(problems)
    {
    }
    Config read(std::string_view text);

  private:
    using Node = const yaml_node_t &;
    using Take = std::function<void(Node value)>;
    struct Key {
        std::string_view name;
        Take take;
    };

    void fail(Node node, std::string text) { problems_.push_back({line_of(node), text}); }
    static size_t line_of(Node node) { return node.start_mark.line + 1; }
    static bool is_empty(Node node);
    void each_pair(Node node, std::string_view what,
                   const std::function<void(const std::string &, Node, Node)> &action);
    void take_keys(Node node, std::string_view what, const std::vector<Key> &keys);
    void take_text(Node node, std::string &text);
    void take_address(Node node, std::string &text);
    void take_collector(Node node, std::string &text);
    void take_share(Node node, double &share);
    void take_words(Node node, std::vector<std::string> &words);
    void take_tool(Config &config, const std::string &name, Node key, Node value);
    bool check_tool(const ToolConfig &tool, Node node);
    void refuse_another(yaml_parser_t &parser);

    const std::vector<std::string> &tools_;
    std::vector<Problem> &problems_;
    yaml_document_t document_ = {};
};

std::string text_of(const yaml_node_t &node)
{
    return {reinterpret_cast<const char *>(node.data.scalar.value), node.data.scalar.length};
}

// Is it nothing, as after "httpsnoop:"?
bool Reader::is_empty(Node node)
{
    return node.type == YAML_SCALAR_NODE && node.data.scalar.length == 0 &&
           node.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
}

void Reader::each_pair(Node node, std::string_view what,
                       const std::function<void(const std::string &, Node, Node)> &action)
{
    if (is_empty(node))
        return;
    if (node.type != YAML_MAPPING_NODE)
        return fail(node, fmt::format("{} must be a mapping, lines of KEY: VALUE", what));
    std::vector<std::string> seen;
    for (auto *pair = node.data.mapping.pairs.start; pair < node.data.mapping.pairs.top; pair++) {
        Node key = *yaml_document_get_node(&document_, pair->key);
        std::string name = key.type == YAML_SCALAR_NODE ? text_of(key) : "";
        bool is_again = std::find(seen.begin(), seen.end(), name) != seen.end();
        if (name.empty())
            fail(key, fmt::format("a key of {} must be a word", what));
        else if (is_again)
            fail(key, fmt::format("{} has {} twice: omit one of them", what, name));
        else
            action(name, key, *yaml_document_get_node(&document_, pair->value));
        seen.push_back(name);
    }
}

void Reader::take_keys(Node node, std::string_view what, const std::vector<Key> &keys)
{
    each_pair(node, what, [&](const std::string &name, Node key, Node value) {
        std::vector<std::string> names;
        for (const Key &known : keys) {
            names.emplace_back(known.name);
            if (known.name == name)
                return known.take(value);
        }
        fail(key, fmt::format("{} has no key {}: it takes {}", what, name, join(names, ", ")));
    });
}

void Reader::take_text(Node node, std::string &text)
{
    if (node.type != YAML_SCALAR_NODE || node.data.scalar.length == 0)
        return fail(node, "a text is missing here");
    text = text_of(node);
}

void Reader::take_address(Node node, std::string &text)
{
    take_text(node, text);
    if (!text.empty() && !telemetry::listening_address(text))
        fail(node, fmt::format("metrics: {} is not [ADDRESS]:PORT, such as 127.0.0.1:9464", text));
}

void Reader::take_collector(Node node, std::string &text)
{
    std::string url;
    take_text(node, url);
    auto checked = telemetry::OtlpOutput::check(telemetry::trace_names, url);
    if (checked && telemetry::is_url(url))
        text = url;
    else if (!url.empty())
        fail(node, checked
                       ? fmt::format("otlp: {} is not a URL, such as http://localhost:4318", url)
                       : "otlp: " + checked.error().text);
}

void Reader::take_share(Node node, double &share)
{
    std::string text = node.type == YAML_SCALAR_NODE ? text_of(node) : "";
    char *end = nullptr;
    double percent = strtod(text.c_str(), &end);
    if (text.empty() || std::string_view(end) != "%" || !(percent > 0) || percent > 100'000)
        return fail(node,
                    fmt::format("cpu: \"{}\" is not a share of a processor, such as 1%", text));
    share = percent / 100;
}

void Reader::take_words(Node node, std::vector<std::string> &words)
{
    if (is_empty(node))
        return;
    if (node.type != YAML_SEQUENCE_NODE)
        return fail(node, "options must be a list, such as [--min, 5ms]");
    for (auto *item = node.data.sequence.items.start; item < node.data.sequence.items.top; item++) {
        Node word = *yaml_document_get_node(&document_, *item);
        if (word.type == YAML_SCALAR_NODE)
            words.push_back(text_of(word));
        else
            fail(word, "an option must be a text: quote it");
    }
}

// Can the tool be asked about its options?
bool Reader::check_tool(const ToolConfig &tool, Node node)
{
    if (std::find(tools_.begin(), tools_.end(), tool.tool) == tools_.end()) {
        fail(node, fmt::format("there is no tool \"{}\"{}", tool.tool,
                               did_you_mean(near_names(tool.tool, tools_))));
        return false;
    }
    constexpr std::string_view ending[] = {"--help", "-h", "--version", "-V", "--dry-run"};
    std::string refusal;
    for (const std::string &word : tool.options) {
        if (word == "--")
            break;
        if (word == "--prometheus" || word.starts_with("--prometheus="))
            refusal = "the agent exports its metrics: omit --prometheus, and set metrics of agent";
        else if (std::count(std::begin(ending), std::end(ending), word))
            refusal = fmt::format("omit {}, which makes it end", word);
    }
    if (!refusal.empty())
        fail(node, fmt::format("{}: {}", tool.name, refusal));
    return refusal.empty();
}

void Reader::take_tool(Config &config, const std::string &name, Node key, Node value)
{
    constexpr const char *letters =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
    ToolConfig tool = {name, name, {}, line_of(key)};
    if (name.size() > max_name || name.find_first_not_of(letters) != name.npos)
        return fail(key, fmt::format("a tool's name has at most {} letters, digits, '_', '.', '-'; "
                                     "the program may be given by tool",
                                     max_name));
    take_keys(value, name,
              {{"tool", [&](Node node) { take_text(node, tool.tool); }},
               {"options", [&](Node node) { take_words(node, tool.options); }}});
    if (check_tool(tool, key))
        config.tools.push_back(std::move(tool));
}

void Reader::refuse_another(yaml_parser_t &parser)
{
    yaml_document_t another;
    if (!yaml_parser_load(&parser, &another))
        return problems_.push_back(
            {parser.problem_mark.line + 1, fmt::format("this is not YAML: {}", parser.problem)});
    if (const yaml_node_t *root = yaml_document_get_root_node(&another))
        fail(*root, "a second document begins here: omit the line --- above it");
    yaml_document_delete(&another);
}

Config Reader::read(std::string_view text)
{
    Config config;
    yaml_parser_t parser;
    yaml_parser_initialize(&parser);
    yaml_parser_set_input_string(&parser, reinterpret_cast<const unsigned char *>(text.data()),
                                 text.size());
    bool is_read = yaml_parser_load(&parser, &document_);
    if (!is_read)
        problems_.push_back(
            {parser.problem_mark.line + 1, fmt::format("this is not YAML: {}", parser.problem)});
    else
        refuse_another(parser);
    yaml_parser_delete(&parser);
    if (!is_read)
        return config;
    if (const yaml_node_t *root = yaml_document_get_root_node(&document_))
        take_keys(*root, "the file",
                  {{"agent",
                    [&](Node node) {
                        take_keys(node, "agent",
                                  {{"metrics", [&](Node n) { take_address(n, config.metrics); }},
                                   {"otlp", [&](Node n) { take_collector(n, config.otlp); }},
                                   {"cpu", [&](Node n) { take_share(n, config.cpu); }}});
                    }},
                   {"tools", [&](Node node) {
                        each_pair(node, "tools",
                                  [&](const std::string &name, Node key, Node value) {
                                      take_tool(config, name, key, value);
                                  });
                    }}});
    yaml_document_delete(&document_);
    if (config.tools.empty() && problems_.empty())
        problems_.push_back({1, "no tool is chosen: add tools, such as \"tools: {httpsnoop: }\""});
    return config;
}

}  // namespace

Config parse_config(std::string_view text, const std::vector<std::string> &tools,
                    std::vector<Problem> &problems)
{
    return Reader(tools, problems).read(text);
}

}  // namespace uscope::agent
