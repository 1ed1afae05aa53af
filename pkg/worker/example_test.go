package worker_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/nats-io/nats.go"

	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/worker"
)

func Example() {
	ctx := context.Background()
	nc, err := nats.Connect("nats://127.0.0.1:4222", nats.MaxReconnects(-1), nats.RetryOnFailedConnect(true))
	if err != nil {
		log.Fatal(err)
	}
	run, err := worker.Start(ctx, worker.Config{
		Conn: nc, Agent: "support",
		Start: events.Start{Tools: []events.Tool{{Name: "track_parcel", Effect: events.EffectRead}}},
	})
	if err != nil {
		log.Fatal(err) // a *worker.HaltedError where the task is halted
	}
	for {
		for _, o := range run.Observations() {
			fmt.Println(o.Role, o.Content) // put it into the next model call
		}
		// … call the model, then run the tool it asks for:
		answer, err := run.Do(ctx, "track_parcel", map[string]any{"tracking_number": "JD0002261150"},
			func(context.Context) (any, error) { return "no scans recorded", nil })
		var halted *worker.HaltedError
		if errors.As(err, &halted) {
			fmt.Println("stopped:", halted)
			break
		}
		fmt.Println(string(answer))
	}
	_ = run.End(ctx, events.Done, "")
}
