// SPDX-FileCopyrightText: The cpucycles developers
// SPDX-License-Identifier: 0BSD

// Benchmarks of two checksums, with the checksums.
package crc

import "testing"

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

func crc(bytes []byte) uint32 {
	sum := ^uint32(0)
	for _, c := range bytes {
		sum ^= uint32(c)
		for bit := 0; bit < 8; bit++ {
			sum = sum>>1 ^ 0xedb88320&-(sum&1)
		}
	}
	return ^sum
}

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
