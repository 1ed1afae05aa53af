package pebblestore

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/cockroachdb/pebble/v2"
)

// ErrCorrupt is in every error that says what was read is not what was
// written. The directory is no longer to be used; the state is in the stream.
var ErrCorrupt = errors.New("the stored state is damaged: move the directory away and start again, the state is rebuilt from the stream")

// ErrInUse is in the error of Open where another process owns the directory.
var ErrInUse = errors.New("in use by another process: stop it or choose another --data")

// errClosed is what a closed Store answers.
var errClosed = errors.New("the store is closed")

// hint marks damage as ErrCorrupt and adds what a reader can do about a full
// disk. The error stays in the chain.
func hint(err error) error {
	switch {
	case err == nil, errors.Is(err, ErrCorrupt):
		return err
	case pebble.IsCorruptionError(err):
		return fmt.Errorf("%w: %w", ErrCorrupt, err)
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("%w: free some space or choose another --data", err)
	}
	return err
}

// caused is an error whose text and cause came apart on the way through
// Pebble's logger.
type caused struct {
	error
	cause error
}

func (c caused) Unwrap() error { return c.cause }

// fromPanic turns what Pebble panicked with into an error.
func fromPanic(verb string, p any) error {
	if err, ok := p.(error); ok {
		return fmt.Errorf("%s: %w", verb, err)
	}
	return fmt.Errorf("%s: %v", verb, p)
}
