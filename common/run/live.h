// --live: shows results on a terminal's screen, where they replace the previous ones, with keys:
// q ends the tool, s sorts the rows by the next column, p pauses.
//
// The results are written as elsewhere, but the writer holds them back, with an index of their rows
// (output/row_index.h), from which each drawing takes the order. Notes for standard error wait
// until the screen is left, and the last one is shown on the screen. Where there is no screen (the
// output is not a terminal, or the tool runs in the background), draw() does nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"

namespace uscope::run {

class Loop;
class Tool;

class Live {
  public:
    Live();
    Live(const Live &) = delete;
    ~Live();

    void declare(Tool &tool);
    // If `is_other`, check() refuses --live together with `other`: "--svg".
    void excludes(bool is_other, const char *other)
    {
        if (is_other)
            excluded_ = other;
    }
    // Errors: options that exclude --live. Call it after Tool::parse().
    Result<> check() const;
    bool is_given() const { return is_given_; }
    // Uses the screen, if there is one, also without --live.
    void use() { is_used_ = true; }

    // The column by which rows are sorted at first (""; as they were written), and how many are
    // shown. Call it before start().
    struct Order {
        std::string column = {};
        std::optional<uint64_t> max_rows = {};
    };
    void set_order(Order order);

    // Takes the screen until the loop ends. `refresh` calls draw().
    Result<> start(Tool &tool, Loop &loop, std::function<void()> refresh);
    // Shows what `write` writes to Tool::out(). Returns false, and calls nothing, without a screen.
    bool draw(const std::function<void()> &write);
    // Draws what `write` writes each second, as long as there is a screen.
    Result<> draw_each_second(Tool &tool, Loop &loop, const std::function<void()> &write);
    bool is_paused() const;
    // Appends the text that was drawn last, as it was sorted; nothing without start().
    void append_last(std::string &out) const;

  private:
    struct State;

    bool is_given_ = false, is_used_ = false;
    Tool *tool_ = nullptr;
    const char *excluded_ = nullptr;
    Order order_;
    std::unique_ptr<State> state_;
};

// --summary of tools that show requests, which --live shows before the end.
struct SummaryOptions {
    bool is_wanted = false;
    Live live = {};

    void declare(Tool &tool);
    Result<> check();
};

}  // namespace uscope::run
