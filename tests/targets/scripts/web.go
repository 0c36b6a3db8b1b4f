// A Go program for the tests of gohttp: a server and its client in one process, with HTTP/1 and
// HTTP/2. Ends with status 0 if all responses are right.
//
//	web            sends each kind of request once, then 400 at a time while garbage is collected
//	web many N     sends N requests, all at the same time
//	web special    sends requests whose URL, method or handler is special
//	web traced     sends requests with a header traceparent among others
//	web errors     sends requests that get no response; prints the error of each
//	web serve      prints the server's address, and serves until it is killed
//	web get URL…   requests these URLs
package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/ioutil"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
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
	case r.URL.Path == "/hijack":
		connection, buffer, _ := w.(http.Hijacker).Hijack()
		fmt.Fprint(buffer, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
		buffer.Flush()
		connection.Close()
	case r.URL.Path == "/half":
		fmt.Fprint(w, "half")
		w.(http.Flusher).Flush()
		panic("the other half")
	case r.URL.Path == "/recovered":
		defer func() {
			recover()
			w.WriteHeader(http.StatusInternalServerError)
		}()
		panic("recovered")
	case r.URL.Path == "/goexit":
		runtime.Goexit()
	case r.URL.Path == "/rewritten":
		r.URL.Path, r.Method, r.Host, r.RequestURI = "/other", "OTHER", "other.host", "/else"
		fmt.Fprint(w, r.URL.Path)
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

// Recurses so deep that Go moves the stack to a larger one.
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
	io.Copy(ioutil.Discard, response.Body)
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

// Sends `count` requests at the same time: none begins before all goroutines are ready.
func many(server *httptest.Server, client *http.Client, count int) {
	var group, ready sync.WaitGroup
	ready.Add(count)
	for i := 0; i < count; i++ {
		group.Add(1)
		go func(n int) {
			defer group.Done()
			ready.Done()
			ready.Wait()
			deep(n % 50)
			response, err := client.Get(server.URL + "/n/" + strconv.Itoa(n))
			if err != nil {
				panic(err)
			}
			body, _ := ioutil.ReadAll(response.Body)
			response.Body.Close()
			if string(body) != strconv.Itoa(n) {
				panic(string(body))
			}
		}(i)
	}
	group.Wait()
}

func special(server *httptest.Server) {
	client := server.Client()
	for _, path := range []string{"/a%2Fb/c%20d", "/half", "/recovered", "/goexit", "/rewritten"} {
		get(client, server.URL+path)
	}
	request, _ := http.NewRequest("HEAD", server.URL+"/head", nil)
	if response, err := client.Do(request); err == nil {
		response.Body.Close()
	}
	if !server.EnableHTTP2 {
		get(client, server.URL+"/hijack")
	}
	// Handlers may end after the client has read the response: wait until the last one has ended.
	stacks := make([]byte, 1<<20)
	for i := 0; i < 5000; i++ {
		if !strings.Contains(string(stacks[:runtime.Stack(stacks, true)]), "net/http.serverHandler.ServeHTTP") {
			break
		}
		time.Sleep(time.Millisecond)
	}
}

// Prints the error's text, without the method and the URL that http.Client puts before it.
func say(name string, err error) {
	var withUrl interface{ Unwrap() error }
	if errors.As(err, &withUrl) {
		err = withUrl.Unwrap()
	}
	fmt.Printf("/%s %v\n", name, err)
}

func failures(plain, encrypted *httptest.Server) {
	try := func(name string, client *http.Client, url string) {
		_, err := client.Get(url + "/" + name)
		say(name, err)
	}
	try("refused", plain.Client(), "http://127.0.0.1:1")
	try("panic", encrypted.Client(), encrypted.URL)
	try("certificate", plain.Client(), encrypted.URL)
	old := &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS12}
	try("version", &http.Client{Transport: &http.Transport{TLSClientConfig: old}}, encrypted.URL)
	try("no-tls", encrypted.Client(), strings.Replace(plain.URL, "http:", "https:", 1))
	try("scheme", plain.Client(), "gopher://127.0.0.1")

	late := plain.Client()
	late.Transport.(*http.Transport).ResponseHeaderTimeout = 20 * time.Millisecond
	try("slow", late, plain.URL)

	canceled, cancel := context.WithCancel(context.Background())
	request, _ := http.NewRequestWithContext(canceled, "GET", encrypted.URL+"/slow", nil)
	time.AfterFunc(20*time.Millisecond, cancel)
	_, err := encrypted.Client().Do(request)
	say("slow", err)

	resolver := &net.Resolver{PreferGo: true, Dial: func(_ context.Context, _, _ string) (net.Conn, error) {
		return nil, errors.New("no name server")
	}}
	dialer := &net.Dialer{Resolver: resolver}
	try("name", &http.Client{Transport: &http.Transport{DialContext: dialer.DialContext}}, "http://name.invalid")
}

// A trace id for a number.
func trace(n int) string { return fmt.Sprintf("%032x", n+1) }

// The path is the number of headers beside traceparent; a last request has none of them.
func traced(server *httptest.Server, client *http.Client) {
	send := func(n int, header string) {
		request, _ := http.NewRequest("GET", fmt.Sprintf("%s/traced/%d", server.URL, n), nil)
		for i := 0; i < n; i++ {
			request.Header.Set(fmt.Sprintf("X-Header-%d", i), "value")
		}
		if header != "" {
			request.Header.Set("traceparent", header)
		}
		if response, err := client.Do(request); err == nil {
			response.Body.Close()
		}
	}
	for _, n := range []int{0, 1, 3, 7, 40} {
		send(n, "00-"+trace(n)+"-00f067aa0ba902b7-01")
	}
	send(2, "")
	send(4, "00-"+trace(4)+"-no-traceparent-but-as-long-x")
}

func main() {
	log.SetOutput(ioutil.Discard)
	if len(os.Args) > 2 && os.Args[1] == "get" {
		for _, url := range os.Args[2:] {
			get(http.DefaultClient, url)
		}
		return
	}
	server := httptest.NewUnstartedServer(http.HandlerFunc(handle))
	server.Start()
	second := httptest.NewUnstartedServer(http.HandlerFunc(handle))
	second.EnableHTTP2 = true
	second.TLS = &tls.Config{MinVersion: tls.VersionTLS13}
	second.StartTLS()
	what := ""
	if len(os.Args) > 1 {
		what = os.Args[1]
	}
	switch what {
	case "serve":
		fmt.Println(server.URL)
		select {}
	case "many":
		count, _ := strconv.Atoi(os.Args[2])
		server.Client().Transport.(*http.Transport).MaxConnsPerHost = 100
		many(server, server.Client(), count)
	case "special":
		special(server)
		special(second)
	case "traced":
		mux := http.NewServeMux()
		mux.HandleFunc("/traced/", handle)
		server.Config.Handler, second.Config.Handler = mux, mux
		traced(server, server.Client())
		traced(second, second.Client())
	case "errors":
		failures(server, second)
	default:
		requests(server, server.Client())
		get(server.Client(), "http://127.0.0.1:1/refused")
		many(server, server.Client(), 400)
		requests(second, second.Client())
	}
	fmt.Println("done")
}
