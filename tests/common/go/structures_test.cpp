#include "go/structures.h"

#include <gtest/gtest.h>

#include "common/go/typed_program.h"

namespace uscope::go {
namespace {

struct Field {
    std::string name;
    size_t type;  // offset of the type's description
    uint64_t offset;
};

class Types {
  public:
    explicit Types(uint64_t vaddr) : vaddr_(vaddr) {}

    size_t name(const std::string &text)
    {
        size_t at = data_.size();
        data_ += std::string("\x01") + char(text.size()) + text;
        return at;
    }
    size_t structure(const std::string &name_text, const std::string &package,
                     const std::vector<Field> &fields, uint8_t kind = 25)
    {
        std::vector<size_t> names;
        for (const Field &field : fields)
            names.push_back(name(field.name));
        auto name_at = int32_t(name("*" + name_text)), package_at = int32_t(name(package));
        data_.resize((data_.size() + 7) / 8 * 8);
        size_t at = data_.size();
        put(data_, at + 20, uint8_t{3});
        put(data_, at + 23, kind);
        put(data_, at + 40, name_at);
        put(data_, at + 56, vaddr_ + at + 96);
        put(data_, at + 64, uint64_t{fields.size()});
        put(data_, at + 80, package_at);
        data_.resize(at + 96);
        for (size_t i = 0; i < fields.size(); i++) {
            put(data_, data_.size(), vaddr_ + names[i]);
            put(data_, data_.size(), vaddr_ + fields[i].type);
            put(data_, data_.size(), fields[i].offset);
        }
        return at;
    }
    std::string data() const { return data_ + std::string(64, '\0'); }

  private:
    uint64_t vaddr_;
    std::string data_ = std::string(64, '\0');
};

std::string web_types(uint64_t vaddr)
{
    Types types(vaddr);
    size_t word = types.structure("uint", "", {}, 2);
    size_t writer = types.structure("http.chunkWriter", "net/http",
                                    {{"header", word, 8}, {"wroteHeader", word, 16}});
    types.structure("http.response", "my/http", {{"status", word, 24}});
    types.structure("http.response", "net/http",
                    {{"conn", word, 0}, {"cw", writer, 64}, {"status", word, 120}});
    types.structure("http.Header", "net/http", {{"status", word, 8}}, 21);
    return types.data();
}

class GoStructures : public testing::Test {
  protected:
    std::optional<unsigned> offset(std::string_view package, std::string_view structure,
                                   std::string_view member)
    {
        elf::Image image = program_.build();
        return Structures(image).offset(package, structure, member);
    }

    TypedProgram program_ = {.types = web_types};
};

TEST_F(GoStructures, SayWhereTheirMembersAre)
{
    EXPECT_EQ(offset("net/http", "http.response", "conn"), 0u);
    EXPECT_EQ(offset("net/http", "http.response", "status"), 120u);
    EXPECT_EQ(offset("net/http", "http.chunkWriter", "header"), 8u);
}

TEST_F(GoStructures, OfOneNameAreToldApartByThePackage)
{
    EXPECT_EQ(offset("my/http", "http.response", "status"), 24u);
    EXPECT_EQ(offset("http", "http.response", "status"), std::nullopt);
}

TEST_F(GoStructures, MayBeWithinOthers)
{
    EXPECT_EQ(offset("net/http", "http.response", "cw.wroteHeader"), 80u);
    EXPECT_EQ(offset("net/http", "http.response", "cw.status"), std::nullopt);
    EXPECT_EQ(offset("net/http", "http.response", "conn.status"), std::nullopt);
}

TEST_F(GoStructures, HaveNoPlaceForWhatIsNotThere)
{
    EXPECT_EQ(offset("net/http", "http.response", "written"), std::nullopt);
    EXPECT_EQ(offset("net/http", "http.Request", "status"), std::nullopt);
    EXPECT_EQ(offset("net/http", "http.Header", "status"), std::nullopt) << "is a map";
}

TEST_F(GoStructures, Of118HaveABitBelowTheOffset)
{
    program_.version = "go1.18.1";
    program_.types_word = 35, program_.end_word = 36;
    EXPECT_EQ(offset("net/http", "http.response", "status"), 60u);
}

TEST_F(GoStructures, ThatAreDamagedHaveNoMembers)
{
    program_.types = [](uint64_t vaddr) {
        Types types(vaddr);
        size_t at = types.structure("http.response", "net/http", {{"conn", 0, 0}});
        std::string data = types.data();
        put(data, at + 64, uint64_t{1} << 40);
        return data;
    };
    EXPECT_EQ(offset("net/http", "http.response", "conn"), std::nullopt);
    program_.types = [](uint64_t vaddr) {
        Types types(vaddr);
        size_t at = types.structure("http.response", "net/http", {{"conn", 0, 0}});
        std::string data = types.data();
        put(data, at + 56, uint64_t{8});
        return data;
    };
    EXPECT_EQ(offset("net/http", "http.response", "conn"), std::nullopt);
}

}  // namespace
}  // namespace uscope::go
