// Any bytes as symbols and code of a MySQL server, and as records from the kernel: reads stay
// within bounds.
#include "db/mysql_server.h"
#include "db/statement_texts.h"
#include "require.h"

using namespace uscope;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Bytes bytes(data, size);
    if (auto dispatch = db::parse_mysql_dispatch(bytes.text())) {
        require(dispatch->command && dispatch->thd && dispatch->data);
        require(dispatch->symbol == bytes.text());
    }
    if (auto id = db::parse_thread_id_code(bytes))
        require(size >= 4 && (id->bytes == 4 || id->bytes == 8) && id->offset < 1u << 31);
    if (auto user = db::parse_user_name_code(bytes))
        require(size >= 14 && user->security_offset < 1u << 31);

    if (auto database = db::parse_current_db_code(bytes))
        require(size >= 5 && *database < 1u << 31);

    db::StatementTexts texts;
    for (size_t at = 0; at < size; at += sizeof(statement_event)) {
        auto statement = texts.read(bytes.from(at));
        if (!statement)
            continue;
        require(statement->is_masked || statement->text.size() <= size);
        require(statement->sqlstate().size() <= 5);
        statement->digest();
        for (uint8_t byte : statement->shown())
            require(byte >= 0x20 && byte != 0x7f);
    }
    return 0;
}
