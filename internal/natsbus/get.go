package natsbus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// askWait bounds one question to the server; the caller's context may be shorter.
const askWait = 5 * time.Second

// apiPrefix is where JetStream of the connection's own account listens.
const apiPrefix = jetstream.DefaultAPIPrefix

// stored is one message as the stream's leader hands it out.
type stored struct {
	Seq     uint64
	Time    time.Time
	Subject string
	Header  nats.Header
	Data    []byte
}

// get fetches one message by sequence, or ErrNotFound. It speaks the API itself
// because a message without data whose header says Status would pass for a
// status in a direct get, and the client chooses that by the stream's setting.
func (b *Bus) get(ctx context.Context, stream string, seq uint64) (stored, error) {
	if seq == 0 { // the server would take it for a malformed question
		return stored{}, fmt.Errorf("get message 0 of %s: %w", stream, ErrNotFound)
	}
	m, err := b.ask(ctx, stream, map[string]any{"seq": seq})
	if err != nil {
		return stored{}, fmt.Errorf("get message %d of %s: %w", seq, stream, err)
	}
	return m, nil
}

// getNext fetches the first message of a subject at or after a sequence, or ErrNotFound.
func (b *Bus) getNext(ctx context.Context, stream, subject string, seq uint64) (stored, error) {
	m, err := b.ask(ctx, stream, map[string]any{"seq": max(seq, 1), "next_by_subj": subject})
	if err != nil {
		return stored{}, fmt.Errorf("get message of %s after %d of %s: %w", subject, seq, stream, err)
	}
	return m, nil
}

func (b *Bus) ask(ctx context.Context, stream string, question map[string]any) (stored, error) {
	body, err := json.Marshal(question)
	if err != nil {
		return stored{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, askWait)
	defer cancel()
	answer, err := b.nc.RequestWithContext(ctx, apiPrefix+"STREAM.MSG.GET."+stream, body)
	if err != nil {
		return stored{}, err
	}
	var r struct {
		Error   *jetstream.APIError `json:"error"`
		Message *struct {
			Subject string    `json:"subject"`
			Seq     uint64    `json:"seq"`
			Header  []byte    `json:"hdrs"`
			Data    []byte    `json:"data"`
			Time    time.Time `json:"time"`
		} `json:"message"`
	}
	if err := json.Unmarshal(answer.Data, &r); err != nil {
		return stored{}, fmt.Errorf("read answer: %w", err)
	}
	switch {
	case r.Error != nil && r.Error.ErrorCode == jetstream.JSErrCodeMessageNotFound:
		return stored{}, ErrNotFound
	case r.Error != nil:
		return stored{}, r.Error
	case r.Message == nil:
		return stored{}, errors.New("answer without message")
	}
	m := stored{Seq: r.Message.Seq, Time: r.Message.Time, Subject: r.Message.Subject, Data: r.Message.Data}
	if len(r.Message.Header) > 0 {
		// An unreadable header is somebody's message all the same.
		m.Header, _ = nats.DecodeHeadersMsg(r.Message.Header)
	}
	return m, nil
}
