#include "lang/node/v8_code.h"

#include <gtest/gtest.h>

#include "bpf/unwind/unwind.h"
#include "support/v8_memory.h"

namespace uscope::lang {
namespace {

using namespace tests::v8_types;
using tests::Heap, tests::small;

constexpr uint16_t wide_string = 0, narrow_string = 8;

// The objects of this function in shop.js:
//
//     function pay() {
//       round();
//     }
struct Shop : Heap {
    std::optional<int32_t> v8_version;
    uint64_t script, bytecodes;

    explicit Shop(std::optional<int32_t> version = 11) : v8_version(version)
    {
        uint64_t source = add_text(narrow_string, "function pay() {\n  round();\n}\n");
        script = add(script_type, {source, add_text(narrow_string, "/srv/shop.js"), small(0)});
        // The table says that the first bytecode belongs to the 19th character, where the call is.
        uint64_t positions = add_bytes(v8_version >= 14 ? "\x07\x50" : "\x02\x50");
        bytecodes = add(bytecodes_type, {small(4), 0, 0, positions, 0, 0, 0});
    }
    uint64_t shared(uint64_t name) { return add(shared_type, {bytecodes, name, 0, script}); }
    static constexpr uint32_t of_function = 2, of_module = 3, named = 3 << 12, inferred = 1 << 14;
    uint64_t scope(uint64_t name)
    {
        return add(scope_type,
                   {small(named | of_function), small(0), small(0), name, 0, small(2), small(29)});
    }
    uint64_t function(uint64_t name) { return add(function_type, {0, 0, shared(name)}); }
    Memory memory() const { return tests::v8_memory(bytes(), v8_version); }
    std::optional<V8Code::Function> find(uint64_t function, uint64_t place) const
    {
        Memory memory = this->memory();
        return V8Code::open(memory)->function(memory, function, place);
    }
};

constexpr uint64_t first_bytecode = 53;

TEST(V8Code, NamesTheFunctionAndTheLineOfItsCall)
{
    Shop shop;
    uint64_t function = shop.function(shop.add_text(narrow_string, "pay"));
    EXPECT_EQ(shop.find(function, first_bytecode), (V8Code::Function{"pay", "shop.js:2"}));
    EXPECT_EQ(shop.find(function, first_bytecode + 3), (V8Code::Function{"pay", "shop.js:2"}));
    // This offset is after the function's bytecodes: the line is unknown.
    EXPECT_EQ(shop.find(function, first_bytecode + 4), (V8Code::Function{"pay", "shop.js"}));
    EXPECT_EQ(shop.find(function, 1), (V8Code::Function{"pay", "shop.js"}));
}

TEST(V8Code, ReadsPositionsAsOf14)
{
    Shop shop(14);
    uint64_t function = shop.function(shop.add_text(narrow_string, "pay"));
    EXPECT_EQ(shop.find(function, first_bytecode), (V8Code::Function{"pay", "shop.js:2"}));
    EXPECT_EQ(shop.find(function, first_bytecode + 3), (V8Code::Function{"pay", "shop.js:2"}));
}

TEST(V8Code, ShowsWhereACompiledFunctionBegins)
{
    Shop shop;
    uint64_t function = shop.function(shop.scope(shop.add_text(narrow_string, "pay")));
    EXPECT_EQ(shop.find(function, UNWIND_V8_NOWHERE), (V8Code::Function{"pay", "shop.js:1"}));
}

TEST(V8Code, TakesTheInferredNameOnlyWhereThereIsNone)
{
    Shop shop;
    auto found = [&](uint64_t name) {
        uint64_t object = shop.add_text(narrow_string, "shop");
        uint64_t scope =
            shop.add(scope_type, {small(Shop::named | Shop::inferred | Shop::of_function), small(0),
                                  small(0), name, 0, object, small(20), small(29)});
        return shop.find(shop.function(scope), UNWIND_V8_NOWHERE);
    };
    EXPECT_EQ(found(shop.add_text(narrow_string, "")), (V8Code::Function{"shop", "shop.js:2"}));
    EXPECT_EQ(found(shop.add_text(narrow_string, "pay")), (V8Code::Function{"pay", "shop.js:2"}));
    // A function without a name, as in: const shop = {[name]() {…}}
    EXPECT_EQ(found(small(0)), (V8Code::Function{"<anonymous>", "shop.js:2"}));
}

TEST(V8Code, KnowsAModuleFromWhatItExports)
{
    Shop shop;
    uint64_t local = shop.add_text(narrow_string, "local"),
             empty = shop.add_text(narrow_string, "");
    uint64_t exported = shop.add_text(narrow_string, "pay");
    std::vector<uint64_t> words = {small(Shop::named | Shop::of_module),
                                   small(0),
                                   small(1),
                                   small(1),
                                   local,
                                   small(0),
                                   empty,
                                   0,
                                   small(20),
                                   small(29),
                                   exported};
    uint64_t of_22 = shop.function(shop.add(scope_type, words));
    EXPECT_EQ(shop.find(of_22, UNWIND_V8_NOWHERE), (V8Code::Function{"<anonymous>", "shop.js:2"}));
    words.erase(words.begin() + 3);
    uint64_t of_20 = shop.function(shop.add(scope_type, words));
    EXPECT_EQ(shop.find(of_20, UNWIND_V8_NOWHERE), (V8Code::Function{"<anonymous>", "shop.js:2"}));
}

TEST(V8Code, PutsNamesOfTwoPartsTogether)
{
    constexpr uint16_t of_two = 9;
    Shop shop;
    uint64_t object = shop.add_text(narrow_string, "Shop"),
             method = shop.add_text(narrow_string, ".pay");
    uint64_t name = shop.add(of_two, {uint64_t{8} << 32, object, method});
    EXPECT_EQ(shop.find(shop.function(name), first_bytecode)->function, "Shop.pay");
}

TEST(V8Code, ReadsNamesInBothWidths)
{
    Shop shop;
    uint64_t narrow = shop.function(shop.add_text(narrow_string, "gr\xf6\xdf"));
    EXPECT_EQ(shop.find(narrow, first_bytecode)->function, "gr\u00f6\u00df");
    uint64_t wide =
        shop.function(shop.add_text(wide_string, std::string_view("\x3d\xd8\x00\xde\x61\x00", 6)));
    EXPECT_EQ(shop.find(wide, first_bytecode)->function, "\U0001f600a");
    uint64_t empty = shop.function(shop.add_text(narrow_string, ""));
    EXPECT_EQ(shop.find(empty, first_bytecode)->function, "<anonymous>");
}

TEST(V8Code, TellsObjectsThatWereMoved)
{
    Shop shop;
    uint64_t name = shop.add_text(narrow_string, "pay"), shared = shop.shared(name);
    Memory memory = shop.memory();
    auto v8 = V8Code::open(memory);
    uint64_t check = UNWIND_V8_CHECK(name, shop.script);
    EXPECT_EQ(v8->shared(memory, shared - 1, check | first_bytecode),
              (V8Code::Function{"pay", "shop.js:2"}));
    EXPECT_FALSE(v8->shared(memory, shared - 1, (check ^ 1 << 16) | first_bytecode));
    // The script is an object of another type, and then no object at all.
    EXPECT_FALSE(v8->function(memory, shop.add(function_type, {0, 0, name}), first_bytecode));
    EXPECT_FALSE(v8->function(memory, 1 << 30, first_bytecode));
}

TEST(V8Code, IsNotThereWithoutItsVariables)
{
    auto none = [](const std::string &) { return std::nullopt; };
    EXPECT_FALSE(V8Code::open(Memory(none, [](uint64_t, char *, size_t) { return 0; })));
    EXPECT_FALSE(V8Code::open(Shop(std::nullopt).memory()));
}

}  // namespace
}  // namespace uscope::lang
