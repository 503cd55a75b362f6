# SPDX-FileCopyrightText: The cpucycles developers
# SPDX-License-Identifier: 0BSD

# For pictures of SVG and pages of HTML: the one way by which a text comes into them. What it gives
# is text in XML and in HTML, between elements and in the quotes of an attribute.

function html(text) {
	gsub(/[^ -~]/, "?", text)
	gsub(/&/, "\\&amp;", text)
	gsub(/</, "\\&lt;", text)
	gsub(/>/, "\\&gt;", text)
	gsub(/"/, "\\&quot;", text)
	gsub(/'/, "\\&#39;", text)
	return text
}

function first_line(file,   line) {
	if ((getline line <file) <= 0)
		line = ""
	close(file)
	return line
}
