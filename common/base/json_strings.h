// Reads the texts in a JSON document that this program did not write.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace uscope {

// A text in a JSON document, or the end of an object.
struct JsonString {
    // The number of objects and arrays around it: 1 for a member of the document's object. Of an
    // object's end: around the object.
    size_t depth;
    std::string_view key;  // of the member whose value, or whose array, has the text
    std::string value;
    bool is_object_end = false;
};

// Calls `visit` for each text that is a value, and at each object's end, in the order of the
// document. Ignores other values. Stops at the first error: what precedes it was visited. `visit`
// returns false to stop.
void visit_json_strings(std::string_view json,
                        const std::function<bool(const JsonString &)> &visit);

}  // namespace uscope
