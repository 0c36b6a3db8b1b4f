// The attributes of a request's span, for tools whose rows have a wire::Request.
#pragma once

#include <vector>

#include "output/field.h"
#include "telemetry/conventions.h"

namespace uscope::telemetry {

// `request(row)`: a wire::Request; `is_server(row)`; `scheme(row)`: "http", or "" if unknown.
template <class Row, class GetRequest, class IsServer, class Scheme>
std::vector<output::Field<Row>> http_attributes(GetRequest request, IsServer is_server,
                                                Scheme scheme)
{
    using Field = output::Field<Row>;
    using output::Cell, output::if_any;
    auto method = [=](const Row &row) { return http_method(request(row)); };
    auto status = [=](const Row &row) { return Cell(request(row).status); };
    auto path = [=](const Row &row) { return Cell::when(is_server(row), request(row).path); };
    auto full_url = [=](const Row &row) {
        std::string_view name = scheme(row);
        std::string url = std::string(name) + (name.empty() ? "" : "://") + request(row).url;
        return Cell::when(!is_server(row), std::move(url));
    };
    auto address = [=](const Row &row) { return server_address(request(row)).host; };
    auto port = [=](const Row &row) { return Cell(server_address(request(row)).port); };
    auto error = [=](const Row &row) { return http_error_type(request(row), is_server(row)); };
    auto route = [=](const Row &row) { return request(row).route; };
    return {
        Field::only_attribute("http.request.method", method),
        Field::only_attribute("http.route", if_any(route)),
        Field::only_attribute("http.response.status_code", status),
        Field::only_attribute("url.scheme", if_any(scheme)),
        Field::only_attribute("url.path", path),
        Field::only_attribute("url.full", full_url),
        Field::only_attribute("server.address", if_any(address)),
        Field::only_attribute("server.port", port),
        Field::only_attribute("error.type", error),
    };
}

}  // namespace uscope::telemetry
