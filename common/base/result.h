// Reports errors as return values instead of exceptions. A function returns a Result if it can fail
// for a reason outside the program (files, the kernel, what users type). The macro TRY takes the
// value from a Result, or returns its error from the calling function.
//
// (C++20 does not have std::expected. Result has a hundredth of the source text of tl::expected,
// with which each type of result took 40 ms to compile in every source.)
#pragma once

#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#if __has_include(<fmt/base.h>)
#include <fmt/format.h>  // version 11: its specializations precede the first use
#else
#include <fmt/core.h>  // before version 11
#endif

namespace uscope {

// Describes an error in one line for the user: what failed, on what, and what to do about it.
struct Error {
    enum class Kind { Failed, Usage };  // exit status 1, 2

    std::string text;
    Kind kind = Kind::Failed;
    // The text that the user typed and the position of the error in it, shown with a caret; empty
    // if the error has no position.
    std::string source = {};
    size_t column = 0;  // bytes from the start of `source`
    int code = 0;       // errno of the system call that failed, or 0
};

namespace detail {

[[noreturn]] void miss_value();  // aborts
// Errors are rare, so a Result only points to its error, on the heap, and these functions for
// errors are not inlined.
Error *keep(Error &&error);
void drop(Error *error);
template <class E>
E *keep(E &&error)
{
    return new E(std::move(error));
}
template <class E>
void drop(E *error)
{
    delete error;
}

}  // namespace detail

// An error that converts to a Result of any type.
template <class E = Error>
class [[nodiscard]] Failure {
  public:
    explicit Failure(E error) : error_(detail::keep(std::move(error))) {}
    Failure(Failure &&other) noexcept : error_(std::exchange(other.error_, nullptr)) {}
    Failure &operator=(Failure &&) = delete;
    ~Failure() { detail::drop(error_); }

    E *take() && { return std::exchange(error_, nullptr); }

  private:
    E *error_;
};

// Holds a value or an error. As with std::expected, the operators * and -> require a value, and
// error() requires an error.
template <class T = void, class E = Error>
class [[nodiscard]] Result {
  public:
    using value_type = T;

    Result() : value_(), has_value_(true) {}
    template <class U = T>
    requires std::is_convertible_v<U, T> Result(U &&value)
        : value_(std::forward<U>(value)), has_value_(true)
    {
    }
    Result(Failure<E> &&failure) : error_(std::move(failure).take()), has_value_(false) {}
    Result(Result &&other) noexcept : has_value_(other.has_value_)
    {
        if (has_value_)
            new (&value_) T(std::move(other.value_));
        else
            error_ = std::exchange(other.error_, nullptr);
    }
    Result &operator=(Result &&other) noexcept
    {
        if (this == &other)
            return *this;
        this->~Result();
        return *new (this) Result(std::move(other));
    }
    ~Result()
    {
        if (has_value_)
            value_.~T();
        else
            detail::drop(error_);
    }

    explicit operator bool() const { return has_value_; }
    bool has_value() const { return has_value_; }
    T &operator*() & { return value_; }
    const T &operator*() const & { return value_; }
    T &&operator*() && { return std::move(value_); }
    T *operator->() { return &value_; }
    const T *operator->() const { return &value_; }
    // Aborts if there is no value.
    T &value() &
    {
        if (!has_value_)
            detail::miss_value();
        return value_;
    }
    T &&value() && { return std::move(value()); }
    template <class U>
    T value_or(U &&other) const &
    {
        return has_value_ ? value_ : static_cast<T>(std::forward<U>(other));
    }
    template <class U>
    T value_or(U &&other) &&
    {
        return has_value_ ? std::move(value_) : static_cast<T>(std::forward<U>(other));
    }
    E &error() { return *error_; }
    const E &error() const { return *error_; }
    template <class U>
    friend bool operator==(const Result &result, const U &value)
    {
        return result.has_value_ && result.value_ == value;
    }

  private:
    union {
        T value_;
        E *error_;
    };
    bool has_value_;
};

template <class E>
class [[nodiscard]] Result<void, E> {
  public:
    using value_type = void;

    Result() = default;
    Result(Failure<E> &&failure) : error_(std::move(failure).take()), has_value_(false) {}
    Result(Result &&other) noexcept
        : error_(std::exchange(other.error_, nullptr)), has_value_(other.has_value_)
    {
    }
    Result &operator=(Result &&other) noexcept
    {
        std::swap(error_, other.error_);
        std::swap(has_value_, other.has_value_);
        return *this;
    }
    ~Result() { detail::drop(error_); }

    explicit operator bool() const { return has_value_; }
    bool has_value() const { return has_value_; }
    E &error() { return *error_; }
    const E &error() const { return *error_; }

  private:
    E *error_ = nullptr;
    bool has_value_ = true;
};

namespace detail {

Failure<> fail(Error::Kind kind, fmt::string_view format, fmt::format_args args);
Failure<> fail_at(std::string_view source, size_t column, fmt::string_view format,
                  fmt::format_args args);
Failure<> fail_errno(fmt::string_view format, fmt::format_args args);

template <class T, class E>
T take(Result<T, E> &result)
{
    if constexpr (!std::is_void_v<T>)
        return std::move(*result);
}

}  // namespace detail

template <class... Args>
Failure<> fail(fmt::format_string<Args...> format, Args &&...args)
{
    return detail::fail(Error::Kind::Failed, format, fmt::make_format_args(args...));
}

// For an error in the command line: the tool exits with status 2.
template <class... Args>
Failure<> fail_usage(fmt::format_string<Args...> format, Args &&...args)
{
    return detail::fail(Error::Kind::Usage, format, fmt::make_format_args(args...));
}

// For an error in a text that the user typed, at byte `column` of `source`: the tool shows `source`
// with a caret under that position, and exits with status 2.
template <class... Args>
Failure<> fail_at(std::string_view source, size_t column, fmt::format_string<Args...> format,
                  Args &&...args)
{
    return detail::fail_at(source, column, format, fmt::make_format_args(args...));
}

// For a failed system call: the error's text is the message, then ": " and errno_text(errno).
template <class... Args>
Failure<> fail_errno(fmt::format_string<Args...> format, Args &&...args)
{
    return detail::fail_errno(format, fmt::make_format_args(args...));
}

// Returns the text of strerror(); for EMFILE also what the user can do: "(raise ulimit -n)".
std::string errno_text(int error);

// Evaluates to the value of a Result, or returns its error from the enclosing function.
#define TRY(expression)                                               \
    ({                                                                \
        auto try_result_ = (expression);                              \
        if (!try_result_)                                             \
            return ::uscope::Failure(std::move(try_result_.error())); \
        ::uscope::detail::take(try_result_);                          \
    })

}  // namespace uscope
