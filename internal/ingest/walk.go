package ingest

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// maxRecord is the largest record in bytes: what is larger is never held whole.
const maxRecord = 32 << 20

// kind says what a record is.
type kind int

const (
	alone kind = iota // an object that holds no records: a line, or a document without any
	begin             // a document with records begins; raw holds its members so far
	item              // a record of a document
	end               // the document ends; raw holds all its other members
)

// record is one thing an importer is shown. raw is valid until take returns.
type record struct {
	kind   kind
	member string // that holds the item; empty where the document is an array
	raw    []byte
	at     where
}

// importer tells the records of one format as events. What is wrong with a
// record it returns, having told what it could.
type importer interface {
	take(record) error
	finish()
}

// walker hands the records of JSON values to an importer.
type walker struct {
	dec     *jsontext.Decoder
	budget  *budget
	members []string
	to      func(record) error // its error ends the reading
}

func newWalker(in io.Reader, firstLine int, members []string, to func(record) error) *walker {
	b := &budget{in: in, left: maxRecord, line: firstLine}
	return &walker{dec: jsontext.NewDecoder(b, lenient), budget: b, members: members, to: to}
}

// at is where what was read last begins, n bytes before the end of it.
func (w *walker) at(n int) where { return where{line: w.budget.lineAt(w.dec.InputOffset() - int64(n))} }

// last is the line of what was read last.
func (w *walker) last() int { return w.at(0).line }

// all walks value after value until the input ends.
func (w *walker) all() error {
	for {
		w.budget.renew()
		err := w.value()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (w *walker) value() error {
	k := w.dec.PeekKind()
	if k == '{' || k == '[' {
		if _, err := w.dec.ReadToken(); err != nil {
			return err
		}
	}
	switch k {
	case '{':
		return w.object(w.at(1))
	case '[':
		at := w.at(1)
		if err := w.to(record{kind: begin, raw: []byte("{}"), at: at}); err != nil {
			return err
		}
		if err := w.array(""); err != nil {
			return err
		}
		return w.to(record{kind: end, raw: []byte("{}"), at: at})
	}
	raw, err := w.dec.ReadValue()
	if err != nil {
		return err
	}
	return w.to(record{kind: alone, raw: raw, at: w.at(len(raw))}) // the importer says that it wants an object
}

// array walks the items of an array that has been opened.
func (w *walker) array(member string) error {
	for i := 0; w.dec.PeekKind() != ']'; i++ {
		w.budget.renew()
		raw, err := w.dec.ReadValue()
		if err != nil {
			return fmt.Errorf("%s[%d]: %w", member, i, err)
		}
		place := where{line: w.at(len(raw)).line, path: member}.item(i)
		if err := w.to(record{kind: item, member: member, raw: raw, at: place}); err != nil {
			return err
		}
	}
	_, err := w.dec.ReadToken()
	return err
}

// object walks the records that stand in a member of an object that has been
// opened, and gathers the other members.
func (w *walker) object(at where) error {
	head, holds := []byte{'{'}, false
	for w.dec.PeekKind() == '"' {
		token, err := w.dec.ReadToken()
		if err != nil {
			return err
		}
		name := token.String()
		if slices.Contains(w.members, name) && w.dec.PeekKind() == '[' {
			if !holds {
				holds = true
				if err := w.to(record{kind: begin, raw: closed(head), at: at}); err != nil {
					return err
				}
			}
			if _, err := w.dec.ReadToken(); err != nil {
				return err
			}
			if err := w.array(name); err != nil {
				return err
			}
			continue
		}
		w.budget.renew()
		raw, err := w.dec.ReadValue()
		if err != nil {
			return err
		}
		if head = appendMember(head, name, raw); len(head) > maxRecord {
			return errTooLarge
		}
	}
	if _, err := w.dec.ReadToken(); err != nil {
		return err
	}
	if holds {
		return w.to(record{kind: end, raw: closed(head), at: at})
	}
	return w.to(record{kind: alone, raw: closed(head), at: at})
}

func appendMember(head []byte, name string, raw []byte) []byte {
	if len(head) > 1 {
		head = append(head, ',')
	}
	head, _ = jsontext.AppendQuote(head, name) // what is not UTF-8 is replaced
	return append(append(head, ':'), raw...)
}

// closed is the object so far; head goes on growing elsewhere.
func closed(head []byte) []byte { return append(slices.Clip(head), '}') }
