"""CKKS homomorphic encryption for PyTorch, with a core in Go."""
