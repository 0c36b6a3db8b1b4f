// A Go program for the tests of gohttp: a server and its client in one process, by HTTP/1 and HTTP/2. Each request once,
// then 400 at a time while garbage is collected; ends with status 0 when all answers were right.
//
//	web            requests, then ends
//	web serve      prints the server's address, and serves until it is ended
//	web get URL…   requests these
package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

func handle(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/old":
		http.Redirect(w, r, "/new?from=old", http.StatusFound)
	case r.URL.Path == "/missing":
		http.NotFound(w, r)
	case r.URL.Path == "/teapot":
		w.WriteHeader(http.StatusTeapot)
	case r.URL.Path == "/slow":
		<-r.Context().Done()
	case r.URL.Path == "/panic":
		panic(http.ErrAbortHandler)
	case strings.HasPrefix(r.URL.Path, "/n/"):
		n, _ := strconv.Atoi(r.URL.Path[3:])
		if n%8 == 0 {
			time.Sleep(time.Millisecond)
		}
		fmt.Fprint(w, deep(n%100)+n)
	default:
		fmt.Fprint(w, "hello")
	}
}

// Moves the stack.
//
//go:noinline
func deep(n int) int {
	var frame [64]int
	frame[n%64] = n
	if n == 0 {
		return 0
	}
	return deep(n-1) + frame[n%64] - n
}

var wrong = 0

func get(client *http.Client, url string) {
	response, err := client.Get(url)
	if err != nil {
		return
	}
	io.Copy(io.Discard, response.Body)
	response.Body.Close()
}

func requests(server *httptest.Server, client *http.Client) {
	for _, path := range []string{"/", "/old", "/missing", "/teapot", "/panic", "/a/b?q=1&r=%20"} {
		get(client, server.URL+path)
	}
	request, _ := http.NewRequest("POST", server.URL+"/post", strings.NewReader("body"))
	if response, err := client.Do(request); err == nil {
		response.Body.Close()
	}
	context, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	request, _ = http.NewRequestWithContext(context, "GET", server.URL+"/slow", nil)
	client.Do(request)
}

func many(server *httptest.Server, client *http.Client) {
	var group sync.WaitGroup
	for i := 0; i < 400; i++ {
		group.Add(1)
		go func(n int) {
			defer group.Done()
			deep(n % 50)
			response, err := client.Get(server.URL + "/n/" + strconv.Itoa(n))
			if err != nil {
				panic(err)
			}
			body, _ := io.ReadAll(response.Body)
			response.Body.Close()
			if string(body) != strconv.Itoa(n) {
				panic(string(body))
			}
		}(i)
	}
	group.Wait()
}

func main() {
	if len(os.Args) > 2 && os.Args[1] == "get" {
		for _, url := range os.Args[2:] {
			get(http.DefaultClient, url)
		}
		return
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(handle))
	server.Start()
	if len(os.Args) > 1 {
		fmt.Println(server.URL)
		select {}
	}
	requests(server, server.Client())
	get(server.Client(), "http://127.0.0.1:1/refused")
	many(server, server.Client())

	second := httptest.NewUnstartedServer(http.HandlerFunc(handle))
	second.EnableHTTP2 = true
	second.StartTLS()
	requests(second, second.Client())
	fmt.Println("done")
}
