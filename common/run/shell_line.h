// Splits the command line that a user is typing in bash, and quotes what completes its last word.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace uscope::run {

struct ShellLine {
    std::vector<std::string> words;  // without quotes; the last one is being typed, perhaps empty
    char open_quote = 0;             // the last word is in this quote: ' or "
};

// `line`: one command, up to the cursor. Replaces no variables or patterns.
ShellLine split_shell_line(std::string_view line);

// Returns `text` as a part of a word: in `open_quote`, or with backslashes if that is 0. A "~/" at
// its beginning stays.
std::string shell_quoted(std::string_view text, char open_quote);

}  // namespace uscope::run
