package worker_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"
	"time"

	"github.com/loopwatch/loopwatch/pkg/events"
	"github.com/loopwatch/loopwatch/pkg/worker"
)

// firstLine is enough of a text for an example.
func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// An agent that asks the same again and again: the second call is answered
// with the first result and the agent is told, the third ends the run.
func Example() {
	nc, stop := connect("sundry")
	defer stop()
	ctx := context.Background()
	run, err := worker.Start(ctx, worker.Config{
		Conn: nc, Agent: "support", Wait: time.Minute,
		Start: events.Start{Tools: []events.Tool{{Name: "track_parcel", Effect: events.EffectRead}}},
	})
	if err != nil {
		log.Fatal(err) // a *worker.HaltedError where the task is halted
	}
	track := func(context.Context) (any, error) {
		fmt.Println("executed")
		return "no scans recorded", nil
	}
	for {
		// … call the model, then run the tool it asks for:
		out, err := run.Do(ctx, "track_parcel", `{"tracking_number":"JD0002261150"}`, track)
		var halted *worker.HaltedError
		if errors.As(err, &halted) {
			fmt.Println("ended as", *halted.Control.EndStatus)
			break
		}
		fmt.Printf("replayed %v: %s\n", out.Label != "", out.Content)
		for _, o := range run.Observations() { // into the next model call
			fmt.Println(o.Role+":", firstLine(o.Content))
		}
	}
	if err := run.End(ctx, events.Done, ""); err != nil { // waits until the halt is acknowledged
		log.Fatal(err)
	}
	// Output:
	// executed
	// replayed false: "no scans recorded"
	// replayed true: "no scans recorded"
	// system: track_parcel «{"tracking_number":"JD0002261150"}» has been called twice with the same arguments. It came back with «no scans recorded».
	// ended as stuck
}

// Asking and reporting by hand, for tools that do not fit into one function.
func ExampleRun_Call() {
	nc, stop := connect("default")
	defer stop()
	ctx := context.Background()
	run, err := worker.Start(ctx, worker.Config{Conn: nc, Wait: time.Minute})
	if err != nil {
		log.Fatal(err)
	}
	cost := 0.01
	if err := run.Turn(events.Turn{Text: "I refund the order.", CostUSD: &cost}); err != nil {
		log.Fatal(err)
	}
	call, err := run.Call(ctx, "refund", map[string]any{"order_id": 4471})
	if err != nil {
		log.Fatal(err)
	}
	if call.Replay != nil {
		fmt.Println(call.Replay.Text())
	} else {
		err = run.Result(call, map[string]any{"refunded": true}, nil, worker.Changed(true))
	}
	fmt.Println(call.ID, "of round", call.Round, err)
	fmt.Println(run.End(ctx, events.Done, "the order is refunded"))
	// Output:
	// c1 of round 1 <nil>
	// <nil>
}

// Giving up is a correct end.
func ExampleRun_Blocked() {
	nc, stop := connect("default")
	defer stop()
	ctx := context.Background()
	run, err := worker.Start(ctx, worker.Config{Conn: nc, Wait: time.Minute})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(run.Blocked(ctx, events.Blocker{
		Attempted: []string{"get_order", "refund"},
		Blocker:   "the order is archived",
		Needs:     "someone who may restore archived orders",
	}))
	_, err = run.Call(ctx, "refund", nil)
	fmt.Println(errors.Is(err, worker.ErrOver))
	// Output:
	// <nil>
	// true
}

// A retry of a task that was halted is told so before it does anything.
func ExampleStart_halted() {
	nc, stop := connect("sundry")
	defer stop()
	ctx := context.Background()
	attempt := func() error {
		run, err := worker.Start(ctx, worker.Config{Conn: nc, Task: "parcel-7", Wait: time.Minute})
		if err != nil {
			return err
		}
		for err == nil {
			_, err = run.Do(ctx, "track_parcel", `{}`, func(context.Context) (any, error) { return "no scans", nil })
		}
		return errors.Join(err, run.End(ctx, events.Failed, ""))
	}
	for n := range 2 {
		err := attempt()
		var halted *worker.HaltedError
		fmt.Println(n+1, errors.As(err, &halted), strings.HasPrefix(err.Error(), "start run"))
	}
	// Output:
	// 1 true false
	// 2 true true
}
