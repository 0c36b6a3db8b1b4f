// Compresses what a tool writes or sends, and unpacks what it receives.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace uscope::output {

// Returns the text in the gzip format (RFC 1952). `level`: 1 (fast) to 9 (small), or -1 for zlib's
// default, 6. Errors: not enough memory.
Result<std::string> gzip(std::string_view text, int level = -1);

// Unpacks a text in the gzip format that arrives in pieces.
class Gunzip {
  public:
    Gunzip();
    ~Gunzip();

    // Calls take() with the unpacked pieces. Errors: the text is damaged; that of take().
    Result<> add(std::string_view packed, const std::function<Result<>(std::string_view)> &take);
    bool is_complete() const { return is_complete_; }

  private:
    struct State;
    std::unique_ptr<State> state_;
    bool is_complete_ = false;
};

}  // namespace uscope::output
