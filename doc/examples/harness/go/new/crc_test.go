// SPDX-FileCopyrightText: The cpucycles developers
// SPDX-License-Identifier: 0BSD

// Benchmarks of two checksums, with the checksums, of which one is faster than in old/crc_test.go.
package crc

import (
	"hash/crc32"
	"testing"
)

var text [1000]byte
var kept uint32

func adler(bytes []byte) uint32 {
	var a, b uint32 = 1, 0
	for _, c := range bytes {
		a = (a + uint32(c)) % 65521
		b = (b + a) % 65521
	}
	return b<<16 | a
}

func crc(bytes []byte) uint32 { return crc32.ChecksumIEEE(bytes) }

func BenchmarkAdler(b *testing.B) {
	for i := 0; i < b.N; i++ {
		kept = adler(text[:])
	}
}

func BenchmarkCRC(b *testing.B) {
	for i := 0; i < b.N; i++ {
		kept = crc(text[:])
	}
}
