// Command agent is a whole agent under loopwatch. Its model is a script: it
// asks for the same parcel again until it is told that this does not help.
//
//	go run ./examples/agent nats://127.0.0.1:4222
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/nats-io/nats.go"

	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/worker"
)

func main() {
	if err := run(context.Background(), append(os.Args, nats.DefaultURL)[1], os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, url string, out io.Writer) error {
	nc, err := nats.Connect(url, nats.MaxReconnects(-1), nats.RetryOnFailedConnect(true))
	if err != nil {
		return err
	}
	defer nc.Close()
	tools := []events.Tool{{Name: "track_parcel", Effect: events.EffectRead}, {Name: "ask_seller", Effect: events.EffectWrite}}
	run, err := worker.Start(ctx, worker.Config{Conn: nc, Agent: "support", Start: events.Start{Tools: tools}})
	for transcript := "user: where is my parcel JD7?"; err == nil; {
		for _, o := range run.Observations() {
			transcript += "\n" + o.Role + ": " + o.Content
		}
		tool := model(transcript)
		if tool == "" {
			return run.End(ctx, events.Done, "the seller looks for the parcel")
		}
		err = run.Turn(events.Turn{Text: "Let me try " + tool + "."})
		if err == nil {
			var result worker.Output
			result, err = run.Do(ctx, tool, `{"parcel":"JD7"}`, func(context.Context) (any, error) { return answers[tool], nil })
			transcript += "\ntool: " + result.Text()
			fmt.Fprintln(out, tool+":", result.Text())
		}
	}
	if run == nil {
		return err // halted before it began, or no way to begin
	}
	return errors.Join(err, run.End(ctx, events.Failed, err.Error()))
}
