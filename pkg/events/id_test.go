package events_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/loopwatch/loopwatch/pkg/events"
)

func TestNewID(t *testing.T) {
	now := time.UnixMilli(1767603602123)
	tests := []struct {
		name   string
		random []byte
		want   string
	}{
		{"no bit set", make([]byte, 16), "06DRTRM2SC00000000000000000000000000"},
		{"every bit set", bytes.Repeat([]byte{255}, 16), "06DRTRM2SFZZZZZZZZZZZZZZZZZZZZZZZZZG"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			id, err := events.NewID(now, bytes.NewReader(tt.random))
			if err != nil || id != tt.want {
				t.Errorf("got %s (%v), want %s", id, err, tt.want)
			}
		})
	}
}

func TestNewIDSortsByTime(t *testing.T) {
	source := rand.NewChaCha8([32]byte{1})
	last := ""
	for i := range 10_000 {
		id, err := events.NewID(time.UnixMilli(1767603602123+int64(i)*977), source)
		if err != nil {
			t.Fatal(err)
		}
		if id <= last {
			t.Fatalf("%s is not after %s", id, last)
		}
		last = id
	}
	if !events.ValidName(last) {
		t.Errorf("%s cannot be a token", last)
	}
}

func TestNewIDNeedsAllItsBits(t *testing.T) {
	id, err := events.NewID(time.UnixMilli(0), strings.NewReader("only15byteshere"))
	if !errors.Is(err, io.ErrUnexpectedEOF) || id != "" {
		t.Errorf("got %q, %v", id, err)
	}
}
