// Handles the terminal to which a tool writes: its size, its colours, and its screen.
#pragma once

#include <optional>

#include <termios.h>

#include "output/heatmap.h"
#include "run/tool.h"

namespace uscope::run {

// Returns a heatmap with the width and the colours of standard output's terminal.
output::Heatmap terminal_heatmap(const Tool &tool, output::Heatmap::Unit unit);

// Is standard output a terminal on which each output can replace the previous one?
bool redraws(const Tool &tool);

// Returns the number of rows of standard output's terminal; nullopt if it is unknown.
std::optional<unsigned> terminal_rows();

// The terminal's alternate screen, on which lines are cut instead of wrapped, and single keys from
// standard input, which are not echoed. What the terminal showed before is visible again after
// leave(), which the destructor and fatal signals (SIGSEGV …) also do.
class Screen {
  public:
    explicit Screen(output::Writer &out) : out_(out) {}
    Screen(const Screen &) = delete;
    ~Screen() { leave(); }

    // Returns whether the tool has the screen now: not if it runs in the background.
    bool enter();
    void leave();
    bool is_entered() const { return is_entered_; }
    bool has_keys() const { return has_keys_; }  // standard input is a terminal

  private:
    output::Writer &out_;
    bool is_entered_ = false, has_keys_ = false;
    termios before_ = {};
};

}  // namespace uscope::run
