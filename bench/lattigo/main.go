// Command lattigo times the operations of Lattigo's CKKS for bench/run.py.
// Requests and answers are lines of JSON, as in bench/runners/serve.py.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"runtime"
	"time"
)

// testCase is what a setup asks for. Widths are in bits, the last prime of Q that is left first.
type testCase struct {
	LogN     int   `json:"logN"`
	LogQ     []int `json:"log_q"`
	LogP     []int `json:"log_p"`
	LogScale int   `json:"log_scale"`
	Keys     int   `json:"keys"`
}

type request struct {
	Setup  *testCase `json:"setup"`
	Time   string    `json:"time"`
	Check  string    `json:"check"`
	Repeat int       `json:"repeat"`
}

// An operation's run makes the result and nothing else; reveal gives its slots.
type operation struct {
	run      func() any
	reveal   func(result any) []float64
	expected []float64
}

func main() {
	operations := map[string]operation{}
	answers := json.NewEncoder(os.Stdout)
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var asked request
		must(json.Unmarshal(lines.Bytes(), &asked))
		answer := map[string]any{}
		switch {
		case asked.Setup != nil:
			var facts map[string]any
			operations, facts = setup(*asked.Setup)
			answer["facts"] = facts
		case asked.Time != "":
			answer["seconds"] = seconds(operations[asked.Time], asked.Repeat)
		default:
			answer["bits"] = bits(operations[asked.Check])
		}
		must(answers.Encode(answer))
	}
}

// seconds gives the time of each of some repetitions; what they leave is collected before.
func seconds(o operation, repeat int) []float64 {
	runtime.GC()
	found := make([]float64, repeat)
	for i := range found {
		begun := time.Now()
		result := o.run()
		found[i] = time.Since(begun).Seconds()
		runtime.KeepAlive(result)
	}
	return found
}

// bits gives -log2 of the largest error of any slot; nil where the result is no message.
func bits(o operation) any {
	if o.reveal == nil {
		return nil
	}
	largest := math.Exp2(-60)
	for i, value := range o.reveal(o.run()) {
		largest = math.Max(largest, math.Abs(value-o.expected[i]))
	}
	return -math.Log2(largest)
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func of[T any](value T, err error) T {
	must(err)
	return value
}
