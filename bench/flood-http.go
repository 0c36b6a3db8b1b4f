// A Go server and its clients in one process. Prints the nanoseconds per request in the best round.
//
//	flood-http REQUESTS ROUNDS CLIENTS
package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"sync"
	"time"
)

func number(text string) int {
	value, err := strconv.Atoi(text)
	if err != nil {
		panic(err)
	}
	return value
}

func request(client *http.Client, url string, count int) {
	for i := 0; i < count; i++ {
		response, err := client.Get(url)
		if err != nil {
			panic(err)
		}
		io.Copy(io.Discard, response.Body)
		response.Body.Close()
	}
}

func main() {
	requests, rounds, clients := number(os.Args[1]), number(os.Args[2]), number(os.Args[3])
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "hello")
	}))
	server.Client().Transport.(*http.Transport).MaxIdleConnsPerHost = clients
	best := 0.0
	for round := 0; round < rounds; round++ {
		start := time.Now()
		var group sync.WaitGroup
		for i := 0; i < clients; i++ {
			group.Add(1)
			go func() {
				defer group.Done()
				request(server.Client(), server.URL+"/users/181?q=1", requests/clients)
			}()
		}
		group.Wait()
		cost := float64(time.Since(start).Nanoseconds()) / float64(requests)
		if round == 0 || cost < best {
			best = cost
		}
	}
	fmt.Printf("%.0f\n", best)
}
