package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/loopwatch/loopwatch/internal/fleet"
)

// alone refuses a bus that another processor answers on. Its partitions are
// taken: a second owner with keys of its own does not believe the first one's
// records and would log every decision of the stream again. One that crashed or
// hangs does not answer, and is fenced by the epoch where it comes back. With a
// server of our own the lock on the data directory says the same.
func (a *App) alone(ctx context.Context) error {
	if a.opts.Embedded {
		return nil
	}
	bound, cancel := context.WithTimeout(ctx, alonePatience)
	defer cancel()
	c := fleet.Client{Conn: a.nc}
	all, err := c.Status(bound)
	switch {
	case len(all) > 0:
		return fmt.Errorf("processor %s owns the partitions of this bus already: stop it first", all[0].Instance)
	case errors.Is(err, fleet.ErrNobody), bound.Err() != nil && ctx.Err() == nil:
		return nil
	}
	return err
}

// alonePatience bounds how long a processor that runs may take to say so.
const alonePatience = 2 * time.Second
