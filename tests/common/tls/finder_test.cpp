#include "tls/finder.h"

#include <gtest/gtest.h>

#include "../elf/elf_builder.h"

using namespace uscope;
using tls::Role;

namespace {

enum Register : unsigned { rax = 0, rcx = 1, rdx = 2, rsi = 6, rdi = 7, r8 = 8 };

// A program whose code is assembled by the functions below; its texts precede its code.
class Program {
  public:
    // `type`: ET_DYN, in which code refers to texts relative to itself, or ET_EXEC.
    Program(std::string_view text, uint16_t type) : type_(type)
    {
        texts_ = std::string("\0../src/", 8);
        text_at_ = texts_at + texts_.size();
        if (text.starts_with("ssl/"))
            text_at_ = texts_at + 1;  // a path, which ends in the text
        texts_ += text;
        texts_.resize(code_at - texts_at);
    }

    uint64_t here() const { return code_at + code_.size(); }
    uint64_t begin()  // a function with a frame pointer, after padding
    {
        code_.append(16 - code_.size() % 16, '\xcc');
        uint64_t start = here();
        emit("\x55\x48\x89\xe5");
        return start;
    }
    void end() { emit("\x5d\xc3"); }
    void emit(std::string_view bytes) { code_ += bytes; }
    void number(uint32_t value) { code_.append(reinterpret_cast<char *>(&value), 4); }
    void load(unsigned reg, uint32_t value)
    {
        if (reg >= r8)
            code_ += '\x41';
        code_ += char(0xb8 + reg % 8);
        number(value);
    }
    void load_text(unsigned reg)
    {
        if (type_ == ET_EXEC)
            return load(reg, text_at_);
        emit({"\x48\x8d", 2});
        code_ += char(reg << 3 | 5);
        number(text_at_ - (here() + 4));
    }
    void call(uint64_t target, char opcode = '\xe8')
    {
        code_ += opcode;
        number(target - (here() + 4));
    }
    void jump(uint64_t target) { call(target, '\xe9'); }
    void name(uint64_t start, const std::string &symbol) { symbols_.emplace_back(start, symbol); }

    tls::Finding find()
    {
        begin();  // a function after the last one
        end();
        elf::ElfBuilder builder;
        builder.header.e_type = type_;
        builder.add_section(".rodata", SHT_PROGBITS, texts_);
        builder.add_section(".text", SHT_PROGBITS, code_);
        for (const auto &[start, name] : symbols_)
            builder.add_function(name, start);
        builder.add_symbol_table(".symtab", SHT_SYMTAB);
        file_ = builder.build();
        auto image = elf::Image::parse(Bytes(file_), "program");
        EXPECT_EQ(image->section(".text")->vaddr, code_at);
        return tls::find_library(*image);
    }

  private:
    static constexpr uint64_t texts_at = elf::ElfBuilder::base + 0x78, code_at = 0x10200;
    const uint16_t type_;
    uint64_t text_at_ = 0;
    std::string texts_, code_, file_;
    std::vector<std::pair<uint64_t, std::string>> symbols_;
};

// BoringSSL's functions: what they report, and whom they call.
struct Boring : Program {
    // `drops`: the second argument of ERR_put_error was dropped.
    explicit Boring(uint16_t type = ET_DYN, bool drops = false)
        : Program("ssl/ssl_lib.cc", type), drops(drops), put_error(begin())
    {
        end();
    }
    void report(uint32_t reason)
    {
        load_text(drops ? rdx : rcx);
        load(rdi, 16);
        if (!drops)
            emit("\x31\xf6");  // xor %esi,%esi
        load(drops ? rsi : rdx, reason);
        load(drops ? rcx : r8, 953);
        call(put_error);
    }
    void store() { emit({"\x48\x89\x90\x80\0\0\0", 7}); }  // mov %rdx,0x80(%rax)
    uint64_t read_impl()
    {
        uint64_t start = begin();
        report(226);
        report(215);
        end();
        return start;
    }
    uint64_t read(uint64_t impl, bool stores = true)
    {
        uint64_t start = begin();
        report(66);
        call(impl);
        if (stores)
            store();
        end();
        return start;
    }
    uint64_t write()
    {
        uint64_t start = begin();
        for (uint32_t reason : {66, 226, 215, 111})
            report(reason);
        end();
        return start;
    }
    const bool drops;
    const uint64_t put_error;
};

void expect_places(const tls::Finding &finding, Role reads, uint64_t read, Role writes,
                   uint64_t write)
{
    EXPECT_EQ(finding.missing, "");
    ASSERT_EQ(finding.places.size(), 2u);
    EXPECT_EQ(finding.places[0].role, reads);
    EXPECT_EQ(finding.places[0].code.start, read);
    EXPECT_EQ(finding.places[1].role, writes);
    EXPECT_EQ(finding.places[1].code.start, write);
}

TEST(BoringSsl, IsFoundByTheErrorsThatItReports)
{
    for (uint16_t type : {ET_DYN, ET_EXEC}) {
        for (bool drops : {false, true}) {
            Boring program(type, drops);
            uint64_t read = program.read(program.read_impl()), write = program.write();
            auto finding = program.find();
            EXPECT_EQ(finding.library, "BoringSSL");
            expect_places(finding, Role::BoringRead, read, Role::BoringWrite, write);
        }
    }
}

TEST(BoringSsl, ReadMayCallPeek)
{
    Boring program;
    uint64_t peek = program.read(program.read_impl(), false);
    uint64_t other = program.begin();  // a user of SSL_peek
    program.call(other);
    program.call(peek);
    program.store();
    program.end();
    uint64_t read = program.begin();
    program.call(peek);
    program.store();
    program.end();
    uint64_t write = program.write();
    expect_places(program.find(), Role::BoringRead, read, Role::BoringWrite, write);
}

TEST(BoringSsl, NothingIsTakenUnlessEachSignIsThereOnce)
{
    Boring two;
    two.read(two.read_impl());
    two.write();
    two.write();
    auto finding = two.find();
    EXPECT_EQ(finding.library, "BoringSSL");
    EXPECT_EQ(finding.missing, "2 functions may be the one that writes");
    EXPECT_TRUE(finding.places.empty());

    Boring none;
    none.write();
    EXPECT_EQ(none.find().missing, "no function was found that reads");
}

TEST(BoringSsl, CodeToWhichTheFunctionDoesNotLeadIsNotItsCode)
{
    Boring program;
    program.read(program.read_impl());
    program.begin();
    program.end();
    program.emit("\x90");  // a function without calls and frame pointer follows
    for (uint32_t reason : {66, 226, 215, 111})
        program.report(reason);
    program.emit("\xc3");
    EXPECT_EQ(program.find().missing, "no function was found that writes");
}

struct Rustls : Program {
    Rustls()
        : Program("assertion failed: self.next_pre_encrypt_action() != PreEncryptAction::Refuse",
                  ET_DYN)
    {
    }
    uint64_t function(std::initializer_list<uint64_t> calls, std::string_view first = "")
    {
        uint64_t start = begin();
        emit(first);
        for (uint64_t callee : calls)
            call(callee);
        end();
        return start;
    }
    uint64_t encrypting(std::initializer_list<uint64_t> calls)
    {
        uint64_t start = begin();
        load_text(rax);
        for (uint64_t callee : calls)
            call(callee);
        end();
        return start;
    }
};

constexpr std::string_view compares_type = "\x80\x7e\x20\x01";  // cmpb $1,0x20(%rsi)

TEST(Rustls, IsFoundByItsAssertionAndCalls)
{
    Rustls program;
    uint64_t release = program.function({}), append = program.function({});
    uint64_t encrypt = program.encrypting({}), queue = program.function({release, append});
    uint64_t fragment = program.function({encrypt, queue}, compares_type);
    program.function({append, append, release});  // not the two calls of take_received_plaintext
    uint64_t take = program.function({release, append});
    for (int i = 0; i < 4; i++)
        program.function({take});
    auto finding = program.find();
    EXPECT_EQ(finding.library.substr(0, 6), "rustls");
    expect_places(finding, Role::RustlsRead, take, Role::RustlsFragment, fragment);
}

TEST(Rustls, MayBeOptimizedForSpeed)
{
    Rustls program;
    uint64_t queue = program.function({});
    program.encrypting({queue});
    program.encrypting({queue});
    // mov (%rsi),%rax; mov 0x10(%rsi),%rax; mov 0x18(%rsi),%rax
    uint64_t send = program.function({queue}, "\x48\x8b\x06\x48\x8b\x46\x10\x48\x8b\x46\x18");
    program.function({queue}, "\x48\x8b\x06\x48\x8b\x46\x10");
    // movb $32,0x330(%rdi)
    uint64_t take = program.function({}, std::string_view("\xc6\x87\x30\x03\0\0\x20", 7));
    program.function({take, take});
    program.function({}, std::string_view("\xc6\x87\x30\x03\0\0\x20", 7));  // has no callers
    expect_places(program.find(), Role::RustlsRead, take, Role::RustlsSend, send);
}

TEST(Rustls, MayAppendWhatItReadsItself)
{
    // mov (%rsi),%rax; mov 8(%rsi),%rbx; then mov 0x10(%rsi),%r15
    const std::string words = "\x48\x8b\x06\x48\x8b\x5e\x08", third = "\x4c\x8b\x7e\x10";
    // mov 0x60(%r14),%rcx, the same of 0x68, 0x70, 0x78; then lea (%rdx,%rdx,2),%rdx
    const std::string queue = "\x49\x8b\x4e\x60\x49\x8b\x4e\x68\x49\x8b\x4e\x70\x49\x8b\x4e\x78",
                      triples = "\x48\x8d\x14\x52";
    Rustls program;
    uint64_t encrypt = program.encrypting({}), sends = program.function({});
    uint64_t fragment = program.function({encrypt, sends}, compares_type);
    uint64_t without_length = program.function({}, words + queue + triples);
    uint64_t without_queue = program.function({}, words + third + triples);
    uint64_t take = program.function({}, words + third + queue + triples);
    program.function({}, words + third + queue + triples);  // has no callers
    for (int i = 0; i < 2; i++)
        program.function({without_length, without_queue, take});
    expect_places(program.find(), Role::RustlsRead, take, Role::RustlsFragment, fragment);
}

TEST(Rustls, MayReadInTheOnlyStateInWhichDataCome)
{
    // mov (%rcx),%r14; movb $32,0x326(%r12)
    constexpr std::string_view reads = "\x4c\x8b\x31",
                               stores = {"\x41\xc6\x84\x24\x26\x03\0\0\x20", 9};
    Rustls program;
    uint64_t encrypt = program.encrypting({}), queue = program.function({});
    uint64_t fragment = program.function({encrypt, queue}, compares_type);
    program.function({program.function({}, std::string(reads) + std::string(stores))});  // called
    program.function({}, stores);
    uint64_t handle = program.function({}, std::string(reads) + std::string(stores));
    expect_places(program.find(), Role::RustlsHandle, handle, Role::RustlsFragment, fragment);
    program.function({}, std::string(reads) + std::string(stores));
    EXPECT_EQ(program.find().missing, "2 functions may be the one that reads");
}

TEST(Rustls, NamesOfBothManglingsPrecedeTheOtherSigns)
{
    for (std::string_view mangled :
         {"_ZN6rustls12common_state11CommonState{}17hd2c63be87a5d71d9E",
          "_RNvMs0_NtCs3vqa_6rustls12common_stateNtB5_11CommonState{}"}) {
        Rustls program;
        auto named = [&](std::string_view method) {
            std::string name(mangled);
            name.replace(name.find("{}"), 2, method);
            uint64_t start = program.function({});
            program.name(start, name);
            return start;
        };
        program.encrypting({});
        uint64_t take = named("23take_received_plaintext");
        uint64_t fragment = named("20send_single_fragment");
        expect_places(program.find(), Role::RustlsRead, take, Role::RustlsFragment, fragment);
        named("20send_single_fragment");  // of another version
        EXPECT_TRUE(program.find().places.empty());
    }
}

TEST(Rustls, WhatIsInlinedIsMissing)
{
    Rustls program;
    uint64_t encrypt = program.encrypting({}), queue = program.function({});
    program.function({encrypt, queue}, compares_type);
    auto finding = program.find();
    EXPECT_TRUE(finding.places.empty());
    EXPECT_EQ(finding.missing, "no function was found that reads");
}

TEST(NamelessTls, OtherProgramsHaveNone)
{
    Program program("no text of a TLS library", ET_DYN);
    program.begin();
    program.load_text(rcx);
    program.end();
    EXPECT_EQ(program.find(), tls::Finding());
}

}  // namespace
