package natsbus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/loopwatch/loopwatch/pkg/events"
)

// CheckMapping asks the server whether it maps lw.ev to the right partition,
// for every partition. The question is a publish that no stream can accept
// (its expected last sequence is never reached), so nothing is stored.
func (b *Bus) CheckMapping(ctx context.Context) error {
	tasks := probeTasks(b.partitions)
	for p := range b.partitions {
		if err := b.checkMapping(ctx, p, tasks[p]); err != nil {
			return fmt.Errorf("check mapping of %s to partition %d: %w", events.PublishFilter, p, err)
		}
	}
	return nil
}

func (b *Bus) checkMapping(ctx context.Context, p int, task string) error {
	m := nats.NewMsg(events.EventSubject("default", "agent", task, "probe"))
	m.Header.Set(jetstream.ExpectedStreamHeader, events.EventStream(p))
	m.Header.Set(jetstream.ExpectedLastSeqHeader, strconv.FormatUint(1<<62, 10))
	answer, err := b.nc.RequestMsgWithContext(ctx, m)
	if errors.Is(err, nats.ErrNoResponders) {
		return errors.New("nothing listens: the server lacks the mapping, or counts more partitions")
	}
	if err != nil {
		return fmt.Errorf("ask: %w", err)
	}
	var ack struct {
		Error *jetstream.APIError `json:"error"`
	}
	if err := json.Unmarshal(answer.Data, &ack); err != nil {
		return fmt.Errorf("read answer: %w", err)
	}
	switch {
	case ack.Error == nil:
		return errors.New("the server stored what it had to refuse")
	case isWrongLast(ack.Error):
		return nil
	case ack.Error.ErrorCode == errCodeStreamNotMatch:
		return errors.New("the server maps it to another partition; its partition count or token order differs")
	}
	return ack.Error
}

// errCodeStreamNotMatch answers a publish whose expected stream is not the one it reached.
const errCodeStreamNotMatch = 10060

// probeTasks gives each partition a task of tenant default that belongs to it.
func probeTasks(partitions int) map[int]string {
	tasks := make(map[int]string, partitions)
	for i := 0; len(tasks) < partitions; i++ {
		task := "probe" + strconv.Itoa(i)
		tasks[events.Partition("default", task, partitions)] = task
	}
	return tasks
}
