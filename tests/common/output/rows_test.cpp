#include "output/rows.h"

#include <csignal>
#include <cstdlib>
#include <thread>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <gtest/gtest.h>

using namespace uscope::output;

namespace {

const std::vector<Column> trace_columns = {{"PID", 7, "pid"},
                                           {"TID", 7, "tid"},
                                           {"COMM", 15, "comm"},
                                           {"FUNC", 16, "func"},
                                           {"-", rest, "message"}};

std::string take(Writer &writer)
{
    std::string text = writer.buffer();
    writer.buffer().clear();
    return text;
}

std::string one_row(std::vector<Column> columns, const std::vector<Cell> &cells, bool json,
                    bool raw = false)
{
    Writer writer(-1);
    for (Column &column : columns) {  // the key of column "A" is "a"
        if (column.key.empty())
            column.key = std::string(1, char(tolower(column.title[0])));
    }
    Table(writer, std::move(columns), json, raw).row(cells);
    return take(writer);
}

}  // namespace

TEST(Table, LooksLikeBccsTrace)
{
    Writer writer(-1);
    Table table(writer, trace_columns, false);
    table.header();
    table.row({181, 182u, "redis-server", "createStringObject", "GET"});
    char want[256];
    int length = snprintf(want, sizeof want, "%-7s %-7s %-15s %-16s %s\n", "PID", "TID", "COMM",
                          "FUNC", "-");
    snprintf(want + length, sizeof want - length, "%-7d %-7d %-15s %-16s %s\n", 181, 182,
             "redis-server", "createStringObject", "GET");
    EXPECT_EQ(take(writer), want);
}

// A terminal of 40 columns, for which `use` gets a writer.
template <class Use>
void on_terminal(Use use)
{
    int controller = posix_openpt(O_RDWR | O_NOCTTY);
    ASSERT_TRUE(grantpt(controller) == 0 && unlockpt(controller) == 0);
    winsize size = {.ws_row = 10, .ws_col = 40, .ws_xpixel = 0, .ws_ypixel = 0};
    ASSERT_EQ(ioctl(controller, TIOCSWINSZ, &size), 0);
    int terminal = open(ptsname(controller), O_RDWR | O_NOCTTY);
    {
        Writer writer(terminal);
        EXPECT_EQ(writer.columns(), 40u);
        use(writer);
    }
    close(terminal);
    close(controller);
}

// If the terminal is narrower than all columns together, each column is only as wide as its cells
// need.
TEST(Table, FitsANarrowTerminal)
{
    on_terminal([](Writer &writer) {
        Table table(writer, trace_columns, false);
        table.header();
        table.row({181, 4182u, "redis-server", "call", "GET"});
        table.row({182, 41u, "bash", "createStringObject", "GET"});
        table.row({182, 41u, "bash", "f", "GET"});
        EXPECT_EQ(take(writer),
                  "PID TID COMM FUNC -\n"
                  "181 4182 redis-server call GET\n"
                  "182 41   bash         createStringObject GET\n"
                  "182 41   bash         f                GET\n");
        Table wide(writer, {{"PID", 7}, {"COMM", 15}}, false);
        wide.row({1, "x"});
        EXPECT_EQ(take(writer), "1       x\n");
    });
}

struct Request {
    int pid;
    std::string comm, peer, url;
};

// Columns give way, the highest rank first, until the last column has 30 of the terminal's.
TEST(Rows, TheLastColumnKeepsItsRoom)
{
    auto shown = [](Writer &writer, bool cut) {
        using Field = Field<Request>;
        Rows<Request> rows(writer,
                           {{"PID", 7, "pid", &Request::pid},
                            Field("COMM", 15, "comm", &Request::comm).gives_way(1),
                            Field("PEER", 20, "peer", &Request::peer).gives_way(2),
                            {"URL", rest, "url", &Request::url}},
                           false);
        if (cut)
            rows.cut_lines();
        rows.header();
        rows.add({181, "nginx", "127.0.0.1:80", "/a/path/that/has/thirty/letters"});
        return take(writer);
    };
    on_terminal([&](Writer &writer) {
        EXPECT_EQ(shown(writer, true), "PID     URL\n181     /a/path/that/has/thirty/letters\n");
        EXPECT_EQ(shown(writer, false),
                  "PID COMM PEER URL\n181 nginx 127.0.0.1:80 /a/path/that/has/thirty/letters\n");
    });
    Writer file(-1);
    EXPECT_EQ(shown(file, true).substr(0, 27), "PID     COMM            PEE");
}

TEST(Table, TheSameRowAsJson)
{
    EXPECT_EQ(one_row(trace_columns, {181, 182u, "redis-server", "f", "say \"hi\""}, true),
              R"({"pid":181,"tid":182,"comm":"redis-server","func":"f","message":"say \"hi\""})"
              "\n");
}

TEST(Table, NoHeaderInJson)
{
    Writer writer(-1);
    Table(writer, trace_columns, true).header();
    EXPECT_EQ(take(writer), "");
}

TEST(Table, RightAlignedColumns)
{
    EXPECT_EQ(one_row({{"A", right(5)}, {"B", right(5)}}, {-42, "ab"}, false), "  -42    ab\n");
}

TEST(Table, ACellWiderThanItsColumnIsNotCut)
{
    EXPECT_EQ(one_row({{"A", 3}, {"B"}}, {"abcdef", 1}, false), "abcdef 1\n");
}

TEST(Table, NoBlanksAtALinesEnd)
{
    EXPECT_EQ(one_row({{"A", 3}, {"METHOD", 40}}, {1, "main"}, false), "1   main\n");
}

TEST(Table, ACellWithoutValueIsBlankAndAbsentFromJson)
{
    std::vector<Column> columns = {{"A", 3}, {"B", 3}, {"C"}};
    EXPECT_EQ(one_row(columns, {Cell(), {}, 3}, false), "        3\n");
    EXPECT_EQ(one_row(columns, {Cell(), {}, 3}, true), "{\"c\":3}\n");
    EXPECT_EQ(one_row(columns, {Cell()}, true), "{}\n");
}

TEST(Table, Integers)
{
    std::vector<Column> columns = {{"A", 1}, {"B", 1}};
    EXPECT_EQ(one_row(columns, {std::numeric_limits<int64_t>::min(), ~uint64_t{0}}, false),
              "-9223372036854775808 18446744073709551615\n");
}

TEST(Table, RealsAsInC)
{
    for (int digits : {0, 1, 3, 6, 9}) {
        for (double value : {0.0, 1.0, -1.5, 0.0004, -0.0004, 0.9999, 123456.789012, 1e15, -2e9}) {
            char want[64];
            snprintf(want, sizeof want, "%.*f\n", digits, value);
            std::string got = one_row({{"A"}}, {Cell(value, digits)}, false);
            if (strtod(want, nullptr) == 0)
                EXPECT_EQ(strtod(got.c_str(), nullptr), 0) << value;  // "-0.000" or "0.000"
            else
                EXPECT_EQ(got, want);
        }
    }
}

TEST(Table, RealsThatJsonCannotSayAreNull)
{
    EXPECT_EQ(one_row({{"A"}, {"B"}}, {1.0 / 3, std::numeric_limits<double>::quiet_NaN()}, true),
              "{\"a\":0.333,\"b\":null}\n");
}

TEST(Table, TextIsMadeSafeAndAlignedByWhatIsShown)
{
    EXPECT_EQ(one_row({{"A", 8}, {"B"}}, {"\033[m", 1}, false), "\\x1b[m   1\n");
    EXPECT_EQ(one_row({{"A", 8}, {"B"}}, {"\033[m", 1}, false, true), "\033[m      1\n");
}

TEST(Table, JsonMayBeReady)
{
    EXPECT_EQ(one_row({{"A", 5}, {"B"}}, {Cell::json("[1,2]"), true}, true),
              "{\"a\":[1,2],\"b\":true}\n");
}

TEST(Table, SafeTextIsNotEscapedAgain)
{
    EXPECT_EQ(one_row({{"A"}}, {Cell::safe("a\\n")}, false), "a\\n\n");
    EXPECT_EQ(one_row({{"A"}}, {"a\n"}, false), "a\\n\n");
}

namespace {

struct Signal {
    int pid;
    std::string name;
    std::optional<int> error;
};

std::string shown(bool json, const Signal &signal)
{
    Rows<Signal>::Fields fields = {{"time_ns", always(5)},
                                   {"PID", 4, "pid", &Signal::pid},
                                   {"SIG", 6, [](auto &s) { return "SIG" + s.name; }},
                                   {"signal", &Signal::name},
                                   {"ERROR", right(0), "error", or_dash(&Signal::error)}};
    Writer writer(-1);
    Rows<Signal> rows(writer, fields, json);
    rows.header();
    rows.add(signal);
    return take(writer);
}

}  // namespace

TEST(Rows, OneListGivesTheTableAndTheObjects)
{
    EXPECT_EQ(shown(false, {7, "TERM", 3}), "PID  SIG    ERROR\n7    SIGTERM 3\n");
    EXPECT_EQ(shown(true, {7, "TERM", 3}),
              "{\"time_ns\":5,\"pid\":7,\"signal\":\"TERM\",\"error\":3}\n");
}

TEST(Rows, WhatIsAbsentFromJsonMayBeShown)
{
    EXPECT_EQ(shown(false, {7, "TERM", {}}), "PID  SIG    ERROR\n7    SIGTERM -\n");
    EXPECT_EQ(shown(true, {7, "TERM", {}}), "{\"time_ns\":5,\"pid\":7,\"signal\":\"TERM\"}\n");
}

// The fields of JSON in columns; the line of keys is only repeated if the keys change.
TEST(Table, CsvIsQuotedWhereItMustBe)
{
    Writer writer(-1);
    writer.set_style({.headings = false, .csv = true});
    std::vector<Column> columns = {{"A", 7, "a"}, {"B", 7, "b"}, {"C", 0, "c"}};
    for (int i = 0; i < 2; i++) {
        Table table(writer, columns, true);
        table.header();
        table.row({i, "plain", 1.5});
    }
    EXPECT_EQ(take(writer), "a,b,c\n0,plain,1.500\n1,plain,1.500\n");
    Table table(writer, columns, true);
    table.row({{}, "say \"no\", he", true});
    table.row({-1, "two\nlines", Cell::json("[1,2]")});
    table.row({{}, " ", {}});
    table.line("not a row", "{}");
    EXPECT_EQ(take(writer), ",\"say \"\"no\"\", he\",true\n-1,two\\nlines,\"[1,2]\"\n,\" \",\n");
    Table other(writer, {{"A", 7, "a,b"}}, true);
    other.row({1});
    EXPECT_EQ(take(writer), "\n\"a,b\"\n1\n");
}

TEST(Table, LinesBelongToOneForm)
{
    Writer writer(-1);
    Table text(writer, trace_columns, false), json(writer, trace_columns, true);
    text.line("        main+0x10 [app]", "{}");
    text.line("");
    EXPECT_EQ(take(writer), "        main+0x10 [app]\n\n");
    json.line("        main+0x10 [app]");
    json.line("3 events lost", R"({"type":"lost","count":3})");
    EXPECT_EQ(take(writer), "{\"type\":\"lost\",\"count\":3}\n");
}

TEST(Writer, HandsOverEverythingToASlowReader)
{
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_NONBLOCK), 0);
    std::string text(1 << 20, 'x'), got;
    std::thread reader([&] {
        char buffer[65536];
        while (got.size() < text.size()) {
            ssize_t n = read(ends[0], buffer, sizeof buffer);
            if (n > 0)
                got.append(buffer, n);
        }
    });
    Writer writer(ends[1]);
    writer.buffer().append(text.data(), text.data() + text.size());
    writer.flush();
    EXPECT_TRUE(writer.ok());
    reader.join();
    EXPECT_EQ(got, text);
    close(ends[0]);
    close(ends[1]);
}

TEST(Writer, RowsDoNotPileUp)
{
    int null = open("/dev/null", O_WRONLY);
    Writer writer(null);
    Table table(writer, trace_columns, false);
    for (int i = 0; i < 10000; i++)
        table.row({i, i, "comm", "function", "message"});
    EXPECT_LT(writer.buffer().size(), 128u * 1024);
    writer.flush();
    EXPECT_EQ(writer.buffer().size(), 0u);
    close(null);
}

TEST(Writer, RemembersThatTheReaderWentAway)
{
    signal(SIGPIPE, SIG_IGN);
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    close(ends[0]);
    Writer writer(ends[1]);
    writer.buffer().push_back('x');
    writer.flush();
    EXPECT_FALSE(writer.ok());
    EXPECT_EQ(writer.error(), EPIPE);
    EXPECT_EQ(writer.buffer().size(), 0u);
    close(ends[1]);
}
