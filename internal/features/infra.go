package features

import "bytes"

// infraPhrases are lower-case phrases in which the infrastructure speaks, not the tool.
var infraPhrases = [...]string{
	"too many requests", "ratelimit", "rate limit", "rate-limit", "rate_limit", "service unavailable",
	"temporarily unavailable", "overloaded", "bad gateway", "gateway timeout", "gateway time-out",
	"connection reset", "connection refused", "connection timed out", "econnreset", "etimedout",
	"request timed out", "provider down", "provider is down", "provider outage",
	"at capacity", "over capacity", "out of capacity", "insufficient capacity", "capacity exceeded",
}

// infraStatus are words that make a status code on the same line one of the infrastructure's.
var infraStatus = [...]string{
	"too many", "rate", "unavailable", "timeout", "gateway", "overload", "service", "error",
}

// infraCodes are values of an error's code, lower-cased and with - and blanks as _.
var infraCodes = setOf(`429 502 503 504 rate_limit rate_limited rate_limit_exceeded rate_limit_error too_many_requests
	timeout timed_out request_timeout etimedout econnreset econnrefused econnaborted unavailable service_unavailable
	bad_gateway gateway_timeout overloaded overloaded_error resource_exhausted deadline_exceeded`)

// infrastructure reports whether a short text, lower-cased here into scratch, is the infrastructure's.
func (x *Extractor) infrastructure(text []byte) bool {
	b := append(x.arg[:0], text...)
	for i := range b {
		b[i] = lowerByte(b[i])
	}
	x.arg = b
	for _, p := range infraPhrases {
		if bytes.Contains(b, []byte(p)) {
			return true
		}
	}
	r := wordReader{text: b}
	for i := 0; ; i++ {
		w := r.next()
		switch string(w) {
		case "":
			return false
		case "429", "502", "503", "504":
			if !amount(b, r.from, r.to) && (i == 0 || i == 1 && onlyError(b[:r.from]) || statusNear(b[r.to:])) {
				return true
			}
		}
	}
}

// amount reports whether the number at from is part of a price, a decimal or a reference.
func amount(b []byte, from, to int) bool {
	return from > 0 && bytes.IndexByte([]byte("$#.,-"), b[from-1]) >= 0 ||
		to+1 < len(b) && b[to] == '.' && isDigit(b[to+1])
}

// onlyError reports whether the text before a status code is "error" and signs.
func onlyError(before []byte) bool {
	i := bytes.Index(before, []byte("error"))
	return i >= 0 && len(bytes.Trim(before[i+5:], ": ")) == 0
}

// statusNear reports whether a word that explains a status code follows within 60 bytes of its line.
func statusNear(after []byte) bool {
	if i := bytes.IndexByte(after, '\n'); i >= 0 {
		after = after[:i]
	}
	for _, word := range infraStatus {
		if bytes.Contains(after[:min(len(after), 60+len(word))], []byte(word)) {
			return true
		}
	}
	return false
}

// infraCode reports whether an error's code names trouble of the infrastructure.
func infraCode(code string) bool {
	var buf [32]byte
	if len(code) > len(buf) {
		return false
	}
	for i := range len(code) {
		b := lowerByte(code[i])
		if b == '-' || b == ' ' {
			b = '_'
		}
		buf[i] = b
	}
	return infraCodes[string(buf[:len(code)])]
}
