package features

import "bytes"

// programArgs are the arguments that hold a program, in the order they are
// looked for; code only counts for tools whose name says that they execute.
var programArgs = [...]string{"command", "cmd", "script", "commands", "code"}

// editorVerbs are commands of file editing tools, which share the argument's name with shells.
var editorVerbs = setOf("view create str_replace insert undo_edit edit write read delete rename append replace open list search str_replace_editor")

// findCommand reads the program text of the call into x.command. It returns the
// name of the argument that holds it, and nil where there is none.
func (x *Extractor) findCommand(tool string) []byte {
	x.command, x.verb = x.command[:0], x.verb[:0]
	if len(x.members) == 0 || len(x.members) > 4 {
		return nil
	}
	if len(x.members) == 1 && x.members[0].name == nil {
		x.members[0].name = []byte{}
		if x.readCommand(x.members[0].raw) {
			return x.members[0].name
		}
		return nil
	}
	for _, name := range programArgs {
		for _, m := range x.members {
			if string(m.name) != name || name == "code" && !nameHas(tool, shellWords) || !x.readCommand(m.raw) {
				continue
			}
			if len(x.members) > 1 && editorVerbs[string(x.command)] {
				x.verb = append(x.verb, x.command...)
				x.command = x.command[:0]
				return nil
			}
			return m.name
		}
	}
	return nil
}

// readCommand reads a program given as a string, or as an array of strings:
// then it is what follows a shell's -c, or all of them.
func (x *Extractor) readCommand(raw []byte) bool {
	x.command = x.command[:0]
	if raw[0] == '"' {
		var ok bool
		x.command, _, ok = unquote(x.command, raw, 0)
		return ok
	}
	if raw[0] != '[' {
		return false
	}
	for pos := skipBlank(raw, 1); pos < len(raw) && raw[pos] != ']'; pos = skipBlank(raw, pos) {
		if raw[pos] == ',' {
			pos++
			continue
		}
		if flag := bytes.LastIndexByte(x.command, ' '); flag > 0 && (string(x.command[flag:]) == " -c" || string(x.command[flag:]) == " -lc") {
			x.command = x.command[:0]
		} else if len(x.command) > 0 {
			x.command = append(x.command, ' ')
		}
		var ok bool
		if x.command, pos, ok = unquote(x.command, raw, pos); !ok {
			return false
		}
	}
	return len(x.command) > 0
}

// judge sets what the call does. Declarations win over the rule, the rule over hints.
func (x *Extractor) judge(c *Call, tool string, rule ToolRule, declared Effect, program, think bool) {
	c.Shell = program
	hint := nameEffect(tool)
	c.Waits = nameWaits(tool)
	c.Again = c.Polls || nameHas(tool, againWords) || x.againByAction()
	polls := nameHas(tool, pollWords)
	if program {
		x.script.parse(x.command)
		if hint == Unknown {
			hint = x.script.effect()
		}
		sleeps, first := x.script.sleeps()
		c.Sleeps, c.Waits = sleeps, c.Waits || first
		polls = polls || x.script.polls()
		if t := x.script.restored(); t != nil {
			c.Restore = x.sum(domainRestore, t)
		}
	} else if len(x.verb) > 0 {
		hint = nameEffect(string(x.verb))
	}
	switch {
	case declared != Unknown:
		c.Effect = declared
	case rule.Effect != Unknown:
		c.Effect = rule.Effect
	case think:
		c.Effect = Think
	default:
		c.Effect = hint
	}
	switch {
	case rule.Polls != nil:
		c.Polls, c.Again = *rule.Polls, *rule.Polls
	default:
		c.Polls = c.Polls || polls
	}
	if !program && c.Effect != Read && (nameHas(tool, restoreWords) || nameHas(string(x.verb), restoreWords)) {
		c.Restore = x.sum(domainRestore, x.pathOf(tool))
	}
	if c.Effect == Write {
		c.Payload = x.payloads(program)
		if !program {
			c.Touched = x.touched()
		}
	}
}

// againByAction reports whether the call's argument action asks to poll.
func (x *Extractor) againByAction() bool {
	for _, m := range x.members {
		if string(m.name) == "action" && len(m.raw) > 2 && m.raw[0] == '"' {
			return againWords[string(m.raw[1:len(m.raw)-1])]
		}
	}
	return false
}
