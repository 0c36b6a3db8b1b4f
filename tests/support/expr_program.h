// Compiles expressions to programs, for tests.
#pragma once

#include <gtest/gtest.h>

#include "expr/compile.h"
#include "expr/parse.h"
#include "expr/program.h"
#include "support/expr_scope.h"

namespace uscope::test {

// A ProgramRequest together with everything that it points to.
struct TestRequest {
    struct Value {
        std::string text;
        expr::ValueForm form = expr::ValueForm::Natural;
    };

    expr::Scope scope = test_scope();
    expr::Scope entry_scope = test_scope();
    std::string condition = {}, predicate = {};
    std::vector<Value> values;
    std::string measured;  // the measured value, with a key
    uint32_t header_bytes = 16;
    expr::ProgramRequest request;

    // The result points into this object.
    Result<expr::ProgramRequest> prepare()
    {
        nodes_.clear();
        request.scope = &scope;
        request.source = predicate;
        request.condition = request.predicate = nullptr;
        request.outputs.clear();
        request.event_output.function = "emit";
        request.event_output.header_bytes = header_bytes;
        if (!condition.empty()) {
            nodes_.push_back(TRY(expr::parse(condition)));
            request.condition = nodes_.back().get();
        }
        if (!predicate.empty()) {
            nodes_.push_back(TRY(expr::parse(predicate)));
            request.predicate = nodes_.back().get();
        }
        for (const Value &value : values) {
            nodes_.push_back(TRY(expr::parse(value.text)));
            request.outputs.push_back({nodes_.back().get(), value.form});
        }
        request.measured = nullptr;
        if (!measured.empty()) {
            nodes_.push_back(TRY(expr::parse(measured)));
            request.measured = nodes_.back().get();
        }
        return request;
    }

    // Makes it a program that counts by the values, or aggregates the measured value by them.
    TestRequest &as_key()
    {
        request.event_output.kind = expr::OutputKind::Key;
        return *this;
    }

    // Makes it a program at a function's return, with $entry() and $latency.
    TestRequest &on_return()
    {
        scope.moment = expr::Scope::Moment::Return;
        scope.entry = &entry_scope;
        return *this;
    }

    Result<expr::Program> compile() { return expr::compile(TRY(prepare())); }
    Result<std::optional<expr::Program>> compile_entry()
    {
        return expr::compile_entry(TRY(prepare()));
    }

  private:
    std::vector<expr::NodeRef> nodes_;
};

inline expr::Program must_compile(TestRequest &request)
{
    auto program = request.compile();
    if (!program) {
        ADD_FAILURE() << program.error().text << " at " << program.error().column;
        return {};
    }
    return std::move(*program);
}

}  // namespace uscope::test
