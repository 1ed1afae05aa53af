package natsbus

import (
	"slices"
	"testing"
	"time"
)

func TestCheckIsPatient(t *testing.T) {
	f := newFixture(t, 1)
	f.publish(t, 0, 1, 10)
	state, err := f.EventState(testContext(t), 0)
	if err != nil {
		t.Fatal(err)
	}
	other := state.Created.Add(time.Second)
	idle := func(pr *partitionReader) {}
	moves := func(pr *partitionReader) { pr.next.Add(1) }
	for name, test := range map[string]struct {
		next    uint64
		created *time.Time
		between func(*partitionReader) // after each check
		want    []int                  // checks that end the session, of the first 12
	}{
		"all was read":            {11, &state.Created, idle, nil},
		"the stream is ahead":     {1, &state.Created, idle, []int{2, 5, 10}},
		"the stream went back":    {20, &state.Created, idle, []int{2, 5, 10}},
		"the stream is another":   {11, &other, idle, []int{2, 5, 10}},
		"ahead, but it moves":     {1, &state.Created, moves, nil},
		"it moves in between":     {8, &state.Created, func(pr *partitionReader) { pr.next.CompareAndSwap(8, 9) }, []int{3, 6, 11}},
		"no session yet":          {1, nil, idle, nil},
		"it waits for room":       {1, &state.Created, func(pr *partitionReader) { pr.held.Store(true) }, nil},
		"it waits, then not more": {1, &state.Created, func(pr *partitionReader) { pr.held.Store(!pr.held.Load()) }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			pr := &partitionReader{r: f.reader(t, ReaderConfig{Watch: time.Hour}), restart: make(chan struct{}, 1)}
			pr.next.Store(test.next)
			pr.created.Store(test.created)
			var got []int
			for i := range 12 {
				pr.check(testContext(t))
				select {
				case <-pr.restart:
					got = append(got, i+1)
				default:
				}
				test.between(pr)
			}
			if !slices.Equal(got, test.want) {
				t.Fatalf("checks %v ended the session, want %v", got, test.want)
			}
		})
	}
}
