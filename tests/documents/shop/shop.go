// Serves orders of a shop over HTTP, and asks a warehouse, which it serves itself, for each.
package main

import (
	"fmt"
	"net/http"
	"os"
	"time"
)

var address = "127.0.0.1:" + os.Getenv("PORT")

func orders(w http.ResponseWriter, r *http.Request) {
	answer, err := http.Get("http://" + address + "/stock?order=" + r.URL.Path[len("/orders/"):])
	if err != nil || answer.StatusCode != 200 {
		http.Error(w, "out of stock", 503)
		return
	}
	answer.Body.Close()
	fmt.Fprintln(w, "ordered")
}

func stock(w http.ResponseWriter, r *http.Request) {
	time.Sleep(5 * time.Millisecond)
	if r.URL.RawQuery == "order=13" {
		http.NotFound(w, r)
	}
}

func main() {
	http.HandleFunc("/orders/", orders)
	http.HandleFunc("/stock", stock)
	go func() {
		time.Sleep(100 * time.Millisecond)
		fmt.Println("open")
	}()
	fmt.Println(http.ListenAndServe(address, nil))
}
