// Command gen writes the assembly of package kernel with avo, so that register
// allocation and stack frames are not ours to get wrong. Its output is committed;
// see the go:generate line of the package.
//
// Instructions are scheduled by writing independent chains of operations and
// issuing them in lockstep (see interleave): out-of-order processors need no
// more, and the order stays readable.
package main

import "github.com/mmcloughlin/avo/build"

func main() {
	build.ConstraintExpr("amd64,!purego")
	bothWidths(forward, inverse, pointwise, conversion, permutedQuotients, floatIntegers)
	quads()
	withLanes(8, sixteens)
	draws()
	uniform()
	permute()
	complexes()
	build.Generate()
}
