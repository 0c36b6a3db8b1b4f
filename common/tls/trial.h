// Compares the plaintext that functions of a TLS library seem to move with the TLS records on the
// connection's socket. The functions were found without names (tls/finder.h); this shows whether
// they are the right ones.
//
// A record begins with 5 bytes: its type (23: application data), a version and the length of what
// follows. Encryption makes plaintext longer by a constant, which depends on the cipher. So the
// lengths must fit together, in order, in each direction:
//
//     written   the sum of some calls' bytes = that of some records: a call's bytes may need several
//               records, and a library may join the bytes of several calls
//     read      the sum of some calls' bytes = one record
//
// In TLS 1.3 other messages also look like application data: the end of the handshake, and later
// short ones such as session tickets, which are passed over.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/bytes.h"

namespace uscope::tls {

// Finds the records in the bytes that a socket moves in one direction, of which only the first ones
// of each call are known.
class RecordLengths {
  public:
    // `bytes`: how many a call moved; `known`: the first of them.
    void add(Bytes known, uint64_t bytes);
    // Returns the lengths, without the 5 bytes, of the records of type 23 that have moved wholly.
    const std::vector<uint32_t> &lengths() const { return lengths_; }
    // Are there records after the last one that are not known?
    bool is_cut() const { return is_cut_; }

  private:
    void begin_record();

    std::array<uint8_t, 5> head_ = {};
    uint64_t head_bytes_ = 0;  // of head_ that have moved
    uint64_t left_ = 0;        // bytes of the current record that have not moved
    bool is_cut_ = false;
    std::vector<uint32_t> lengths_;
};

// One direction of a connection.
struct Lengths {
    std::vector<uint32_t> records;     // of type 23
    std::vector<uint64_t> plaintexts;  // of the library's calls
    size_t early_records = 0;          // before the connection's first plaintext
    bool is_written = false;           // else read
    bool is_cut = false;               // there was more, of either
};

enum class Verdict : uint8_t {
    Unknown,    // too little has moved
    Agrees,     // in both directions
    Disagrees,  // with every cipher
};
// `directions`: both of one connection, from its beginning.
Verdict judge(const std::array<Lengths, 2> &directions);

}  // namespace uscope::tls
