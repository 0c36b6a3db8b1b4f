// Finds BoringSSL's SSL_read and SSL_write, by the errors that they report.
//
// OPENSSL_PUT_ERROR calls ERR_put_error(16, 0, reason, file, line). The numbers of the reasons are
// part of BoringSSL's interface and never change, the names of its source files hardly do, and
// lines change with every version. Optimization at link time may drop the second argument, which is
// always 0: then reason, file and line are one register earlier.
//
//     mov $0x29e59d,%ecx          "…/ssl/ssl_lib.cc"
//     mov $0x10,%edi
//     xor %esi,%esi
//     mov $0xe2,%edx              226: UNINITIALIZED
//     mov $0x3be,%r8d
//
//     function        reports from ssl_lib.cc
//     SSL_write       226 UNINITIALIZED and 111 BAD_LENGTH
//     ssl_read_impl   226 and 215 SSL_HANDSHAKE_FAILURE, not 111
//     SSL_peek        66 ERR_R_SHOULD_NOT_HAVE_BEEN_CALLED; calls ssl_read_impl
//     SSL_read        calls SSL_peek, which is inlined in most programs, and then changes the
//                     connection: the bytes are no longer pending
#include <algorithm>
#include <map>
#include <set>

#include "tls/finder.h"

namespace uscope::tls {
namespace {

enum Reason : uint32_t {
    should_not_have_been_called = 66,
    bad_length = 111,
    handshake_failure = 215,
    uninitialized = 226,
};
enum Register : unsigned { rcx = 1, rdx = 2, rsp = 4, rbp = 5, rsi = 6 };

// The reasons that a function reports from a source file whose name is at one of the addresses.
std::set<uint32_t> reported(const std::vector<Instruction> &code, const std::set<uint64_t> &names)
{
    constexpr size_t farthest = 8;  // instructions
    std::set<uint32_t> reasons;
    for (size_t at = 0; at < code.size(); at++) {
        auto name = code[at].load();
        if (!name || !names.contains(name->value) || (name->reg != rcx && name->reg != rdx))
            continue;
        const unsigned reason = name->reg == rcx ? rdx : rsi;
        for (size_t distance = 1; distance <= farthest; distance++) {
            bool is_found = false;
            for (size_t near : {at + distance, at - distance}) {
                auto load = near < code.size() ? code[near].load() : std::nullopt;
                if (is_found || !load || load->reg != reason)
                    continue;
                reasons.insert(load->value);
                is_found = true;
            }
            if (is_found)
                break;
        }
    }
    return reasons;
}

class BoringFinder {
  public:
    BoringFinder(CodeIndex &index, const std::vector<uint64_t> &names)
        : index_(index), names_(names.begin(), names.end())
    {
    }

    void run(const std::vector<uint64_t> &references, Finding &finding)
    {
        index_.cover(references);
        for (uint64_t reference : references) {
            auto function = index_.function_of(reference);
            if (function && !reasons_.contains(*function))
                reasons_[*function] = reported(decode(index_.image(), *function), names_);
        }
        Candidates reads = {Role::BoringRead, "reads"}, writes = {Role::BoringWrite, "writes"};
        for (const auto &[function, reasons] : reasons_) {
            if (reasons.contains(uninitialized) && reasons.contains(bad_length))
                writes.functions.push_back(function);
            if (reasons.contains(uninitialized) && reasons.contains(handshake_failure) &&
                !reasons.contains(bad_length))
                find_reads(function, reads.functions);
        }
        for (Candidates *some : {&reads, &writes})
            std::erase_if(some->functions, [&](Code function) { return !is_whole(function); });
        add_proven({reads, writes}, finding);
    }

  private:
    // Does the function change memory other than its stack, after it has called `called`?
    bool changes_after(Code function, uint64_t called) const
    {
        bool has_called = false;
        for (const Instruction &instruction : decode(index_.image(), function)) {
            if (instruction.is_call() && instruction.target() == called)
                has_called = true;
            bool stores = instruction.parts.is_legacy(0) &&
                          (instruction.parts.opcode == 0x01 || instruction.parts.opcode == 0x89);
            if (!has_called || !stores)
                continue;
            if (auto memory = instruction.memory();
                memory && memory->base != rsp && memory->base != rbp)
                return true;
        }
        return false;
    }

    bool begins_by_calling(Code function, uint64_t called) const
    {
        for (const Instruction &instruction : decode(index_.image(), function))
            if (instruction.is_any_call())
                return instruction.target() == called;
        return false;
    }

    // `impl`: ssl_read_impl
    void find_reads(Code impl, std::vector<Code> &found)
    {
        constexpr uint64_t largest = 0x200;
        for (const Code &peek : index_.callers(impl.start)) {
            auto reasons = reasons_.find(peek);
            bool is_public =
                reasons != reasons_.end() && reasons->second.contains(should_not_have_been_called);
            if (!is_public)
                continue;
            if (changes_after(peek, impl.start)) {
                found.push_back(peek);
                continue;
            }
            for (const Code &caller : index_.callers(peek.start)) {
                if (caller.size() <= largest && begins_by_calling(caller, peek.start) &&
                    changes_after(caller, peek.start))
                    found.push_back(caller);
            }
        }
    }

    // Does execution lead from the function's start to each place where it refers to the file's
    // name? Else the start may be that of another function.
    bool is_whole(Code function) const
    {
        std::vector<uint64_t> references;
        for (const Instruction &instruction : decode(index_.image(), function)) {
            if (auto load = instruction.load(); load && names_.contains(load->value))
                references.push_back(instruction.vaddr);
        }
        return reaches(index_.image(), function, references);
    }

    CodeIndex &index_;
    const std::set<uint64_t> names_;
    std::map<Code, std::set<uint32_t>> reasons_;
};

}  // namespace

Finding find_boringssl(CodeIndex &index)
{
    Finding finding;
    auto names = index.find_strings_ending("ssl/ssl_lib.cc");
    if (names.empty())
        return finding;
    finding.library = "BoringSSL";
    auto references = index.references(names);
    BoringFinder(index, names).run(references, finding);
    return finding;
}

}  // namespace uscope::tls
