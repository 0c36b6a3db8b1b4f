// Finds the functions of rustls 0.23 through which plaintext passes, by the text of one assertion
// and by who calls whom.
//
//     encrypt_outgoing         refers to the assertion's text
//     send_single_fragment     calls it, and begins by comparing the message's content type with 1
//     queue_tls_message        what send_single_fragment calls next
//     ChunkVecBuffer::append   called by queue_tls_message, and from few other places
//     take_received_plaintext  small: two calls, the second one to append; 2 to 8 callers (the
//                              handlers of the states in which data may come, four in rustls)
//
// Code that is optimized for speed has some of these inlined. Then send_appdata_encrypt calls
// encrypt_outgoing or queue_tls_message, does not refer to the assertion, and begins by reading the
// words of OutboundChunks; and take_received_plaintext stores 32, the number of key updates that
// the peer may still ask for, in its first instructions (since 0.23.33), or begins by reading the
// three words of a Payload and appends them to a queue (before). If a program has only one state in
// which data may come (a server or a client, for TLS 1.3 only), take_received_plaintext is inlined
// into that state's function handle, which is called by its address only.
//
// Rust promises no layout, but these were the same from rustls 0.23.11 to 0.23.46 and rustc 1.82 to
// 1.95:
//
//     send_single_fragment(CommonState *, message *)     an OutboundChunks; at 0x20 the number of the
//                                                        content type's variant (3: data)
//     send_appdata_encrypt(CommonState *, OutboundChunks *)  returns how many bytes it has taken
//     take_received_plaintext(CommonState *, Payload *)  at 8 a pointer, at 0x10 the length
//     handle(result *, state, Context *, Message *)  the context begins with the CommonState's
//                                                    address, the message with the mark of data,
//                                                    4 and the highest bit, then the Payload
//     OutboundChunks    0, pointer, length; or array of slices, their number, begin, end
#include <algorithm>
#include <map>
#include <set>

#include "base/format.h"
#include "elf/symbols.h"
#include "tls/finder.h"

namespace uscope::tls {
namespace {

constexpr std::string_view assertion =
    "assertion failed: self.next_pre_encrypt_action() != PreEncryptAction::Refuse";
constexpr unsigned second_argument = 6;  // rsi
constexpr unsigned fourth_argument = 1;  // rcx
constexpr uint64_t longest_sign = 9;     // bytes

// Returns the versions that the paths of the library's sources contain: "0.23.40".
std::set<std::string> versions_in(const CodeIndex &index)
{
    constexpr std::string_view name = "rustls-0.";  // in tokio-rustls-0.26.4, '-' precedes it
    constexpr size_t longest = 16;
    std::set<std::string> versions;
    for (uint64_t vaddr : index.find_text(name, 4096)) {
        auto bytes = index.image().bytes_at(vaddr - 1, name.size() + longest);
        if (!bytes || (bytes->data()[0] != '/' && bytes->data()[0] != '_'))
            continue;
        std::string_view text = bytes->text().substr(name.size() - 1);
        size_t end = text.find_first_not_of("0123456789.");
        if (end != text.npos && text[end] == '/')
            versions.emplace(text.substr(0, end));
    }
    return versions;
}

class RustlsFinder {
  public:
    explicit RustlsFinder(CodeIndex &index) : index_(index) {}

    // By names, which the legacy mangling and v0 end alike. Returns false if some are missing.
    bool run_by_names(Finding &finding)
    {
        Candidates reads = {Role::RustlsRead, "reads"}, writes = {Role::RustlsFragment, "writes"};
        find_named("11CommonState23take_received_plaintext", reads.functions);
        find_named("11CommonState20send_single_fragment", writes.functions);
        if (reads.functions.size() != 1 || writes.functions.size() != 1)
            return false;
        add_proven({reads, writes}, finding);
        return true;
    }

    void run(const std::vector<uint64_t> &references, Finding &finding)
    {
        for (uint64_t reference : references) {
            if (auto function = index_.function_of(reference))
                add(*function, encrypting_);
        }
        find_fragment();
        Candidates reads = {Role::RustlsRead, "reads"}, writes = {Role::RustlsFragment, "writes"};
        std::vector<Code> handles;
        for (const Code &fragment : fragment_)
            find_reads(fragment, reads.functions);
        if (reads.functions.empty())
            find_reads_by_key_updates(reads.functions, handles);
        if (reads.functions.empty() && !handles.empty())
            reads = {Role::RustlsHandle, "reads", handles};
        if (reads.functions.empty())
            find_reads_by_append(reads.functions);
        writes.functions = fragment_;
        if (fragment_.empty()) {
            writes.role = Role::RustlsSend;
            find_send(writes.functions);
        }
        add_proven({reads, writes}, finding);
    }

  private:
    static void add(Code function, std::vector<Code> &functions)
    {
        auto at = std::lower_bound(functions.begin(), functions.end(), function);
        if (at == functions.end() || *at != function)
            functions.insert(at, function);
    }

    void find_named(std::string_view part, std::vector<Code> &functions) const
    {
        for (const elf::SymbolTable &table : elf::symbol_tables(index_.image()))
            table.each_containing(part, [&](const elf::Symbol &symbol) {
                if (symbol.is_function && symbol.size)
                    add({symbol.vaddr, symbol.vaddr + symbol.size}, functions);
            });
    }

    bool is_encrypting(Code function) const
    {
        return std::count(encrypting_.begin(), encrypting_.end(), function) > 0;
    }

    std::vector<Instruction> begin_of(Code function, uint64_t bytes) const
    {
        return decode(index_.image(),
                      {function.start, std::min(function.end, function.start + bytes)});
    }

    // Returns where the function calls or jumps to, outside of itself, in the order of its code.
    std::vector<uint64_t> callees(Code function) const
    {
        std::vector<uint64_t> callees;
        for (const Instruction &instruction : decode(index_.image(), function)) {
            auto target = instruction.target();
            bool leads_out = target && !function.contains(*target);
            if (leads_out && (instruction.is_call() || instruction.is_jump()))
                callees.push_back(*target);
        }
        return callees;
    }

    // cmp $1,N(%second_argument): is the content type Alert?
    static bool compares_type(const Instruction &instruction)
    {
        constexpr unsigned compare = 7;
        constexpr int32_t type_at = 0x20;
        const insn::Parts &parts = instruction.parts;
        if (!parts.is_legacy(0) || parts.opcode != 0x80 || parts.reg() != compare)
            return false;
        auto memory = instruction.memory();
        return memory && *memory == Instruction::Memory{second_argument, type_at} &&
               instruction.code.data()[parts.length - 1] == 1;
    }

    void find_fragment()
    {
        constexpr uint64_t first_bytes = 96;
        for (const Code &encrypting : encrypting_) {
            for (const Code &caller : index_.callers(encrypting.start)) {
                auto begin = begin_of(caller, first_bytes);
                if (std::any_of(begin.begin(), begin.end(), compares_type))
                    add(caller, fragment_);
            }
        }
    }

    void find_reads(Code fragment, std::vector<Code> &found)
    {
        constexpr size_t fewest = 3, most = 40;
        auto called = callees(fragment);
        for (const Code &encrypting : encrypting_) {
            auto encrypts = std::find(called.begin(), called.end(), encrypting.start);
            if (encrypts == called.end() || std::next(encrypts) == called.end())
                continue;
            auto queue = index_.function_of(*std::next(encrypts));
            if (!queue || queue->start != *std::next(encrypts))
                continue;
            auto inner = callees(*queue);
            index_.cover(inner, 0);
            for (uint64_t append : std::set<uint64_t>(inner.begin(), inner.end())) {
                // Other functions are called from there only or, like those that free memory, from
                // everywhere.
                size_t count = index_.branches_to(append).size();
                if (count >= fewest && count <= most)
                    find_callers_of_append(append, {*queue, fragment}, found);
            }
        }
    }

    void find_callers_of_append(uint64_t append, const std::vector<Code> &others,
                                std::vector<Code> &found)
    {
        constexpr uint64_t largest = 0x60;
        for (const Code &caller : index_.callers(append)) {
            bool is_other = std::count(others.begin(), others.end(), caller) > 0;
            if (is_other || caller.size() > largest || !has_callers_of_reads(caller))
                continue;
            if (auto called = callees(caller); called.size() == 2 && called[1] == append)
                add(caller, found);
        }
    }

    bool has_callers_of_reads(Code function)
    {
        size_t callers = index_.branches_to(function.start).size();
        return callers >= 2 && callers <= 8;
    }

    // Calls `check` with each address near encrypt_outgoing, and the bytes there.
    template <typename Check>
    void search_near(const Check &check)
    {
        constexpr uint64_t reach = 1 << 20;
        for (const Code &encrypting : encrypting_) {
            uint64_t begin = encrypting.start - std::min(encrypting.start, reach);
            while (begin < encrypting.start && !index_.is_code(begin))
                begin = std::min(begin + 4096, encrypting.start);
            Bytes code = index_.image().bytes_from(begin).value_or(Bytes());
            uint64_t size = std::min(code.size(), encrypting.end + reach - begin);
            for (uint64_t at = 0; at + longest_sign <= size; at++)
                check(begin + at, code.data() + at);
        }
    }

    // movb $32,N(%reg), with a large N
    static bool allows_key_updates(const uint8_t *here)
    {
        constexpr uint8_t has_sib = 0x84, stack_or_r12 = 0x24;
        bool is_store = here[0] == 0xc6 && (here[1] & 0xf8) == 0x80;
        if (is_store && here[1] == has_sib && here[2] == stack_or_r12)
            here++;
        else if (here[1] == has_sib)
            return false;
        return is_store && !here[4] && !here[5] && here[6] == 32;
    }

    // Does execution from the function's start lead to this opcode, which may have a REX prefix?
    bool reaches_opcode(Code function, uint64_t at) const
    {
        return reaches(index_.image(), function, {at}) ||
               reaches(index_.image(), function, {at - 1});
    }

    // This is in the first instructions of take_received_plaintext or, if that is inlined, in one
    // function of the state machine, which is called by its address only.
    void find_reads_by_key_updates(std::vector<Code> &found, std::vector<Code> &handles)
    {
        constexpr uint64_t largest = 0x140, first_bytes = 40;
        search_near([&](uint64_t at, const uint8_t *here) {
            auto function = allows_key_updates(here) ? index_.function_of(at) : std::nullopt;
            if (!function || !reaches_opcode(*function, at))
                return;
            bool is_early = function->size() <= largest && at < function->start + first_bytes;
            if (is_early && has_callers_of_reads(*function))
                add(*function, found);
            else if (reads_words(*function, fourth_argument, {0}) &&
                     index_.branches_to(function->start).empty())
                add(*function, handles);
        });
    }

    // lea (%reg,%reg,2),%reg: the index of one of the queue's entries, of three words
    static bool triples(const uint8_t *here)
    {
        constexpr uint8_t wide = 0x48, lea = 0x8d, with_sib = 4, times_two = 1;
        uint8_t sib = here[3];
        return (here[0] & 0xf8) == wide && here[1] == lea && (here[2] & 0xc7) == with_sib &&
               sib >> 6 == times_two && (sib >> 3 & 7) == (sib & 7);
    }

    // Does the function access the four words of a queue that is inside of a large structure?
    bool has_queue(Code function) const
    {
        constexpr int32_t least = 0x28;
        constexpr unsigned stack = 4;
        std::map<unsigned, std::set<int32_t>> accessed;  // by base register
        for (const Instruction &instruction : decode(index_.image(), function)) {
            if (auto memory = instruction.memory(); memory && memory->base != stack)
                accessed[memory->base].insert(memory->displacement);
        }
        for (const auto &[base, at] : accessed)
            for (int32_t first : at)
                if (first >= least && at.contains(first + 8) && at.contains(first + 0x10) &&
                    at.contains(first + 0x18))
                    return true;
        return false;
    }

    // Before 0.23.33: begins by reading the three words of a Payload, and appends to the queue.
    void find_reads_by_append(std::vector<Code> &found)
    {
        constexpr uint64_t largest = 0x200;
        search_near([&](uint64_t at, const uint8_t *here) {
            auto function = triples(here) ? index_.function_of(at) : std::nullopt;
            if (function && function->size() <= largest &&
                reads_words(*function, second_argument, {0, 8, 0x10}) && has_queue(*function) &&
                has_callers_of_reads(*function) && reaches(index_.image(), *function, {at}))
                add(*function, found);
        });
    }

    // Does the function begin by reading these words of what the argument points to?
    bool reads_words(Code function, unsigned argument, std::set<int32_t> words) const
    {
        constexpr uint64_t first_bytes = 0x90;
        for (const Instruction &instruction : begin_of(function, first_bytes)) {
            if (auto memory = instruction.memory(); memory && memory->base == argument)
                words.erase(memory->displacement);
        }
        return words.empty();
    }

    void find_send(std::vector<Code> &found)
    {
        constexpr size_t fewest = 2, most = 12;
        auto add_callers = [&](uint64_t target) {
            for (const Code &caller : index_.callers(target))
                if (!is_encrypting(caller) && reads_words(caller, second_argument, {0, 0x10, 0x18}))
                    add(caller, found);
        };
        for (const Code &encrypting : encrypting_) {
            add_callers(encrypting.start);
            auto called = callees(encrypting);
            index_.cover(called, 0);
            for (uint64_t queue : std::set<uint64_t>(called.begin(), called.end())) {
                size_t count = index_.branches_to(queue).size();
                auto function = index_.function_of(queue);
                if (count >= fewest && count <= most && function && function->start == queue)
                    add_callers(queue);
            }
        }
    }

    CodeIndex &index_;
    std::vector<Code> encrypting_;  // encrypt_outgoing, and those into which it is inlined
    std::vector<Code> fragment_;    // send_single_fragment
};

}  // namespace

Finding find_rustls(CodeIndex &index)
{
    Finding finding;
    auto versions = versions_in(index);
    auto texts = index.find_text(assertion);
    if (versions.empty() && texts.empty())
        return finding;
    finding.library =
        "rustls " + join(std::vector<std::string>(versions.begin(), versions.end()), ", ");
    if (texts.empty()) {
        finding.missing = "only versions 0.23.11 to 0.23.46 are known";
        return finding;
    }
    RustlsFinder finder(index);
    if (finder.run_by_names(finding))
        return finding;
    auto references = index.references(texts);
    index.cover(references, 1 << 20);
    finder.run(references, finding);
    return finding;
}

}  // namespace uscope::tls
