// The C++ library: streams, locales, regular expressions, containers, strings, numbers, files.
#include "check.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <deque>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <list>
#include <locale>
#include <memory>
#include <memory_resource>
#include <numeric>
#include <random>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

void mix_text(const std::string &text)
{
    for (char c : text)
        mix(static_cast<unsigned char>(c));
}

APART void streams(int n)
{
    std::ostringstream out;
    out << n << ' ' << std::setw(8) << std::setfill('.') << std::hex << n * 77 << ' '
        << std::scientific << n / 7.0L << std::boolalpha << (n > 3) << std::put_money(n * 100.0)
        << static_cast<void *>(nullptr);
    mix_text(out.str());
    std::istringstream in("12 3.5 word 0x1f rest of it\nline");
    int whole = 0;
    double part = 0;
    std::string word, line;
    in >> whole >> part >> word >> std::hex >> whole;
    std::getline(in, line);
    mix(whole + static_cast<int>(part * 2));
    mix_text(word + line);
    in.exceptions(std::ios::failbit);
    try {
        in >> whole;
    } catch (const std::ios_base::failure &) {
        mix(7);
    }
}

APART void texts(int n)
{
    std::string text = std::string(n, 'x') + "a1b22c333";
    text.insert(2, "inserted").replace(1, 3, "-").append(text, 2, 5);
    mix(text.find("c3") + text.rfind('b') + text.find_first_of("321"));
    mix_text(std::regex_replace(text, std::regex("([0-9]+)"), "<$1>"));
    for (auto call :
         {+[] { return std::stoi("none"); }, +[] { return std::stoi("99999999999999"); },
          +[] { return static_cast<int>(std::string("abc").at(5)); },
          +[] { return std::vector<int>(3).at(7); },
          +[] { return static_cast<int>(std::regex("(").mark_count()); }})
        try {
            mix(call());
        } catch (const std::exception &error) {
            mix(error.what()[0]);
        }
    std::wstring wide(text.begin(), text.end());
    mix(wide.compare(L"x") +
        std::use_facet<std::ctype<wchar_t>>(std::locale()).is(std::ctype_base::digit, wide[3]));
    char digits[40];
    mix_text({digits, std::to_chars(digits, digits + 40, n / 3.0).ptr});
    mix_text(std::filesystem::path("/a/b/../c.txt")
                 .lexically_normal()
                 .replace_extension(".md")
                 .string());
    mix(std::filesystem::exists("/nonexistent"));
}

APART void containers(int n)
{
    std::set<int> ordered;
    std::unordered_map<std::string, std::list<int>> lists;
    std::mt19937 numbers(n);
    for (int i = 0; i < 60; i++) {
        ordered.insert(numbers() % 1000);
        lists[std::to_string(numbers() % 13)].push_back(i);
    }
    mix(std::accumulate(ordered.begin(), ordered.end(), 0));
    for (int i = 0; i < 13; i++)
        if (auto found = lists.find(std::to_string(i)); found != lists.end()) {
            found->second.reverse();
            found->second.sort();
            mix(found->second.front());
        }
    while (!ordered.empty())
        ordered.erase(ordered.begin());
    std::pmr::monotonic_buffer_resource room;
    std::pmr::vector<std::pmr::string> kept(&room);
    for (int i = 0; i < 30; i++)
        kept.emplace_back(i * 3, 'a');
    mix(kept.back().size());
    std::shared_ptr<int> shared = std::make_shared<int>(n);
    std::weak_ptr<int> weak = shared;
    shared.reset();
    mix(weak.expired());
    std::stable_sort(kept.rbegin(), kept.rend());
    mix(dynamic_cast<std::ostream *>(static_cast<std::ios *>(&std::cout)) != nullptr);
    mix(std::chrono::seconds(n) / std::chrono::milliseconds(3));
}

}  // namespace

int main(int argc, char **argv)
{
    for (int i = 0; i < rounds(argc, argv); i++)
        for (int n = 0; n < 8; n++) {
            streams(n);
            texts(n);
            containers(n);
        }
    std::cout << "through a stream " << check_sum % 1000 << std::endl;
    return report("library");
}
