package eager

import (
	"sync"

	"fhelium/ckks"
	"fhelium/core/embed"
	"fhelium/core/kernel"
	"fhelium/core/keyswitch"
	"fhelium/core/ring"
)

// tables holds what an engine has built so far. Each table is built once, by
// the first operation that needs it, and never changes.
type tables struct {
	config *ckks.Config
	level  kernel.Level

	mu           sync.Mutex
	transforms   map[int]*ring.Table
	subrings     map[[2]int]*ring.Table // by logN and prime id
	embedding    *embed.Encoder
	automorphism map[uint64]*ring.Automorphism
	divisions    map[[2]span]*ring.Division
	rescalings   map[int]*ring.Division      // by depth
	switchers    map[int]*keyswitch.Switcher // by depth
	rebuilders   map[span]*embed.Reconstructor
}

// span is a range of prime ids, from first to before end.
type span struct{ first, end int }

func spanOf(s ckks.State) span { return span{s.First, s.First + s.Rows} }

// once finds an entry, or builds it under the lock. What is built comes from a
// checked Config, so that a failure is a bug of ours.
func once[K comparable, V any](t *tables, m *map[K]V, key K, build func() (V, error)) V {
	t.mu.Lock()
	defer t.mu.Unlock()
	if v, ok := (*m)[key]; ok {
		return v
	}
	v, err := build()
	if err != nil {
		panic(err)
	}
	if *m == nil {
		*m = map[K]V{}
	}
	(*m)[key] = v
	return v
}

// prime gives the transform table of one prime.
func (t *tables) prime(id int) *ring.Table {
	return once(t, &t.transforms, id, func() (*ring.Table, error) {
		return ring.NewTable(t.config.LogN(), t.config.Modulus(id), t.level)
	})
}

// primes gives the transform tables of a range of primes.
func (t *tables) primes(s span) []*ring.Table {
	out := make([]*ring.Table, 0, s.end-s.first)
	for id := s.first; id < s.end; id++ {
		out = append(out, t.prime(id))
	}
	return out
}

// galois gives the automorphism X -> X^g.
func (t *tables) galois(g uint64) *ring.Automorphism {
	return once(t, &t.automorphism, g, func() (*ring.Automorphism, error) {
		return ring.NewAutomorphism(t.config.LogN(), g)
	})
}

// rebuilder gives the reconstruction of coefficients from a range of primes.
func (t *tables) rebuilder(s span) *embed.Reconstructor {
	return once(t, &t.rebuilders, s, func() (*embed.Reconstructor, error) {
		return embed.NewReconstructor(t.config.Moduli()[s.first:s.end], t.level)
	})
}

// subring gives the transform table of a smaller degree, whose roots are powers
// of those of the ring.
func (t *tables) subring(logN, id int) *ring.Table {
	return once(t, &t.subrings, [2]int{logN, id}, func() (*ring.Table, error) {
		return ring.NewTable(logN, t.config.Modulus(id), t.level)
	})
}

// encoder gives the canonical embedding.
func (t *tables) encoder() *embed.Encoder {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.embedding == nil {
		e, err := embed.New(t.config.LogN(), t.config.GaloisGenerator(), t.level)
		if err != nil {
			panic(err)
		}
		t.embedding = e
	}
	return t.embedding
}

// bytes is the memory of everything built so far.
func (t *tables) bytes() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	total := sizes(t.transforms) + sizes(t.subrings) + sizes(t.automorphism) +
		sizes(t.divisions) + sizes(t.rescalings) + sizes(t.switchers) + sizes(t.rebuilders)
	if t.embedding != nil {
		total += t.embedding.Bytes()
	}
	return total
}

// sizes is the memory of one kind of table.
func sizes[K comparable, V interface{ Bytes() int }](m map[K]V) int {
	total := 0
	for _, v := range m {
		total += v.Bytes()
	}
	return total
}
