package eager

import "fhelium/ckks"

// row gives row r of polynomial p (a component) of batch member b; it aliases
// the value's memory.
func row(v *ckks.Value, p, b, r int) []uint64 {
	w := v.Width()
	at := ((p*v.BatchSize()+b)*v.Rows + r) * w
	return v.Words[at : at+w : at+w]
}

// eachRow runs f for every component, batch member and row of v.
func (j *Job) eachRow(v *ckks.Value, f func(p, b, r int)) {
	rows := v.BatchSize() * v.Rows
	j.Group.Each(v.Polynomials()*rows, func(i int) { f(i/rows, i%rows/v.Rows, i%v.Rows) })
}

// copyRows copies the polynomials of src to the first of dst, row by row: a copy
// of gigabytes can be stopped like any other work.
func (j *Job) copyRows(dst, src *ckks.Value) {
	j.eachRow(src, func(p, b, r int) { copy(row(dst, p, b, r), row(src, p, b, r)) })
}
