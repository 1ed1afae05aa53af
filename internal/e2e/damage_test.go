package e2e

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// fill has a processor apply half of the recorded runs that are asked for, keeps
// a copy of its directory, and applies the rest.
func (s *stage) fill(nth int) (data, older string) {
	s.t.Helper()
	data, older = s.t.TempDir(), s.t.TempDir()
	lines := recorded(s.t, nth)
	for i, part := range [][][]byte{lines[:len(lines)/2], lines[len(lines)/2:]} {
		p := s.start(data, "")
		s.wait(p)
		s.feed(part)
		s.wait(p)
		p.stop(s.t)
		if i == 0 {
			copyHome(s.t, older, data)
		}
	}
	return data, older
}

// copyHome copies a data directory; its keys stay secret.
func copyHome(t *testing.T, to, from string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	keys, err := filepath.Glob(filepath.Join(to, "keys", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range keys {
		if err := os.Chmod(k, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// again starts a processor on a directory that something happened to, holds it
// against the oracle and sees that it decided nothing anew. A processor that
// refuses its store is started once more for each partition, as a supervisor
// does, and then without it, as a person does.
func (s *stage) again(preset, data string, before int) (refused int) {
	s.t.Helper()
	for ; ; refused++ {
		p := s.start(data, "")
		ended := false
		select {
		case <-p.ready:
		case <-p.done:
			ended = true
		case <-time.After(2 * time.Minute):
			s.t.Fatal("the processor neither starts nor ends")
		}
		if !ended {
			s.judged(preset, p)
			p.stop(s.t)
			break
		}
		if refused == partitions { // it cannot be read at all, and says so
			if err := os.RemoveAll(filepath.Join(data, "state")); err != nil {
				s.t.Fatal(err)
			}
		}
		if refused > partitions {
			s.t.Fatalf("refused %d times, the last time without its store: %v", refused+1, p.err)
		}
	}
	if after := len(s.logged()); after != before {
		s.t.Errorf("%d records, %d before", after, before)
	}
	return refused
}

// A directory that is lost or older than the stream is made whole from it, and
// nothing is decided a second time.
func TestTheDirectoryIsLost(t *testing.T) {
	for _, preset := range []string{"sundry", "forty-times"} {
		t.Run(preset, func(t *testing.T) {
			s := newStage(t, preset)
			data, older := s.fill(48)
			before := len(s.logged())
			if before == 0 {
				t.Fatal("nothing was decided: the test proves nothing")
			}
			s.again(preset, older, before)
			if err := os.RemoveAll(filepath.Join(data, "state")); err != nil {
				t.Fatal(err)
			}
			s.again(preset, data, before)
			s.rewind(data)
			s.again(preset, data, before)
		})
	}
}

// A flipped bit or a cut end in any file of the store is noticed or harmless:
// what stands afterwards is what the oracle says.
func TestAFileOfTheStoreIsDamaged(t *testing.T) {
	rnd := seed(t)
	const preset = "sundry"
	s := newStage(t, preset)
	data, _ := s.fill(48)
	before := len(s.logged())
	rounds := 1
	if soak() {
		rounds = 12
	}
	for range rounds {
		for kind, files := range storeFiles(t, data) {
			for _, how := range []string{"flip", "cut"} {
				t.Run(kind+" "+how, func(t *testing.T) {
					hurt := t.TempDir()
					copyHome(t, hurt, data)
					file := files[rnd.IntN(len(files))]
					damage(t, rnd, filepath.Join(hurt, file), how)
					on := *s
					on.t = t
					t.Logf("%s: refused %d times", filepath.Base(file), on.again(preset, hurt, before))
				})
			}
		}
	}
}

// storeFiles are the files of the store that are not empty, by kind.
func storeFiles(t *testing.T, data string) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	err := filepath.WalkDir(filepath.Join(data, "state"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil || info.Size() == 0 {
			return err
		}
		kind := filepath.Ext(path)
		if kind == "" {
			kind, _, _ = strings.Cut(filepath.Base(path), "-")
		}
		rel, err := filepath.Rel(data, path)
		out[kind] = append(out[kind], rel)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 3 {
		t.Fatalf("only these files: %v", out)
	}
	return out
}

func damage(t *testing.T, rnd *rand.Rand, file, how string) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	b = slices.Clone(b)
	if how == "cut" {
		b = b[:rnd.IntN(len(b))]
	} else {
		b[rnd.IntN(len(b))] ^= 1 << rnd.IntN(8)
	}
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// A stream that was deleted and made anew, shorter than what was applied, is
// begun from its first event: what stands is what the new stream says, and a
// cause that comes back has the control id that it had.
func TestTheStreamIsMadeAnew(t *testing.T) {
	const preset = "sundry"
	s := newStage(t, preset)
	data, _ := s.fill(48)
	before := s.controlIDs()
	for n := range partitions {
		stream, err := s.js.Stream(t.Context(), events.EventStream(n))
		if err != nil {
			t.Fatal(err)
		}
		info := stream.CachedInfo()
		var held []*jetstream.RawStreamMsg
		for seq := uint64(1); seq <= info.State.LastSeq*2/3; seq++ {
			m, err := stream.GetMsg(t.Context(), seq)
			if err != nil {
				t.Fatal(err)
			}
			held = append(held, m)
		}
		if err := s.js.DeleteStream(t.Context(), info.Config.Name); err != nil {
			t.Fatal(err)
		}
		if _, err := s.js.CreateStream(t.Context(), info.Config); err != nil {
			t.Fatal(err)
		}
		for _, m := range held {
			if _, err := s.js.PublishMsg(t.Context(), &nats.Msg{Subject: m.Subject, Header: m.Header, Data: m.Data}); err != nil {
				t.Fatal(err)
			}
		}
	}
	p := s.start(data, "")
	s.wait(p)
	s.standsAs(preset, p)
	p.stop(t)
	for id := range s.controlIDs() {
		if !before[id] {
			t.Errorf("control %s was not there before", id)
		}
	}
	t.Logf("%d controls before, %d records now", len(before), len(s.logged()))
}

// controlIDs are the ids of all controls that were logged.
func (s *stage) controlIDs() map[string]bool {
	s.t.Helper()
	out := map[string]bool{}
	for _, c := range s.logged() {
		if c.ID != "" {
			out[c.ID] = true
		}
	}
	return out
}

// A decision log that is full stops the owner before it forgets a decision; once
// there is room, it goes on as if nothing had happened.
func TestTheDecisionLogIsFull(t *testing.T) {
	const preset = "sundry"
	s := newStage(t, preset)
	data := t.TempDir()
	p := s.start(data, "")
	s.wait(p)
	for n := range partitions {
		s.limit(n, func(at uint64) int64 { return int64(at) + 2 })
	}
	s.feed(recorded(t, 48))
	full := func() bool {
		for n := range partitions {
			stream, err := s.js.Stream(t.Context(), events.ControlStream(n))
			if err != nil {
				return false
			}
			if info := stream.CachedInfo(); info.State.Msgs == uint64(info.Config.MaxMsgs) {
				return true
			}
		}
		return false
	}
	s.until("a log is full", full)
	if s.behind(t.Context(), s.fleet()) == 0 {
		t.Error("everything is applied although a log was full")
	}
	for n := range partitions {
		s.limit(n, func(uint64) int64 { return -1 })
	}
	select {
	case <-p.done:
		t.Logf("the processor ended with: %v", p.err)
		p = s.start(data, "")
	case <-time.After(2 * time.Second):
	}
	n := s.judged(preset, p)
	if n == 0 {
		t.Fatal("nothing was decided: the test proves nothing")
	}
	t.Logf("%d acted decisions", n)
	p.stop(t)
}

// limit bounds the messages of a decision log.
func (s *stage) limit(n int, most func(stored uint64) int64) {
	s.t.Helper()
	stream, err := s.js.Stream(s.t.Context(), events.ControlStream(n))
	if err != nil {
		s.t.Fatal(err)
	}
	cfg := stream.CachedInfo().Config
	cfg.MaxMsgs, cfg.Discard = most(stream.CachedInfo().State.Msgs), jetstream.DiscardNew
	if _, err := s.js.UpdateStream(s.t.Context(), cfg); err != nil {
		s.t.Fatal(err)
	}
}
