// Runs a generated BPF program in user space, on memory that a test defines. The program fails if
// it does what the verifier would refuse (loads outside the context, stack, record or map value;
// uses a record after it was submitted, or never submits it). Registers that a call clobbers get a
// known value.
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "expr/program.h"

namespace uscope::test {

class BpfInterpreter {
  public:
    explicit BpfInterpreter(const expr::Program &program);

    // The environment of the program, for the test to set:
    std::vector<uint8_t> context;  // pt_regs, or a tracepoint's record
    uint64_t pid_tgid = uint64_t(100) << 32 | 101;
    uint64_t ns_pid_tgid = 0;  // ids in the traced pid namespace; 0: not in that namespace
    uint64_t uid_gid = uint64_t(20) << 32 | 10;
    uint64_t now_ns = 5000, cpu = 3, cgroup = 77;
    bool in_cgroup = false, ring_full = false;
    uint64_t answer = 0;  // the result of a check function
    std::string comm = "worker";
    std::map<expr::MapSlot, std::map<std::string, std::string>> maps;  // key bytes -> value bytes
    std::map<expr::MapSlot, uint32_t> value_bytes;

    void set_context(uint32_t offset, uint64_t value);
    // Adds memory of the traced process. Only bpf_copy_from_user() can read pages that were made
    // absent; that makes them present.
    void add_user_memory(uint64_t address, std::string bytes) { user_[address] = bytes; }
    void make_absent(uint64_t page_address) { absent_.insert(page_address & ~uint64_t(4095)); }
    void add_kernel_memory(uint64_t address, std::string bytes) { kernel_[address] = bytes; }

    // The results of a run:
    struct Emitted {
        std::optional<std::string> record;  // a record or a key
        uint64_t tag;
        uint64_t measured = 0;  // with a key
        int64_t status = 0;
    };
    std::vector<Emitted> emitted;
    size_t discarded = 0, asked = 0;
    std::map<int, size_t> helper_calls;  // by the helper's number

    // Returns r0. Errors: the program did something that is not allowed.
    Result<uint64_t> run();

    // Returns a map after the program, including what it wrote to values in the map.
    std::map<std::string, std::string> contents(expr::MapSlot slot);

    // The address of the context, which a program gets in r1.
    static constexpr uint64_t context_address = 0xffff'8000'0000'0000;

  private:
    struct Region {
        std::string bytes;
        bool is_writable;
    };
    enum class Space { User, Kernel };

    Result<uint8_t *> at(uint64_t address, uint64_t size, bool writes);
    Result<uint64_t> load(uint64_t address, uint64_t size);
    Result<> store(uint64_t address, uint64_t size, uint64_t value);
    Result<> alu(const bpf_insn &insn);
    bool jump_taken(const bpf_insn &insn) const;
    Result<> call(size_t &pc);
    Result<uint64_t> helper(int number);
    Result<uint64_t> helper_maps(int number);
    Result<uint64_t> helper_reads(int number);
    Result<uint64_t> emit(const std::string &function);
    Result<uint64_t> emit_key();
    Result<std::string> key_of(expr::MapSlot map, uint64_t address);
    // Returns up to `size` bytes; fewer if the rest is unreadable.
    std::string peek(Space space, uint64_t address, uint64_t size, bool faults_in);
    void enter_frame();
    uint64_t source(const bpf_insn &insn) const;

    const expr::Program &program_;
    std::map<uint64_t, Region> regions_;  // memory that instructions may access
    std::map<uint64_t, std::string> user_, kernel_;
    std::set<uint64_t> absent_;
    std::array<uint64_t, 11> regs_ = {};
    struct Frame {
        size_t return_to;
        std::array<uint64_t, 4> saved;
        uint64_t stack;
    };
    std::vector<Frame> frames_;
    // Map values to which the program has pointers: address -> map, key.
    std::map<uint64_t, std::pair<expr::MapSlot, std::string>> map_values_;
    uint64_t record_ = 0;
    uint64_t next_address_ = 0xffff'9000'0000'0000;
};

}  // namespace uscope::test
