package features

// Call is what a tool call says.
type Call struct {
	Tool    Hash   // of the tool's name
	Key     Hash   // tool and folded arguments: the same call again has the same Key
	Exact   Hash   // tool and arguments without any folding
	Effect  Effect // declared by the run, else the tool's rule, else a hint from name and command
	Shell   bool   // an argument is a program text, such as a shell command
	Waits   bool   // its use is to wait: a sleep or wait tool, or a command that begins with a sleep
	Sleeps  bool   // there is a sleep somewhere in the command
	Polls   bool   // calling it again and again is its use
	Again   bool   // it polls by declaration, by its own name or by its action: what it answers may well stay the same for a while
	NoArgs  bool   // no arguments at all
	Restore Hash   // of the target that the call puts back to an earlier state; 0 where it does not
	Payload []Hash // each a literal text of at least 40 characters written, with its target; at most 4
	Touched []Hash // lines of the texts that a file editing tool writes or replaces, each with its target; distinct, at most 64
	Args    []Hash // each a scalar argument, nested ones included, name and value, without null, "", booleans, 0 and 1; at most 8
	Echoes  []Hash // argument values an error text may echo; for Answer.Echoes. At most 8
}

// Call returns the features of one call. args is the raw JSON of the arguments
// or nil; rawArgs their text where they are no JSON. declared and polls are what
// the run said about the tool; Unknown and false where it said nothing.
func (x *Extractor) Call(tool string, args []byte, rawArgs string, declared Effect, polls bool) Call {
	rule := x.rules.Tools[tool]
	x.arg = append(x.arg[:0], tool...)
	c := Call{Tool: x.sum(domainTool, x.arg), Polls: polls, Args: x.argHashes[:0]}
	object := x.readArgs(args)
	switch {
	case object && len(x.members) > 0:
	case !object && len(args) > 0 && string(args) != "null":
		// An array or a bare value: one argument without a name.
		x.members = append(x.members[:0], member{raw: args})
	case rawArgs != "":
		x.members = x.members[:0]
		x.command = append(x.command[:0], rawArgs...)
		b := append(append(appendLen(x.out[:0], len(tool)), tool...), tagRaw)
		c.Exact = x.sum(domainExact, append(b, rawArgs...))
		x.out = append(b, x.rules.Fold.text(x.command, false, false)...)
		c.Key = x.sum(domainCall, x.out)
	default:
		x.members = x.members[:0]
		c.NoArgs = true
	}
	think := thinks(tool)
	if !think {
		x.dropArgs(rule)
	}
	program := x.findCommand(tool)
	if c.Key == 0 {
		x.keys(&c, tool, program)
	}
	c.Echoes = x.echoes()
	x.judge(&c, tool, rule, declared, program != nil, think)
	x.argHashes = c.Args[:0]
	c.own()
	return c
}

// own gives the lists of the call memory of their own, one piece for all.
func (c *Call) own() {
	lists := [...]*[]Hash{&c.Args, &c.Echoes, &c.Payload, &c.Touched}
	n := 0
	for _, l := range lists {
		n += len(*l)
	}
	all := make([]Hash, 0, n)
	for _, l := range lists {
		from := len(all)
		all = append(all, *l...)
		if *l = nil; len(all) > from {
			*l = all[from:len(all):len(all)]
		}
	}
}
