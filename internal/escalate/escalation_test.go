package escalate

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/nats-io/nats.go"

	"github.com/loopwatch/loopwatch/internal/natsbus"
	"github.com/loopwatch/loopwatch/pkg/actions"
)

// record is a control as a log holds it, signed for a subject.
func record(t *testing.T, s actions.Signer, c actions.Control, domain, live, subject string) natsbus.Record {
	t.Helper()
	body, err := c.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return natsbus.Record{Seq: 9, Subject: subject, Data: body, Header: nats.Header{
		actions.SignatureHeader: []string{s.Sign(domain, live, body)},
	}}
}

func TestWhatIsAnEscalation(t *testing.T) {
	ours, theirs := newSigner(t), newSigner(t)
	halted := "halted"
	const live, subject = "lw.ctl.default.support.r1", "lw.ctlp.1.default.support.r1"
	for _, c := range []struct {
		name    string
		change  func(*actions.Control)
		signer  actions.Signer
		domain  string
		live    string
		subject string
		want    bool
	}{
		{name: "one of ours", want: true},
		{name: "signed by a stranger", signer: theirs},
		{name: "signed as what is withheld", domain: actions.DomainRecord},
		{name: "signed for another run", live: "lw.ctl.default.support.r2"},
		{name: "under another run's subject", subject: "lw.ctlp.1.default.support.r2"},
		{name: "under another run's subject, signed for it", subject: "lw.ctlp.1.default.support.r2", live: "lw.ctl.default.support.r2"},
		{name: "a halt", change: func(c *actions.Control) { c.Kind, c.EndStatus = actions.HaltRun, &halted }},
		{name: "withheld", change: func(c *actions.Control) { c.Reason = actions.Shadow }},
		{name: "an id that is no key", change: func(c *actions.Control) { c.ID = "ctl.*.>" }},
		{name: "a subject that is too short", subject: "lw.ctlp.1.default.support"},
	} {
		t.Run(c.name, func(t *testing.T) {
			it := control("r1")
			if c.change != nil {
				c.change(&it)
			}
			signer, domain, l, sub := ours, actions.DomainControl, live, subject
			if c.signer.KeyID() != "" {
				signer = c.signer
			}
			if c.domain != "" {
				domain = c.domain
			}
			if c.live != "" {
				l = c.live
			}
			if c.subject != "" {
				sub = c.subject
			}
			r := record(t, signer, it, domain, l, sub)
			e, ok := read(&r, 1, actions.NewKeyRing(ours.Public()), None)
			if ok != c.want {
				t.Fatalf("taken: %v, want %v", ok, c.want)
			}
			if ok && (e.ID != "ctl_r1" || e.Seq != 7 || e.LogSeq != 9 || e.Partition != 1 || e.Summary != "") {
				t.Errorf("read as %+v", e)
			}
		})
	}
}

func TestTextLeavesOnlyWhereItIsAskedFor(t *testing.T) {
	s := newSigner(t)
	c := control("r1")
	c.Summary = "Run r1 was halted.\nRepeated: look «\x1b[31mprivate\u202e words»"
	r := record(t, s, c, actions.DomainControl, "lw.ctl.default.support.r1", "lw.ctlp.0.default.support.r1")
	for text, want := range map[Text]string{None: "", "": "", Excerpt: "Run r1 was halted.\nRepeated: look «private words»"} {
		e, ok := read(&r, 0, actions.NewKeyRing(s.Public()), text)
		if !ok || e.Summary != want {
			t.Errorf("%q: %v, %q, want %q", text, ok, e.Summary, want)
		}
	}
}

func FuzzLines(f *testing.F) {
	f.Add("one\ntwo\r\n\x1b]0;title\a three")
	f.Add(strings.Repeat("word ", 4000))
	f.Add(strings.Repeat("a\n", 4000))
	f.Fuzz(func(t *testing.T, s string) {
		got := lines(s)
		if n := utf8.RuneCountInString(got); n > maxSummary {
			t.Errorf("%d runes", n)
		}
		if again := lines(got); again != got {
			t.Errorf("%q becomes %q when it is sanitised again", got, again)
		}
		for _, r := range got {
			if r < ' ' && r != '\n' {
				t.Errorf("%q holds a control character", got)
			}
		}
	})
}
