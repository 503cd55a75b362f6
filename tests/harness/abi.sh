# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# Functions that compare a library's ABI with its stored description. Sourced.

# types_of LIBRARY: what its types have in common with those of other architectures: lp64, ilp32, or
# on i386, where members of 64 bits begin at multiples of 4 bytes, i386. m68k aligns them to 2
# bytes, and has no description.
types_of() {
	LC_ALL=C readelf -h "$1" | awk '
		/^ *Class:/ { class = $2 }
		/^ *Machine:/ { machine = $0 }
		END {
			if (class == "ELF64") print "lp64"
			else if (machine ~ /80386/) print "i386"
			else if (machine ~ /MC68000/) print "none"
			else print "ilp32"
		}'
}

# stored_abi LIBRARY: the file with the description of such a library's ABI.
stored_abi() {
	echo "$top_srcdir/tests/data/abi/$(basename "$1" | sed 's/\.so.*//')-$(types_of "$1").abi"
}

# same_abi HEADERS LIBRARY: abidiff finds no difference at all.
same_abi() {
	sh "$top_srcdir/dev/describe-abi.sh" "$1" "$2" >"$scratch/new.abi" 2>"$scratch/diff" &&
		abidiff "$(stored_abi "$2")" "$scratch/new.abi" >"$scratch/diff" 2>&1 && return
	sed 's/^/# /' "$scratch/diff"
	return 1
}

# keeps_abi LIBRARY: a point for this built library.
keeps_abi() {
	about="${1##*/} has the stored ABI"
	for tool in abidw abidiff readelf; do
		command -v $tool >/dev/null || { skip "$about" "$tool is not there"; return; }
	done
	if ! readelf -S "$1" 2>/dev/null | grep -q '\.debug_info'; then
		skip "$about" "it is not built, or without debug information"
	elif [ ! -e "$(stored_abi "$1")" ]; then
		skip "$about" "no description is stored: see make update-abi"
	else
		ok "$about" same_abi "$top_srcdir/include" "$1"
	fi
}

# keeps_static_tls LIBRARY: it takes no more static TLS than cpucycles-abi(7) says.
keeps_static_tls() {
	about="${1##*/} takes no more static TLS than cpucycles-abi(7) says"
	most=$(sed -n 's/^It takes at most \([0-9]*\) bytes\.$/\1/p' \
		"$top_srcdir/doc/cpucycles-abi.7")
	taken=$(LC_ALL=C readelf -lW "$1" | awk '$1 == "TLS" { print $6 }')
	ok "$about" test "$((${taken:-0}))" -le "${most:-0}"
}
