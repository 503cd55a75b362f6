// SPDX-FileCopyrightText: The cpucycles developers
// SPDX-License-Identifier: 0BSD

// Four benchmarks for bench/harnesses.
package work

import (
	"fmt"
	"testing"
)

var kept uint64

func multiply(rounds uint64) uint64 {
	x := rounds
	for i := uint64(0); i < rounds; i++ {
		x = x*6364136223846793005 + 1442695040888963407
	}
	return x
}

func BenchmarkMultiply(b *testing.B) {
	for i, n := range rounds {
		b.Run(fmt.Sprint(i), func(b *testing.B) {
			for k := 0; k < b.N; k++ {
				kept += multiply(n)
			}
		})
	}
}
