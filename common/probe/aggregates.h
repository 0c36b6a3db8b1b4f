// The options --sum, --avg, --min-of, --max-of and --stats-of, which add up values beside counts,
// and the table that shows the results.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "output/json.h"
#include "probe/request.h"
#include "probe/table.h"
#include "run/tool.h"

namespace uscope::probe {

class Aggregates {
  public:
    // Declares the options, --sort and --percent.
    void declare(run::Tool &tool);
    // Chooses the columns. `counts`: are there any counts that they can stand beside?
    Result<> check(bool counts);

    bool any() const { return !expressions_.empty(); }
    const std::vector<std::string> &expressions() const { return expressions_; }
    // Is a minimum or a maximum wanted?
    bool has_extremes() const;
    // Makes the probe add up the values.
    Result<> add_to(ProbeRequest &probe) const;

    using Order = std::vector<Rows::const_pointer>;
    // The rows by the column of --sort, the greatest last; with `top`, only that many.
    Order ranked(const Rows &rows, std::optional<uint64_t> top) const;
    // The texts of the columns between the tab and the key: the titles come first, then a line for
    // each row of `order`. `all`: the rows from which percentages are calculated.
    std::vector<std::string> lines(const Order &order, const Rows &all) const;
    // The member "sums" of a row's object: an array with an object for each expression.
    std::string json(const Row &row) const;

  private:
    enum class Kind : uint8_t { Key, Count, Sum, Average, Min, Max, Percent };
    struct Column {
        Kind kind;
        size_t expression = 0;
    };

    size_t index_of(const std::string &expression);
    void add_columns(const std::vector<std::string> &expressions, std::vector<Kind> kinds);
    Result<> choose_order();
    std::string title(const Column &column) const;
    std::string text(const Column &column, const Row &row, const Row &total) const;

    std::vector<std::string> sums_, averages_, minima_, maxima_, stats_;  // as typed
    std::string sort_;
    bool percent_ = false;
    std::vector<std::string> expressions_;  // each once
    std::vector<Column> columns_ = {{Kind::Count}};
    Column order_ = {Kind::Count};
};

}  // namespace uscope::probe
