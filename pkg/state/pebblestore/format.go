package pebblestore

import (
	"fmt"
	"strconv"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/atomicfs"
)

// Format is the version of everything below the data directory: this
// package's layout and the encoding of package state. It is raised where an
// older program would misread what a newer one wrote.
const Format = 1

// formatMarker names the file whose own name carries the format. It is a file
// and not a key so that a directory of a newer format is refused before
// anything in it is opened, or converted by a newer Pebble.
const formatMarker = "loopwatch-format"

// claimFormat refuses a directory of a newer format or of another program and
// marks any other with current. A new directory is marked before its database
// is created, so a database without the mark is not ours.
func claimFormat(fs vfs.FS, path string, current int) (err error) {
	marker, value, err := atomicfs.LocateMarker(fs, path, formatMarker)
	if err != nil {
		return fmt.Errorf("find the format marker: %w", err)
	}
	defer func() {
		if closing := marker.Close(); err == nil {
			err = closing
		}
	}()
	if err := judgeFormat(fs, path, value, current); err != nil {
		return err
	}
	if err := marker.RemoveObsolete(); err != nil {
		return fmt.Errorf("remove older format markers: %w", err)
	}
	if value == strconv.Itoa(current) {
		return nil
	}
	return moveMarker(marker, strconv.Itoa(current))
}

// judgeFormat says why a directory marked with value must not be opened. An
// empty value is no mark.
func judgeFormat(fs vfs.FS, path, value string, current int) error {
	if value == "" {
		desc, err := pebble.Peek(path, fs)
		if err != nil {
			return fmt.Errorf("look for a database: %w", err)
		}
		if desc.Exists {
			return fmt.Errorf("it holds a database that loopwatch did not write: choose another --data")
		}
		return nil
	}
	found, err := strconv.Atoi(value)
	if err != nil || found < 1 {
		return fmt.Errorf("read the format marker: %q is no format: choose another --data", value)
	}
	if found > current {
		return fmt.Errorf("it has format %d of a newer loopwatch, this one reads up to %d: run the newer one, or choose another --data", found, current)
	}
	return nil
}

// moveMarker sets and syncs a marker. Pebble's own call panics where the
// directory cannot be synced.
func moveMarker(marker *atomicfs.Marker, value string) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fromPanic("sync the directory of a marker", p)
		}
	}()
	if err := marker.Move(value); err != nil {
		return fmt.Errorf("set a marker to %s: %w", value, err)
	}
	return nil
}
