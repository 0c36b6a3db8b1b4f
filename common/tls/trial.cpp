// Fits lengths of plaintext and of TLS records together.
#include "tls/trial.h"

#include <algorithm>
#include <optional>

namespace uscope::tls {
namespace {

// By how much a record is longer than its plaintext.
struct Cipher {
    uint32_t least, most;
    bool hides_types;  // other messages look like application data
};
constexpr Cipher ciphers[] = {
    {17, 17, true},   // TLS 1.3: the type and a tag
    {24, 24, false},  // AES-GCM in TLS 1.2: part of the nonce, and a tag
    {16, 16, false},  // ChaCha20 in TLS 1.2
    {37, 52, false},  // AES-CBC: the first block, SHA-1, and up to 16 bytes of padding
    {49, 64, false},  // the same with SHA-256
    {65, 80, false},  // the same with SHA-384
};

// Fits one direction; counts how many plaintexts have found their records.
class Fit {
  public:
    Fit(const Lengths &lengths, const Cipher &cipher) : lengths_(lengths), cipher_(cipher) {}

    // Returns how many plaintexts fit, or nullopt if one does not, or if a record remains. Returns
    // 0 if something that was written has no records: it was not sent, or is not what was written.
    std::optional<size_t> run()
    {
        while (record_ < lengths_.records.size()) {
            if (fit_group())
                continue;
            if (!may_pass_over())
                return end();
            record_++;
        }
        return end();
    }

  private:
    // Returns run()'s result, from the records and plaintexts that have not fitted.
    std::optional<size_t> end() const
    {
        uint64_t encrypted = 0, plaintext = 0;
        for (size_t at = record_; at < lengths_.records.size(); at++)
            encrypted += lengths_.records[at];
        for (size_t at = plaintext_; at < lengths_.plaintexts.size(); at++)
            plaintext += lengths_.plaintexts[at];
        if (encrypted && lengths_.is_written)
            return lengths_.is_cut || encrypted < plaintext ? std::optional(0) : std::nullopt;
        if (lengths_.is_cut || !plaintext)
            return plaintext_;  // the program may not read to the end
        if (lengths_.is_written)
            return 0;
        return encrypted > plaintext ? std::optional(plaintext_) : std::nullopt;
    }

    // Fits the fewest plaintexts and records whose sums are equal; if they are read, that is one
    // record.
    bool fit_group()
    {
        size_t record = record_, plaintext = plaintext_;
        uint64_t encrypted = 0, bytes = 0;
        for (;;) {
            bool is_short = encrypted < bytes + (record - record_) * cipher_.least;
            if (is_short || record == record_) {
                bool has_record = record < lengths_.records.size();
                if (!has_record || (record > record_ && !lengths_.is_written))
                    return false;
                encrypted += lengths_.records[record++];
            } else {
                if (plaintext == lengths_.plaintexts.size())
                    return false;
                bytes += lengths_.plaintexts[plaintext++];
            }
            if (plaintext > plaintext_ && fits(encrypted, record - record_, bytes)) {
                record_ = record, plaintext_ = plaintext;
                return true;
            }
        }
    }

    bool fits(uint64_t encrypted, uint64_t records, uint64_t plaintext) const
    {
        return encrypted >= plaintext + records * cipher_.least &&
               encrypted <= plaintext + records * cipher_.most;
    }

    // May the record belong to the handshake, or be another message?
    bool may_pass_over() const
    {
        constexpr uint32_t longest = 1024;
        bool is_early = !plaintext_ && (!lengths_.is_written || record_ < lengths_.early_records);
        return cipher_.hides_types && (is_early || lengths_.records[record_] <= longest);
    }

    const Lengths &lengths_;
    const Cipher &cipher_;
    size_t record_ = 0, plaintext_ = 0;
};

}  // namespace

void RecordLengths::begin_record()
{
    constexpr uint8_t application_data = 23, first_type = 20, last_type = 24;
    constexpr uint32_t longest = (1 << 14) + 2048;
    uint32_t length = uint32_t(head_[3]) << 8 | head_[4];
    is_cut_ |= head_[0] < first_type || head_[0] > last_type || head_[1] != 3 || length > longest;
    left_ = length;
    if (!is_cut_ && head_[0] == application_data)
        lengths_.push_back(length);
}

void RecordLengths::add(Bytes known, uint64_t bytes)
{
    for (uint64_t at = 0; at < bytes && !is_cut_;) {
        if (head_bytes_ == head_.size()) {
            uint64_t moved = std::min(left_, bytes - at);
            at += moved, left_ -= moved;
            if (!left_)
                head_bytes_ = 0;
            continue;
        }
        auto byte = known.read<uint8_t>(at++);
        is_cut_ |= !byte;
        head_[head_bytes_++] = byte.value_or(0);
        if (head_bytes_ == head_.size())
            begin_record();
    }
}

Verdict judge(const std::array<Lengths, 2> &directions)
{
    bool is_any = false, is_any_fit = false, are_both = false;
    for (const Lengths &lengths : directions)
        is_any |= !lengths.plaintexts.empty() && !lengths.records.empty();
    if (!is_any)
        return Verdict::Unknown;
    for (const Cipher &cipher : ciphers) {
        auto first = Fit(directions[0], cipher).run(), second = Fit(directions[1], cipher).run();
        is_any_fit |= first && second;
        are_both |= first && second && *first && *second;
    }
    if (are_both)
        return Verdict::Agrees;
    return is_any_fit ? Verdict::Unknown : Verdict::Disagrees;
}

}  // namespace uscope::tls
