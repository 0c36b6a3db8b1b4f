// Shows a structure or an array with everything in it:
//
//     {id=7, state=OPEN, name="abc", at={x=1, y=2}, list=[1, 2, 3], next=0x7f0012}
//
// The program copies its bytes, and reads the texts to which members lead (char *, std::string).
// Members of base classes and of anonymous structures are members of the whole.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "output/printf.h"
#include "types/type.h"

namespace uscope::expr {

class Whole {
  public:
    static constexpr uint32_t max_bytes = 1024;  // that are copied; later members are left out
    static constexpr size_t max_texts = 8;

    // `words`: the offsets of the words of 8 bytes that are known; null: all are. `reads_texts`:
    // the program reads the texts to which members lead.
    explicit Whole(const types::Type &type, const std::vector<uint64_t> *words = nullptr,
                   bool reads_texts = true);

    struct Text {  // a member that is or leads to a text outside of the structure
        uint64_t offset;
        types::TypeRef type;
    };
    const std::vector<Text> &texts() const { return texts_; }
    uint32_t bytes() const { return bytes_; }

    using NameOf = std::function<std::string_view(const types::Type &, int64_t)>;
    // Appends the value to `text` and, as JSON, to `json`. `bytes`: as many as bytes(), or fewer;
    // `texts`: the values of texts(). `name_of`: the name of an enumeration's constant, or "".
    void append(std::string &text, std::string &json, Bytes bytes,
                const std::vector<output::Value> &texts, const NameOf &name_of) const;

  private:
    struct Item {
        enum class Kind : uint8_t { Open, Close, Value, Rest };
        Kind kind;
        bool is_list = false;      // Open, Close
        std::string label = {};    // "" for elements
        types::Member place = {};  // Value: its offset is from the whole's start
        int text = -1;             // Value: its index in texts_
        bool is_known = true;      // Value
    };
    void add(const std::string &label, const types::Member &place, unsigned depth);
    void add_members(const types::Type &type, uint64_t offset, unsigned depth);
    void add_elements(const types::Type &type, uint64_t offset, unsigned depth);
    bool is_full() const;

    std::vector<Item> items_;
    std::vector<Text> texts_;
    bool reads_texts_;
    uint32_t bytes_ = 0;
};

}  // namespace uscope::expr
