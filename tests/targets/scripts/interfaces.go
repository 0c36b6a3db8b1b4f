// A Go program for the tests of interfaces: as arguments of functions, and as the errors that they
// return.
package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"syscall"
)

type Missing struct {
	Code int
	Text string
}

func (m *Missing) Error() string { return fmt.Sprint(m.Code, m.Text) }

type Named struct {
	Name  string
	count int
	last  []byte
}

type Level int

func (l Level) Error() string { return "level" }

type Word string

type pair struct {
	left  int32
	right string
}

var cases = []interface{}{nil, 7, int8(-1), uint16(65535), true, 0.5, float32(1.25), "some text", Word("a word"), Level(3), &Missing{404, "no page"},
	Missing{1, "by value"}, &Named{Name: "first"}, pair{-2, "two"}, []int{1}, map[string]int{}, os.Getpid, struct{}{}, 'x', uint64(1 << 63)}

//go:noinline
func show(value interface{}, tail int) int { return tail }

//go:noinline
func failure(n int) (int, error) {
	switch n {
	case 0:
		return n, errors.New("a plain error")
	case 1:
		return n, fmt.Errorf("wrapped: %w", os.ErrNotExist)
	case 2:
		_, err := os.Open("/nowhere/at all")
		return n, err
	case 3:
		_, err := strconv.Atoi("seven")
		return n, err
	case 4:
		_, err := net.Dial("tcp", "127.0.0.1:1")
		return n, err
	case 5:
		return n, context.DeadlineExceeded
	case 6:
		return n, syscall.EAGAIN
	case 7:
		return n, &Missing{500, "inside"}
	case 8:
		return n, Level(9)
	}
	return n, nil
}

//go:noinline
func point(n int) pair { return pair{int32(n), "point"} }

//go:noinline
func list(values ...interface{}) int { return len(values) }

func main() {
	for i, value := range cases {
		show(value, i)
	}
	for n := 0; n < 11; n++ {
		failure(n)
	}
	fmt.Println(point(8), list("first", 2))
}
