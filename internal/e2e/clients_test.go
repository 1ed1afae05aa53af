package e2e

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// language is a client with its example: an agent that asks for the same
// parcel again until it is told.
type language struct {
	name    string
	program string
	env     []string
	args    []string
	trust   func(file string) (args, env []string) // how the example is told a certificate authority
}

func languages() []language {
	return []language{
		{"python", "python3", []string{"PYTHONPATH=clients/python"}, []string{"-X", "dev", "-W", "error", "examples/python/parcel.py"},
			func(file string) (args, env []string) { return []string{"--cafile", file}, nil }},
		{"typescript", "node", nil, []string{"examples/typescript/parcel.mjs"},
			func(file string) (args, env []string) { return nil, []string{"NODE_EXTRA_CA_CERTS=" + file} }},
	}
}

// root is the top of the repository.
const root = "../.."

// The examples do in Python and in TypeScript what the story tells, against
// the real binary.
func TestClients(t *testing.T) {
	bin := binary(t)
	for _, l := range languages() {
		t.Run(l.name, func(t *testing.T) {
			l.wanted(t)
			front := serve(t, bin)
			t.Run("recovers", func(t *testing.T) { recovers(t, front, l) })
			t.Run("is halted", func(t *testing.T) { isHalted(t, front, l) })
			t.Run("outlives the gateway", func(t *testing.T) { outlives(t, front, l) })
			t.Run("trusts only whom it is told to", func(t *testing.T) { trusts(t, bin, l) })
		})
	}
}

// The duplicate is not executed, the observation arrives, and the run recovers.
func recovers(t *testing.T, front *front, l language) {
	a := front.agent(t, l, "recovers")
	said := a.rest()
	want := []string{
		"track_parcel: no scans recorded",
		"track_parcel: [cached result of call c1, N s old; not executed again] no scans recorded",
		`told: track_parcel «{"parcel":"JD7"}» has been called twice with the same arguments. It came back with «no scans recorded».`,
		"ask_seller: the seller looks for it",
		"done",
		"executed: track_parcel=1 ask_seller=1",
	}
	age := regexp.MustCompile(`\d+ s old`)
	for i := range said {
		said[i] = age.ReplaceAllString(said[i], "N s old")
	}
	if !slices.Equal(said, want) {
		t.Errorf("the agent said\n%s\nwant\n%s", strings.Join(said, "\n"), strings.Join(want, "\n"))
	}
	stored := front.stored(t, "recovers", events.Done)
	results, replayed := 0, 0
	for _, e := range stored {
		if e.Kind == events.ToolResult {
			results++
			if e.Result.Replayed {
				replayed++
			}
		}
	}
	if results != 3 || replayed != 1 {
		t.Errorf("%d results, %d of them replayed; want 3 and 1", results, replayed)
	}
}

// One that does not listen is ended as stuck, and had executed the tool once.
func isHalted(t *testing.T, front *front, l language) {
	said := front.agent(t, l, "stubborn", "--stubborn").rest()
	if n := len(said); n < 2 || said[n-2] != "halted: stuck" || said[n-1] != "executed: track_parcel=1 ask_seller=0" {
		t.Errorf("the agent said\n%s", strings.Join(said, "\n"))
	}
	front.stored(t, "stubborn", events.Stuck)
}

// With the gateway killed in the middle the agent goes on; what it said
// arrives once the gateway is back, and then it is told as ever.
func outlives(t *testing.T, front *front, l language) {
	const before, meanwhile = 3, 40
	a := front.agent(t, l, "outlives", "--pace", fmt.Sprint(before+meanwhile+1))
	a.say(before)
	front.kill()
	a.say(meanwhile)
	front.start()
	front.until("everything has arrived", func() bool {
		return count(front.dump(t, "outlives"), events.TurnKind) == before+meanwhile
	})
	a.say(1)
	said := a.rest()
	if n := len(said); n < 2 || said[n-2] != "done" || said[n-1] != "executed: track_parcel=1 ask_seller=1" {
		t.Errorf("the agent said\n%s", strings.Join(said, "\n"))
	}
	stored := front.stored(t, "outlives", events.Done)
	if n := count(stored, events.TurnKind); n != before+meanwhile+1+3 {
		t.Errorf("%d turns are stored", n)
	}
}

// Behind TLS and a token all is as ever; a certificate that nobody vouches for
// is not talked to, and the agent is on its own.
func trusts(t *testing.T, bin string, l language) {
	const token = "a-token-of-the-support-agent"
	cert, key := certificate(t)
	tokens := filepath.Join(t.TempDir(), "tokens.yaml")
	if err := os.WriteFile(tokens, []byte("tokens: {s: {token: "+token+", role: worker, tenant: acme, agent: support}}"), 0o600); err != nil {
		t.Fatal(err)
	}
	front := serve(t, bin, "--tls-cert", cert, "--tls-key", key, "--tokens", tokens)
	args, env := l.trust(cert)
	l.env = append(l.env, "LOOPWATCH_TOKEN="+token)
	said := front.agent(t, l, "alone", "--wait", "1").rest()
	if n := len(said); n < 2 || said[n-2] != "out of patience" || said[n-1] != "executed: track_parcel=8 ask_seller=0" {
		t.Errorf("without trust the agent said\n%s", strings.Join(said, "\n"))
	}
	if n := len(front.dump(t, "alone")); n > 0 {
		t.Errorf("without trust %d events arrived", n)
	}
	l.env = append(l.env, env...)
	said = front.agent(t, l, "trusting", args...).rest()
	if n := len(said); n < 2 || said[n-2] != "done" || said[n-1] != "executed: track_parcel=1 ask_seller=1" {
		t.Errorf("the agent said\n%s", strings.Join(said, "\n"))
	}
	if e := front.stored(t, "trusting", events.Done)[0]; e.Tenant != "acme" {
		t.Errorf("the run is of tenant %s, want the token's", e.Tenant)
	}
}

// stored returns what is stored of a run that ended as told: in order, nothing
// missing and nothing twice.
func (f *front) stored(t *testing.T, run string, status events.Status) []events.Event {
	t.Helper()
	stored := f.dump(t, run)
	ids := map[string]bool{}
	for i, e := range stored {
		if e.Seq != uint64(i) || ids[e.ID] {
			t.Errorf("event %d of %s is %s, seq %d, there twice: %t", i, run, e.Kind, e.Seq, ids[e.ID])
		}
		ids[e.ID] = true
	}
	i := slices.IndexFunc(stored, func(e events.Event) bool { return e.Kind == events.RunEnd })
	if i < 0 || stored[i].End.Status != status || count(stored, events.RunEnd) != 1 {
		t.Errorf("%s did not end once as %s: %d events", run, status, len(stored))
	}
	return stored
}

func count(all []events.Event, kind events.Kind) (n int) {
	for _, e := range all {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

// binary returns the binary under test: LOOPWATCH_BIN, else one that is built.
func binary(t *testing.T) string {
	t.Helper()
	if bin := os.Getenv("LOOPWATCH_BIN"); bin != "" {
		return bin
	}
	bin := filepath.Join(t.TempDir(), "loopwatch")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", bin, root+"/cmd/loopwatch").CombinedOutput(); err != nil {
		t.Fatalf("build loopwatch: %v\n%s", err, out)
	}
	return bin
}

// wanted skips the test where the language is not there, but not in CI.
func (l language) wanted(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath(l.program); err == nil {
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s is not installed; CI must not skip", l.program)
	}
	t.Skipf("%s is not installed", l.program)
}

// agent is an example that runs.
type agent struct {
	t     *testing.T
	cmd   *exec.Cmd
	in    io.Writer
	lines chan string
}

// agent starts an example as a run.
func (f *front) agent(t *testing.T, l language, run string, more ...string) *agent {
	t.Helper()
	args := append(slices.Clone(l.args), f.url, "--run", run, "--wait", fmt.Sprint(int(patience.Seconds())))
	a := &agent{t: t, cmd: exec.CommandContext(t.Context(), l.program, append(args, more...)...), lines: make(chan string, 256)}
	a.cmd.Dir, a.cmd.Env, a.cmd.Stderr = root, append(os.Environ(), l.env...), os.Stderr
	in, err := a.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := a.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := a.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	a.in = in
	go func() {
		defer close(a.lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			a.lines <- s.Text()
		}
	}()
	return a
}

// say has the agent say n turns, one after the other.
func (a *agent) say(n int) {
	a.t.Helper()
	for range n {
		if _, err := fmt.Fprintln(a.in, "go on"); err != nil {
			a.t.Fatal(err)
		}
		if got := receive(a.t, "a turn", a.lines); got != "said" {
			a.t.Fatalf("the agent says %q", got)
		}
	}
}

// rest waits for the agent's end and returns what it said until then.
func (a *agent) rest() (said []string) {
	a.t.Helper()
	for over := time.After(patience); ; {
		select {
		case line, more := <-a.lines:
			if more {
				said = append(said, line)
				continue
			}
			if err := a.cmd.Wait(); err != nil {
				a.t.Fatalf("the agent ended with %v after\n%s", err, strings.Join(said, "\n"))
			}
			return said
		case <-over:
			a.t.Fatalf("the agent does not end; it said\n%s", strings.Join(said, "\n"))
		}
	}
}
