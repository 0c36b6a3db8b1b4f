// The questions by which `uscope` lists its tools.
#pragma once

#include <cstdint>
#include <string_view>

namespace uscope::run {

enum class Question : uint8_t { Calls, Slow, Memory, Servers, Programs };

// In the order of Question.
constexpr std::string_view question_titles[] = {
    "Which functions are called, and with what?",
    "What is slow?",
    "Where does the memory go?",
    "What do clients ask of servers?",
    "What does a program do?",
};

}  // namespace uscope::run
