// A Go program for the tests of httpsnoop: a server and its client under TLS. Both print each
// request as they see it: "server GET /a?b=1 200", "client GET /a?b=1 200 NANOSECONDS".
//
//	tls 1.1  HTTP/1
//	tls 2    HTTP/2
//
// Prints the server's address, reads a line, sends the requests, prints "done", and waits until it
// is killed.
package main

import (
	"bufio"
	"fmt"
	"io"
	"io/ioutil"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"time"
)

var output sync.Mutex

func say(format string, values ...interface{}) {
	output.Lock()
	defer output.Unlock()
	fmt.Printf(format+"\n", values...)
}

type recorder struct {
	http.ResponseWriter
	status int
}

func (r *recorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}
func (r *recorder) Flush() { r.ResponseWriter.(http.Flusher).Flush() }

func handle(w http.ResponseWriter, r *http.Request) {
	recorder := &recorder{w, 200}
	io.Copy(ioutil.Discard, r.Body)
	switch {
	case r.URL.Path == "/missing":
		http.NotFound(recorder, r)
	case r.URL.Path == "/slow":
		time.Sleep(30 * time.Millisecond)
	case r.URL.Path == "/big":
		recorder.Write([]byte(strings.Repeat("x", 300000)))
	case r.URL.Path == "/huge":
		recorder.Header().Set("Content-Length", "60000000")
		io.Copy(recorder, strings.NewReader(strings.Repeat("x", 60000000)))
	case r.URL.Path == "/parts":
		for i := 0; i < 3; i++ {
			fmt.Fprint(recorder, "part")
			recorder.Flush()
			time.Sleep(2 * time.Millisecond)
		}
	default:
		fmt.Fprint(recorder, "hello")
	}
	say("server %s %s %d", r.Method, r.RequestURI, recorder.status)
}

func request(client *http.Client, method, url, path, body string) {
	r, err := http.NewRequest(method, url+path, strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	begin := time.Now()
	response, err := client.Do(r)
	if err != nil {
		panic(err)
	}
	io.Copy(ioutil.Discard, response.Body)
	response.Body.Close()
	say("client %s %s %d %d", method, path, response.StatusCode, time.Since(begin).Nanoseconds())
}

func main() {
	log.SetOutput(ioutil.Discard)
	server := httptest.NewUnstartedServer(http.HandlerFunc(handle))
	server.EnableHTTP2 = os.Args[1] == "2"
	server.StartTLS()
	client := server.Client()
	lines := bufio.NewReader(os.Stdin)
	fmt.Println(strings.TrimPrefix(server.URL, "https://"))
	lines.ReadString('\n')
	for _, path := range []string{"/", "/missing?x=1", "/slow", "/big", "/parts"} {
		request(client, "GET", server.URL, path, "")
	}
	request(client, "POST", server.URL, "/post", strings.Repeat("body", 5000))
	request(client, "HEAD", server.URL, "/head", "")
	request(client, "PROPFIND", server.URL, "/dav", "")
	request(client, "DELETE", server.URL, "/gone", "")
	var group sync.WaitGroup
	for i := 0; i < 20; i++ {
		group.Add(1)
		go func(i int) {
			defer group.Done()
			for n := 0; n < 10; n++ {
				request(client, "GET", server.URL, fmt.Sprintf("/n/%d/%d", i, n), "")
			}
		}(i)
	}
	group.Wait()
	say("done")
	lines.ReadString('\n')
}
