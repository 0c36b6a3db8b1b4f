#include "tls/trial.h"

#include <string>

#include <gtest/gtest.h>

using namespace uscope;
using tls::judge;
using tls::Lengths;
using tls::RecordLengths;
using tls::Verdict;

namespace {

std::string record(uint8_t type, uint16_t bytes)
{
    std::string text = {char(type), 3, 3, char(bytes >> 8), char(bytes)};
    return text + std::string(bytes, 'x');
}

std::vector<uint32_t> lengths_of(const std::string &stream, size_t piece, size_t known)
{
    RecordLengths records;
    for (size_t at = 0; at < stream.size(); at += piece) {
        size_t bytes = std::min(piece, stream.size() - at);
        records.add(Bytes(stream.data() + at, std::min(bytes, known)), bytes);
    }
    return records.lengths();
}

TEST(TlsRecordLengths, AreFoundInPiecesOfAnySize)
{
    std::string stream = record(22, 300) + record(20, 1) + record(23, 1000) + record(23, 0) +
                         record(21, 2) + record(23, 17);
    for (size_t piece : {1, 2, 5, 7, 306, 1000, 10000})
        EXPECT_EQ(lengths_of(stream, piece, piece), (std::vector<uint32_t>{1000, 0, 17})) << piece;
}

TEST(TlsRecordLengths, EndWhereTheyAreNotKnown)
{
    std::string stream = record(23, 100) + record(23, 200) + record(23, 300);
    EXPECT_EQ(lengths_of(stream, stream.size(), 120), (std::vector<uint32_t>{100, 200}));
    RecordLengths cut, other;
    cut.add(Bytes(stream.data(), 105), stream.size());
    EXPECT_TRUE(cut.is_cut());
    std::string text = "HTTP/1.1 200 OK\r\n\r\n";
    other.add(Bytes(text.data(), text.size()), text.size());
    EXPECT_TRUE(other.is_cut() && other.lengths().empty());
}

// What a server with TLS 1.3 has received and sent: the handshake's records, a session ticket, and
// two responses, the second one in three records.
std::array<Lengths, 2> server()
{
    Lengths received = {.records = {53, 95, 101}, .plaintexts = {78, 84}};
    Lengths sent = {.records = {23, 1113, 281, 53, 234, 167, 16401, 16401, 1045},
                    .plaintexts = {150, 33796},
                    .early_records = 4,
                    .is_written = true};
    return {received, sent};
}

TEST(TlsTrial, AgreesWithRecordsOfEveryCipher)
{
    EXPECT_EQ(judge(server()), Verdict::Agrees);
    for (uint32_t overhead : {16, 24, 37, 45, 52, 64, 80}) {
        Lengths received = {.records = {78 + overhead}, .plaintexts = {78}};
        Lengths sent = {.records = {16384 + overhead, 16384 + overhead, 32 + overhead},
                        .plaintexts = {32800},
                        .is_written = true};
        EXPECT_EQ(judge({received, sent}), Verdict::Agrees) << overhead;
    }
}

TEST(TlsTrial, AgreesWithReadsOfParts)
{
    auto both = server();
    both[0].plaintexts = {70, 8, 80, 4};
    EXPECT_EQ(judge(both), Verdict::Agrees);
    both[0].plaintexts = {162};  // of two records at once
    EXPECT_EQ(judge(both), Verdict::Disagrees);
}

TEST(TlsTrial, AgreesWithJoinedWrites)
{
    auto both = server();
    both[1].plaintexts = {100, 50, 44, 33752};
    EXPECT_EQ(judge(both), Verdict::Agrees);
    both[1].plaintexts = {100, 50, 43, 33752};
    EXPECT_EQ(judge(both), Verdict::Disagrees);
}

TEST(TlsTrial, DisagreesWithOtherLengths)
{
    for (int difference : {-1, 1}) {
        auto both = server();
        both[0].plaintexts[1] += difference;
        EXPECT_EQ(judge(both), Verdict::Disagrees) << difference;
        both = server();
        both[1].plaintexts[0] += difference;
        EXPECT_NE(judge(both), Verdict::Agrees) << difference;
    }
    auto swapped = server();
    swap(swapped[0].plaintexts, swapped[1].plaintexts);
    EXPECT_EQ(judge(swapped), Verdict::Disagrees);
}

TEST(TlsTrial, DisagreesIfMoreIsWrittenThanPlaintextIsSeen)
{
    auto both = server();
    both[1].plaintexts.pop_back();
    EXPECT_EQ(judge(both), Verdict::Disagrees);
    both[1].is_cut = true;
    EXPECT_EQ(judge(both), Verdict::Unknown);
}

// A function that gets what the program offers, again and again, not what is taken of it.
TEST(TlsTrial, DisagreesWithWhatIsOnlyOffered)
{
    auto both = server();
    both[1].plaintexts = {150, 8000000, 7983616, 7967232};
    EXPECT_NE(judge(both), Verdict::Agrees);
    both[1].plaintexts = {150, 33796, 17412, 1028};
    EXPECT_EQ(judge(both), Verdict::Unknown);
    both[1].plaintexts = {150, 33796, 17412, 1028, 5000};
    both[1].records.insert(both[1].records.end(), {17429, 17429});
    EXPECT_EQ(judge(both), Verdict::Disagrees);
}

TEST(TlsTrial, ToleratesWhatIsNotReadOrNotSent)
{
    auto both = server();
    both[0].records.push_back(5000);
    EXPECT_EQ(judge(both), Verdict::Agrees);
    both[1].plaintexts.push_back(100000);
    both[1].records.push_back(16401);
    EXPECT_EQ(judge(both), Verdict::Unknown);
    both[1].is_cut = true;
    EXPECT_EQ(judge(both), Verdict::Unknown);
    both[1].records.pop_back();
    EXPECT_EQ(judge(both), Verdict::Agrees);
}

TEST(TlsTrial, IsUndecidedWithoutBothDirections)
{
    auto both = server();
    both[1].plaintexts.clear();
    both[1].records = {23, 1113, 281, 53, 234};
    EXPECT_EQ(judge(both), Verdict::Unknown);
    both[0].plaintexts.clear();
    EXPECT_EQ(judge(both), Verdict::Unknown);
    EXPECT_EQ(judge({}), Verdict::Unknown);
}

}  // namespace
