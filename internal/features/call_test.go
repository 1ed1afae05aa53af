package features

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// quoteArgs returns arguments with one string.
func quoteArgs(name, value string) []byte {
	b, err := json.Marshal(map[string]string{name: value})
	if err != nil {
		panic(err)
	}
	return b
}

func bash(x *Extractor, command string) Call {
	return x.Call("bash", quoteArgs("command", command), "", Unknown, false)
}

func TestWaitingAndPolling(t *testing.T) {
	yes, no := true, false
	rules := Rules{Tools: map[string]ToolRule{"queue": {Polls: &yes}, "job_status": {Polls: &no}}}
	tests := []struct {
		name, tool, args     string
		declared             bool
		waits, sleeps, polls bool
	}{
		{"a wait tool", "wait_for_user", `{}`, false, true, false, true},
		{"a sleep tool in camel case", "sleepSeconds", `{"n":5}`, false, true, false, true},
		{"await is another word", "await", `{}`, false, false, false, false},
		{"a command that sleeps", "bash", `{"command":"sleep 30"}`, false, true, true, true},
		{"a command that begins with it", "bash", `{"command":"sleep 30 && cat log"}`, false, true, true, true},
		{"a command that sleeps later", "bash", `{"command":"make; sleep 2; cat log"}`, false, false, true, true},
		{"sleep as a search word", "bash", `{"command":"cat f | grep 'sleep 5'"}`, false, false, false, false},
		{"details hold no tail", "get_order_details", `{}`, false, false, false, false},
		{"a status", "get_job_status", `{}`, false, false, false, true},
		{"a status in a command", "bash", `{"command":"systemctl status x"}`, false, false, false, true},
		{"the end of an output", "bash", `{"command":"pytest | tail -5"}`, false, false, false, false},
		{"the end of a log", "bash", `{"command":"tail -5 log"}`, false, false, false, true},
		{"git status does not change by itself", "bash", `{"command":"git status"}`, false, false, false, false},
		{"declared", "look", `{}`, true, false, false, true},
		{"by rule", "queue", `{}`, false, false, false, true},
		{"not by rule", "job_status", `{}`, true, false, false, false},
	}
	x := New(rules)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := x.Call(tt.tool, []byte(tt.args), "", Unknown, tt.declared)
			if c.Waits != tt.waits || c.Sleeps != tt.sleeps || c.Polls != tt.polls {
				t.Errorf("waits %v, sleeps %v, polls %v; want %v, %v, %v", c.Waits, c.Sleeps, c.Polls, tt.waits, tt.sleeps, tt.polls)
			}
		})
	}
}

func TestRestores(t *testing.T) {
	x := New(Rules{})
	restoring := []struct{ command, target string }{
		{"git checkout src/a.py", "src/a.py"},
		{"cd /repo && git checkout -- ./src/a.py 2>/dev/null || true", "src/a.py"},
		{"git -C /repo restore src/a.py && make", "src/a.py"},
		{"git stash", "*"},
		{"git reset --hard HEAD", "*"},
		{"git apply -R p.diff", "p.diff"},
		{"cp -f a.py.bak a.py", "a.py"},
		{"mv /tmp/backup/a.py a.py; pytest", "a.py"},
		{"patch -p1 -R < p.diff", "*"},
	}
	for _, tt := range restoring {
		got, want := bash(x, tt.command).Restore, x.sum(domainRestore, []byte(tt.target))
		if tt.command == "patch -p1 -R < p.diff" {
			want = got
		}
		if got == 0 || got != want {
			t.Errorf("%q does not restore %q", tt.command, tt.target)
		}
	}
	for _, command := range []string{
		"git checkout -b fix", "git stash list", "git reset HEAD a.py", "git apply p.diff", "cp a.py a.py.bak",
		"git log -- checkout", "echo git checkout a.py", "patch -p1 < p.diff", "cat <<EOF\ngit checkout a\nEOF",
	} {
		if bash(x, command).Restore != 0 {
			t.Errorf("%q is taken for a restore", command)
		}
	}
}

func TestRestoringTools(t *testing.T) {
	x := New(Rules{})
	restore := func(tool, args string) Hash { return x.Call(tool, []byte(args), "", Unknown, false).Restore }
	a := restore("undo_edit", `{"path":"a"}`)
	if a == 0 || a != restore("revert_file", `{"path":"a","n":1}`) || a == restore("undo_edit", `{"path":"b"}`) {
		t.Error("the target of an undo is its path")
	}
	if a != restore("str_replace_editor", `{"command":"undo_edit","path":"a"}`) {
		t.Error("an editor's undo restores nothing")
	}
	if restore("undo_last", `{}`) == 0 || restore("get_restore_points", `{}`) != 0 || restore("edit", `{"path":"a"}`) != 0 {
		t.Error("the name of the tool does not tell a restore")
	}
}

func TestPayloads(t *testing.T) {
	x := New(Rules{})
	long := strings.Repeat("print('hello')\n", 5)
	heredoc := func(file, text string) Call {
		return bash(x, "cd /r && cat > "+file+" <<'EOF'\n"+text+"EOF\npython "+file)
	}
	a := heredoc("a.py", long)
	if len(a.Payload) != 1 {
		t.Fatalf("%d payloads, want 1", len(a.Payload))
	}
	same := bash(x, "cat <<EOF >> a.py\n"+long+"EOF")
	if diff := cmp.Diff(a.Payload, same.Payload); diff != "" {
		t.Errorf("the same text into the same file: %s", diff)
	}
	if tee := bash(x, "cat <<EOF | tee a.py\n"+long+"EOF"); !cmp.Equal(a.Payload, tee.Payload) {
		t.Error("tee writes no payload")
	}
	if b := heredoc("b.py", long); cmp.Equal(a.Payload, b.Payload) {
		t.Error("the target does not count")
	}
	if b := heredoc("a.py", long+" "); cmp.Equal(a.Payload, b.Payload) {
		t.Error("white space of the text does not count")
	}
	if b := heredoc("a.py", "short\n"); b.Payload != nil {
		t.Error("a short text is a payload")
	}
	if b := bash(x, "python - <<EOF\n"+long+"EOF"); b.Payload != nil {
		t.Error("a program is a payload")
	}
	tool := x.Call("write_file", quoteArgs("content", long), "", Unknown, false)
	if len(tool.Payload) != 1 {
		t.Errorf("a write tool has %d payloads, want 1", len(tool.Payload))
	}
	if read := x.Call("read_file", quoteArgs("content", long), "", Unknown, false); read.Payload != nil {
		t.Error("a read tool has a payload")
	}
	many := bash(x, strings.Repeat("cat > a <<EOF\n"+long+"EOF\n", 6))
	if len(many.Payload) != maxPayloads {
		t.Errorf("%d payloads, want %d", len(many.Payload), maxPayloads)
	}
}

func TestSharedArguments(t *testing.T) {
	x := New(Rules{})
	args := func(s string) []Hash { return x.Call("find", []byte(s), "", Unknown, false).Args }
	a := args(`{"from":"NYC","to":"SFO","stops":0,"direct":true,"note":"","bags":2,"x":null,"y":1}`)
	if len(a) != 3 {
		t.Fatalf("%d arguments tell something, want from, to and bags", len(a))
	}
	if b := args(`{"to":"NYC"}`); len(b) != 1 || b[0] == a[1] || b[0] == a[2] || b[0] == a[0] {
		t.Error("the name of an argument does not count")
	}
	if b := args(`{"bags":2.0}`); len(b) != 1 || b[0] != a[0] {
		t.Error("the form of a number counts")
	}
	if b := args(`{"q":"x","reason":"y"}`); len(b) != 1 {
		t.Error("narration is shared")
	}
	nested := args(`{"filter":{"from":"NYC","any":[{"to":"SFO"},{"bags":2}],"reason":"z","no":true},"list":["NYC", 7 ,"", []]}`)
	if len(nested) != 5 || nested[0] != args(`{"from":"NYC"}`)[0] || nested[1] != a[2] || nested[2] != a[0] || nested[3] != args(`{"list":"NYC"}`)[0] {
		t.Errorf("%d nested arguments of %x, want those of %x and list", len(nested), nested, a)
	}
	if deep := args(`{"a":[[[["NYC"]]]],"b":[[[["NYC"]]]],"c":[[["NYC"]]]}`); len(deep) != 3 {
		t.Errorf("%d arguments at the depth that is looked into, want 3", len(deep))
	}
	if deep := args(`{"a":[[[[["NYC"]]]]]}`); len(deep) != 0 {
		t.Errorf("%d arguments below that depth", len(deep))
	}
	many := args(`{"a":11,"b":12,"c":13,"d":14,"e":15,"f":16,"g":17,"h":18,"i":19}`)
	if len(many) != maxArgs {
		t.Errorf("%d arguments, want %d", len(many), maxArgs)
	}
}

func TestCallIsIndependentOfWhatCameBefore(t *testing.T) {
	used := New(Rules{})
	calls := []struct{ tool, args string }{
		{"bash", `{"command":"cat > f <<EOF\n` + strings.Repeat("x", 60) + `\nEOF"}`},
		{"undo_edit", `{"path":"f"}`}, {"bash", `{"command":"git checkout f"}`}, {"bash", `"ls"`}, {"s", `[1]`}, {"s", `{`}, {"s", ``},
		{"str_replace_editor", `{"command":"view","path":"f"}`},
	}
	var kept []Call
	for range 2 {
		for _, c := range calls {
			kept = append(kept, used.Call(c.tool, []byte(c.args), "", Unknown, false))
		}
	}
	for i, c := range kept {
		in := calls[i%len(calls)]
		if diff := cmp.Diff(New(Rules{}).Call(in.tool, []byte(in.args), "", Unknown, false), c); diff != "" {
			t.Errorf("%s(%s): %s", in.tool, in.args, diff)
		}
	}
}

func FuzzCall(f *testing.F) {
	for _, s := range []string{"cat <<-'A' >f | tee x\n\ta\n\tA\n", "a $(b '", "x <(y) >& z 2>&1", "[[ a > b", "`", "<<", "git stash", "for", "\\"} {
		f.Add("bash", quoteArgs("command", s), s)
	}
	f.Add("a.b__cD", []byte(`{"command":["bash","-c","x"`), "")
	f.Fuzz(func(t *testing.T, tool string, args []byte, raw string) {
		x := New(Rules{})
		a := x.Call(tool, args, raw, Unknown, false)
		if a.Key == 0 || a.Exact == 0 || a.Tool == 0 {
			t.Fatalf("an identity is missing: %+v", a)
		}
		if len(a.Args) > maxArgs || len(a.Echoes) > maxArgs || len(a.Payload) > maxPayloads {
			t.Fatalf("a bound is broken: %+v", a)
		}
		if diff := cmp.Diff(a, x.Call(tool, args, raw, Unknown, false)); diff != "" {
			t.Fatal(diff)
		}
		x.script.parse([]byte(raw))
		for _, c := range x.script.commands {
			if c.first > c.last || c.last > len(x.script.words) {
				t.Fatalf("a command has words %d to %d of %d", c.first, c.last, len(x.script.words))
			}
		}
	})
}
