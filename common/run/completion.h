// Completes command lines of the tools, for the scripts in completions/.
//
// A shell calls `uscope complete WORD…`, where the last WORD is the one that is being typed. Each
// line of the answer is a word that may replace it, a tab and a description. A word that is whole
// ends with a blank. A line without a word means that the shell completes the names of files. Text
// that is wrong, or cannot be completed, has no answer.
//
// bash splits words at colons, so its script calls `uscope complete --bash LINE PART`. LINE is the
// command up to the cursor, and PART the end of it that bash replaces. The answer then contains the
// replacements of PART, with quotes and without descriptions.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "resolve/candidates.h"
#include "run/command_line.h"
#include "run/tools.h"

namespace uscope::run {

struct CompletionScript {
    std::string_view shell, text;  // @NAMES@ in `text` stands for the names of the programs
};
// From completions/ (mk/tools.mk).
extern const std::span<const CompletionScript> completion_scripts;

struct Completion {
    resolve::Candidates candidates = {};
    bool has_files = false;  // names of files also complete the word
};

// `words`: those after the tool's name; the last one is being typed.
Completion complete_tool(const CommandLine &line, const std::vector<std::string> &words);

// `uscope complete`: prints what completes the words.
int print_candidates(std::span<char *const> words);
// `uscope completion SHELL`: returns the script for the names under which this program is
// installed. `program`: the name by which it was called.
std::string completion_script(const CompletionScript &script, const std::string &program);

// If there are more than `max` candidates, returns the texts with which several of them start
// instead: all of one length, and at most `max` unless more differ after `typed` characters.
resolve::Candidates shorten(resolve::Candidates candidates, size_t typed, size_t max);

}  // namespace uscope::run
