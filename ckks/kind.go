package ckks

// Kind says what a value is, and with it the axes of its tensor. B stands for
// any number of batch axes, n for slots, L for limbs, N for the ring degree.
type Kind int

const (
	Message         Kind = iota // cleartext slots [B, n], float64 or complex128
	Integers                    // integer coefficients [B, N], int64, or float64 holding integers exactly
	Approximate                 // decrypted coefficients [B, N], float64; can only be decoded
	Plaintext                   // residues [B, L, N]
	Compressed                  // residues [B, L, U] with U < N unique words a row
	Ciphertext                  // residues [component, B, L, N]
	Seeded                      // residues [B, L, N] of component 0; component 1 grows from a public seed
	SecretKey                   // residues [L, N]
	PublicKey                   // residues [2, L, N]
	SwitchKey                   // residues [digit, 2, L, N], from any secret to any other
	Relinearization             // SwitchKey from s^2 to s
	Rotation                    // SwitchKey for one slot rotation
	Conjugation                 // SwitchKey for complex conjugation
	kinds
)

var kindNames = [kinds]string{
	"message", "integer coefficients", "approximate coefficients", "plaintext", "compressed plaintext",
	"ciphertext", "seeded ciphertext", "secret key", "public key", "key-switch key", "relinearization key",
	"rotation key", "conjugation key",
}

// String is the kind's name in messages.
func (k Kind) String() string {
	if k < 0 || k >= kinds {
		return "unknown kind"
	}
	return kindNames[k]
}

// IsSwitch says whether the kind has the layout of a key-switch key.
func (k Kind) IsSwitch() bool {
	return k == SwitchKey || k == Relinearization || k == Rotation || k == Conjugation
}

// HasRows says whether the kind's last two axes are limbs and residues.
func (k Kind) HasRows() bool { return k >= Plaintext && k < kinds }

// dtypes are the element types that the kind can hold.
func (k Kind) dtypes() []Dtype {
	switch k {
	case Message:
		return []Dtype{Float64, Complex128}
	case Integers:
		return []Dtype{Int64, Float64}
	case Approximate:
		return []Dtype{Float64}
	}
	return []Dtype{Int64}
}

// Domain is the form of a polynomial's rows.
type Domain int

const (
	Coefficient Domain = iota // coefficients in natural order
	NTT                       // evaluations in bit-reversed order
)

// String is the domain's name, as Python spells it.
func (d Domain) String() string { return [...]string{"coefficient", "ntt"}[d&1] }

// Basis says which primes the rows belong to.
type Basis int

const (
	Q  Basis = iota // active primes of Q
	QP              // active primes of Q, then the special primes
)

// String is the basis's name, as Python spells it.
func (b Basis) String() string { return [...]string{"Q", "QP"}[b&1] }

// Layout says how a compressed row of U unique words gives N residues.
type Layout int

const (
	Dense         Layout = iota // not compressed
	Cyclic                      // residue j is word j mod U
	Contiguous                  // residue j is word j·U/N, rounded down
	StridedSparse               // residue j·N/U is word j, all others are the row's implicit word
)

// String is the layout's name, as Python spells it.
func (l Layout) String() string {
	return [...]string{"dense", "cyclic", "contiguous", "strided_sparse"}[l&3]
}

// Dtype is the element type of a value's memory.
type Dtype int

const (
	Int64      Dtype = iota // residues, integer coefficients
	Float64                 // real slots, coefficients
	Complex128              // complex slots
)

// String is the dtype's name, as torch spells it.
func (d Dtype) String() string { return [...]string{"int64", "float64", "complex128", "unknown"}[d&3] }
