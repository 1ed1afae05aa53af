package ingest

import (
	"errors"
	"io"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// teller is where an importer's runs are told from: it knows the file, and
// keeps the first error of who listens.
type teller struct {
	source string // names the runs that have no name
	format Format
	emit   func(events.Event, []byte) error
	fault  func(where, error)
	runs   map[string]*run
	err    error
	talks  int // conversations without a name so far
}

// flawed reports what is wrong with a record, each part of it by itself.
func (t *teller) flawed(at where, err error) {
	var many interface{ Unwrap() []error }
	if errors.As(err, &many) {
		for _, e := range many.Unwrap() {
			t.flawed(at, e)
		}
		return
	}
	var f flaw
	if errors.As(err, &f) {
		at = f.at
	}
	t.fault(at, err)
}

// broken judges why walking ended: input that is no JSON, or that cannot be
// read any further, is a fault; what whoever listens says is an error.
func (t *teller) broken(w *walker, err error) error {
	var syntax *jsontext.SyntacticError
	line := w.last()
	if errors.As(err, &syntax) {
		line = w.budget.lineAt(syntax.ByteOffset)
	}
	switch {
	case err == nil, t.err != nil:
		return t.err
	case w.budget.torn != nil:
		t.damaged(line, w.budget.torn)
	case errors.Is(err, errTooLarge):
		t.fault(where{line: line}, errTooLarge)
	case errors.Is(err, io.ErrUnexpectedEOF):
		t.fault(where{line: line}, errors.New("ends in the middle of a JSON value"))
	case errors.As(err, &syntax):
		path := ""
		if syntax.JSONPointer != "" {
			path = "at " + string(syntax.JSONPointer) + ": "
		}
		t.fault(where{line: line}, errors.New(path+"not JSON: "+syntax.Err.Error()))
	default:
		t.fault(where{line: line}, err)
	}
	return nil
}

// talk opens a conversation that has no name: the file's, and from the second
// on with its number.
func (t *teller) talk() *run {
	t.talks++
	name := t.source
	if t.talks > 1 {
		name += "/" + strconv.Itoa(t.talks)
	}
	return t.run(name)
}

// run returns the run of a foreign name, a root that is its own task until it
// is told otherwise.
func (t *teller) run(name string) *run {
	id := events.EscapeName(name)
	if r, ok := t.runs[id]; ok {
		return r
	}
	r := &run{teller: t, id: id, task: id, agent: string(t.format), calls: map[string]asked{}, clock: epoch}
	t.runs[id] = r
	return r
}

// child makes a run that another one spawned: it works on the same task.
func (t *teller) child(name string, parent *run) *run {
	r := t.run(name)
	if r != parent && r.parent == "" && r.seq == 0 {
		r.parent, r.task = parent.id, parent.task
	}
	return r
}
