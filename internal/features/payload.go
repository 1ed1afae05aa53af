package features

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// minPayload is the length from which a text written says more than chance.
const minPayload = 40

// maxPayloads bounds how many texts of one call are told.
const maxPayloads = 4

var (
	pathArgs = setOf("path file filename file_path filepath file_name target target_file uri url")
	textArgs = setOf(`content contents text new_str new_string new_text file_text insert_text replacement
		replacement_code new_code code patch diff body source`)
)

// payloads returns the literal texts the call writes, each with its target.
func (x *Extractor) payloads(program bool) []Hash {
	found := x.payloadHashes[:0]
	if program {
		for _, d := range x.script.docs {
			target := x.script.written(d)
			body := x.script.src[d.body.from:d.body.to]
			if target != nil && utf8.RuneCount(body) >= minPayload && len(found) < maxPayloads {
				found = append(found, x.pair(domainPayload, target, body))
			}
		}
		x.payloadHashes = found
		return found
	}
	target := x.pathOf("")
	for _, m := range x.members {
		if !textArgs[string(m.name)] || m.raw[0] != '"' || len(found) == maxPayloads {
			continue
		}
		var ok bool
		if x.arg, _, ok = unquote(x.arg[:0], m.raw, 0); ok && utf8.RuneCount(x.arg) >= minPayload {
			found = append(found, x.pair(domainPayload, target, x.arg))
		}
	}
	x.payloadHashes = found
	return found
}

// maxTouched bounds how many lines of one call are told.
const maxTouched = 64

// touched returns the lines of the texts that the call writes or replaces, each
// with its target: those of its arguments that have several.
func (x *Extractor) touched() []Hash {
	found := x.touchedHashes[:0]
	target := x.sum(domainLine, x.pathOf(""))
	for _, m := range x.members {
		if m.drop || m.raw[0] != '"' || len(found) == maxTouched {
			continue
		}
		var ok bool
		if x.arg, _, ok = unquote(x.arg[:0], m.raw, 0); !ok || bytes.IndexByte(x.arg, '\n') < 0 {
			continue
		}
		for _, l := range x.lines(x.arg) { // theirs are copied at once
			if l ^= target; len(found) < maxTouched && !slices.Contains(found, l) {
				found = append(found, l)
			}
		}
	}
	x.touchedHashes = found
	return found
}

// written returns the file that a here-document ends up in, or nil.
func (s *script) written(d document) []byte {
	if d.command >= len(s.commands) {
		return nil
	}
	c := s.commands[d.command]
	if c.writes {
		return s.bytes(c.target)
	}
	if args := s.args(c); len(args) > 1 && string(s.name(args)) == "tee" {
		return s.bytes(args[len(args)-1])
	}
	// cat <<EOF | tee file
	if d.command+1 < len(s.commands) && s.commands[d.command+1].piped {
		if args := s.args(s.commands[d.command+1]); len(args) > 1 && string(s.name(args)) == "tee" {
			return s.bytes(args[len(args)-1])
		}
	}
	return nil
}

// pathOf returns the value of the call's path-like argument as it is written, or
// the fallback where there is none.
func (x *Extractor) pathOf(fallback string) []byte {
	for _, m := range x.members {
		if pathArgs[string(m.name)] && m.raw[0] == '"' {
			return bytes.Trim(m.raw, `"`)
		}
	}
	return []byte(fallback)
}

// pair hashes two texts so that where one ends counts.
func (x *Extractor) pair(d domain, a, b []byte) Hash {
	x.out = append(append(appendLen(x.out[:0], len(a)), a...), b...)
	return x.sum(d, x.out)
}
