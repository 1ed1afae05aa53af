package main

import (
	"fmt"

	"github.com/loopwatch/loopwatch/pkg/worker"
)

type toolCmd struct {
	ReportBlocked reportBlockedCmd `cmd:"" name:"report-blocked" help:"The tool by which an agent gives up properly."`
}

type reportBlockedCmd struct {
	Format string `help:"Convention: openai, openai-responses, anthropic, mcp or json-schema." enum:"openai,openai-responses,anthropic,mcp,json-schema" default:"openai"`
}

// Run prints the tool's definition, ready to be given to a model.
func (c reportBlockedCmd) Run(io streams) error {
	def, err := worker.BlockedToolFor(worker.Convention(c.Format))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(io.out, string(def))
	return err
}
