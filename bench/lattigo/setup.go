package main

import (
	"math"
	"runtime/debug"

	"github.com/tuneinsight/lattigo/v6/core/rlwe"
	"github.com/tuneinsight/lattigo/v6/schemes/ckks"
)

func setup(c testCase) (map[string]operation, map[string]any) {
	params := of(ckks.NewParametersFromLiteral(ckks.ParametersLiteral{
		LogN: c.LogN, LogQ: c.LogQ, LogP: c.LogP, LogDefaultScale: c.LogScale,
	}))
	keygen := ckks.NewKeyGenerator(params)
	secret, public := keygen.GenKeyPairNew()
	eight := make([]int, 8)
	for i := range eight {
		eight[i] = i + 1
	}
	keys := rlwe.NewMemEvaluationKeySet(keygen.GenRelinearizationKeyNew(secret), keygen.GenGaloisKeysNew(params.GaloisElements(eight), secret)...)
	evaluator := ckks.NewEvaluator(params, keys)
	encoder := ckks.NewEncoder(params)
	toPublic, toSecret := ckks.NewEncryptor(params, public), ckks.NewEncryptor(params, secret)
	decryptor := ckks.NewDecryptor(params, secret)

	x, y := messages(params.MaxSlots())
	encode := func(message []float64) *rlwe.Plaintext {
		plaintext := ckks.NewPlaintext(params, params.MaxLevel())
		must(encoder.Encode(message, plaintext))
		return plaintext
	}
	decrypt := func(ciphertext *rlwe.Ciphertext) []float64 {
		message := make([]float64, params.MaxSlots())
		must(encoder.Decode(decryptor.DecryptNew(ciphertext), message))
		return message
	}
	reveal := func(result any) []float64 { return decrypt(result.(*rlwe.Ciphertext)) }

	plaintext, factor := encode(x), encode(y)
	a, b := of(toSecret.EncryptNew(plaintext)), of(toSecret.EncryptNew(factor))
	operations := map[string]operation{
		"multiply": {run: func() any {
			product := of(evaluator.MulRelinNew(a, b))
			must(evaluator.Rescale(product, product))
			return product
		}, reveal: reveal, expected: pairwise(x, y, func(u, v float64) float64 { return u * v })},
		"rotate": {run: func() any { return of(evaluator.RotateNew(a, 1)) }, reveal: reveal, expected: rolled(x, 1)},
		"hoisted": {run: func() any { return of(evaluator.RotateHoistedNew(a, eight)) },
			reveal: func(result any) []float64 { return decrypt(result.(map[int]*rlwe.Ciphertext)[8]) }, expected: rolled(x, 8)},
		"encrypt_public": {run: func() any { return of(toPublic.EncryptNew(plaintext)) }, reveal: reveal, expected: x},
		"encrypt_secret": {run: func() any { return of(toSecret.EncryptNew(plaintext)) }, reveal: reveal, expected: x},
		"decrypt":        {run: func() any { return decrypt(a) }, reveal: func(result any) []float64 { return result.([]float64) }, expected: x},
		"encode":         {run: func() any { return encode(x) }},
		"add": {run: func() any { return of(evaluator.AddNew(a, b)) }, reveal: reveal,
			expected: pairwise(x, y, func(u, v float64) float64 { return u + v })},
		"multiply_plain": {run: func() any { return of(evaluator.MulNew(a, factor)) }, reveal: reveal,
			expected: pairwise(x, y, func(u, v float64) float64 { return u * v })},
		"rotation_keys": {run: func() any {
			steps := make([]int, c.Keys)
			for i := range steps {
				steps[i] = i + 1
			}
			return keygen.GenGaloisKeysNew(params.GaloisElements(steps), secret)
		}},
	}
	names := []string{}
	for name := range operations {
		names = append(names, name)
	}
	return operations, map[string]any{
		"version":    version(),
		"N":          params.N(),
		"q_limbs":    params.QCount(),
		"p_limbs":    params.PCount(),
		"digits":     params.BaseRNSDecompositionVectorSize(params.MaxLevel(), params.MaxLevelP()),
		"log_qp":     math.Round(10*params.LogQP()) / 10,
		"depth":      params.MaxLevel(),
		"log_scale":  c.LogScale,
		"note":       "one operation runs on one thread",
		"operations": names,
		"lacks":      map[string]string{},
	}
}

// messages are those of bench/runners/serve.py.
func messages(slots int) (x, y []float64) {
	x, y = make([]float64, slots), make([]float64, slots)
	for k := range x {
		x[k], y[k] = math.Cos(float64(k)), math.Sin(float64(2*k+1))
	}
	return x, y
}

// rolled is a message rotated to the left.
func rolled(message []float64, step int) []float64 {
	return append(append([]float64{}, message[step:]...), message[:step]...)
}

func pairwise(x, y []float64, f func(u, v float64) float64) []float64 {
	result := make([]float64, len(x))
	for i := range x {
		result[i] = f(x[i], y[i])
	}
	return result
}

// version is that of Lattigo in this binary.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if module.Path == "github.com/tuneinsight/lattigo/v6" {
				return module.Version
			}
		}
	}
	return "unknown"
}
