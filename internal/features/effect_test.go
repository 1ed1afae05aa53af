package features

import "testing"

func TestEffectOfNames(t *testing.T) {
	tests := map[string]Effect{
		"get_order_details": Read, "getOrderDetails": Read, "GetOrder": Read, "user.can_send_mms": Read,
		"check_apn_settings": Read, "is_open": Read, "SearchCode": Read, "scroll_down": Unknown,
		"reset_apn_settings": Write, "user.toggle_roaming": Write, "updates": Write, "EditCode": Write,
		"cancel_reservation": Write, "mcp__shop__delete_item": Write, "files/write": Write,
		"mcp__edit_server__list_items": Read, "edit.list_items": Read, "run_speed_test": Read, "bash": Unknown, "": Unknown, "___": Unknown,
		"think": Think, "make_plan": Think, "agent.note": Think, "planner": Unknown, "rethink": Unknown,
		"send2fa": Unknown, "GETuser": Unknown,
	}
	x := New(Rules{})
	for name, want := range tests {
		if got := x.Call(name, nil, "", Unknown, false).Effect; got != want {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
}

func TestDeclaredEffectWins(t *testing.T) {
	rules := Rules{Tools: map[string]ToolRule{"get_x": {Effect: Write}}}
	x := New(rules)
	for declared, want := range map[Effect]Effect{Unknown: Write, Read: Read, Write: Write} {
		if got := x.Call("get_x", nil, "", declared, false).Effect; got != want {
			t.Errorf("declared %v: %v, want %v", declared, got, want)
		}
	}
	if got := New(Rules{}).Call("bash", []byte(`{"command":"rm x"}`), "", Read, false).Effect; got != Read {
		t.Errorf("declared read, but the command decides: %v", got)
	}
}

func TestEffectOfCommands(t *testing.T) {
	tests := []struct {
		name, command string
		want          Effect
	}{
		{"readers", "cat a | grep -n b | head -5; ls && wc -l < x", Read},
		{"a path to a reader", "/usr/bin/grep x y", Read},
		{"only a comment", "# nothing to do > here", Read},
		{"a comment first", "# look at don't\nsed -n '1,5p' f", Read},
		{"a test suite", "python -m pytest tests -x", Run},
		{"reading, then running", "cd /repo && cat a && make test", Run},
		{"redirected output", "echo hi > f", Write},
		{"appended output", "python x.py >> log 2>&1", Write},
		{"a redirection without blanks", "echo hi>f", Write},
		{"both outputs", "make &> log", Write},
		{"errors thrown away", "grep -r x . 2>/dev/null", Read},
		{"output into the errors", "echo a >&2; ls 2>&1", Read},
		{"everything thrown away", "ls >/dev/null 2>&1", Read},
		{"an arrow inside quotes", `grep "a -> b" f; echo 'x > y'`, Read},
		{"a comparison", "[[ a > b ]] && cat f", Read},
		{"a heredoc into a file", "cat > f <<'EOF'\nrm -rf x\nEOF", Write},
		{"a heredoc, then the file", "cat <<'EOF' > f\ntext\nEOF", Write},
		{"a heredoc into a program", "python - <<'EOF'\nopen('f','w')\nEOF", Run},
		{"a heredoc that only shows", "cat <<EOF\na > b\nrm x\nEOF", Read},
		{"after a heredoc", "cat <<EOF\nx\nEOF\nrm f", Write},
		{"a here-string", "grep x <<< 'a > b'", Read},
		{"edit in place", "sed -i 's/a/b/' f", Write},
		{"edit in place, options in one", "sed -Ei.bak 's/a/b/' f", Write},
		{"print with sed", "sed -n -e 's/i/x/p' f", Read},
		{"perl in place", "perl -pi -e 's/a/b/' f", Write},
		{"perl", "perl -e 'print 1'", Run},
		{"sorting into a file", "sort -uo f f", Write},
		{"sorting", "sort -u f", Read},
		{"removing", "rm -f f", Write},
		{"removing as root", "sudo -n rm f", Write},
		{"a time limit", "timeout 60 cat f", Read},
		{"a time limit on a program", "timeout -s KILL 60 python x.py", Run},
		{"an environment", "A=1 B=2 env C=3 cat f", Read},
		{"only an assignment", "X=$(cat f)", Read},
		{"a loop over files", "for f in *.py; do grep x $f; done", Read},
		{"a loop that writes", "for f in *.py; do sed -i s/a/b/ $f; done", Write},
		{"a condition", "if [ -f x ]; then cat x; else echo no; fi", Read},
		{"a subshell", "(cd a && rm b)", Write},
		{"a substitution stays in its word", "echo $(date) done", Read},
		{"git looks", "git -C dir --no-pager log -p | cat; git diff; git status", Read},
		{"git stash list", "git stash list", Read},
		{"git apply checks", "git apply --check p.diff", Read},
		{"git changes", "git add -A && git commit -m 'x'", Write},
		{"git restores", "git checkout -- f", Write},
		{"git alone", "git", Read},
		{"packages listed", "pip list | grep x; npm view y", Read},
		{"packages installed", "pip install -e .", Write},
		{"the project's scripts", "npm test", Run},
		{"tee into a file", "ls | tee out", Write},
		{"tee nowhere", "ls | tee /dev/null", Read},
		{"find prints", "find . -name '*.py' -type f", Read},
		{"find deletes", "find . -name x -delete", Write},
		{"find hands over to a reader", `find . -exec grep -l x {} \;`, Read},
		{"find hands over to a writer", "find . -exec rm {} +", Write},
		{"xargs reads", "ls | xargs -n 1 grep x", Read},
		{"xargs writes", "ls | xargs rm", Write},
		{"unbalanced quotes", "grep 'a > b", Read},
		{"sleeping", "sleep 5", Read},
		{"nothing", "", Read},
	}
	x := New(Rules{})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := x.Call("bash", quoteArgs("command", tt.command), "", Unknown, false)
			if c.Effect != tt.want || !c.Shell {
				t.Errorf("%q: %v, shell %v; want %v", tt.command, c.Effect, c.Shell, tt.want)
			}
		})
	}
}

func TestWhatIsAProgram(t *testing.T) {
	tests := []struct {
		name, tool, args string
		shell            bool
		effect           Effect
	}{
		{"a command with options", "terminal", `{"cmd":"ls","timeout":5,"cwd":"/"}`, true, Read},
		{"an argument list", "shell", `{"command":["rm","f"]}`, true, Write},
		{"a shell's own command", "shell", `{"command":["bash","-lc","cat f"]}`, true, Read},
		{"bare text", "bash", `"rm f"`, true, Write},
		{"code for an interpreter", "python", `{"code":"print(1)"}`, true, Run},
		{"a code that is none", "apply_discount", `{"code":"SAVE10"}`, false, Write},
		{"an editor that looks", "str_replace_editor", `{"command":"view","path":"f"}`, false, Read},
		{"an editor that writes", "str_replace_editor", `{"command":"create","path":"f","file_text":"x"}`, false, Write},
		{"a tool named for its effect", "edit", `{"command":"edit 1:5\nfoo"}`, true, Write},
		{"too many arguments", "bash", `{"command":"rm f","a":1,"b":2,"c":3,"d":4}`, false, Unknown},
		{"a command that is a number", "bash", `{"command":5}`, false, Unknown},
		{"an opaque command", "bash", `{"command":{"$h":"ab"}}`, false, Unknown},
		{"no arguments", "bash", `{}`, false, Unknown},
	}
	x := New(Rules{})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := x.Call(tt.tool, []byte(tt.args), "", Unknown, false)
			if c.Shell != tt.shell || c.Effect != tt.effect {
				t.Errorf("shell %v, %v; want %v, %v", c.Shell, c.Effect, tt.shell, tt.effect)
			}
		})
	}
}

func TestEffectNames(t *testing.T) {
	for e, want := range map[Effect]string{Unknown: "unknown", Read: "read", Write: "write", Run: "run", Think: "think", 99: "unknown"} {
		if e.String() != want {
			t.Errorf("effect %d is called %s, want %s", e, e, want)
		}
	}
}
