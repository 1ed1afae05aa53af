package natsbus

import (
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Fault is one setting of a stream or bucket that breaks a promise.
type Fault struct {
	Stream  string // name of the stream or bucket
	Setting string // as the server's API calls it
	Is      string
	Must    string
}

func (f Fault) String() string {
	return fmt.Sprintf("%s: %s is %s, must be %s", f.Stream, f.Setting, f.Is, f.Must)
}

// Faults are all the faults of a bus; as an error, one line each.
type Faults []Fault

func (f Faults) Error() string {
	lines := []string{"the bus breaks its promises; correct the settings, or remove the streams if nothing in them is needed:"}
	for _, fault := range f {
		lines = append(lines, "  "+fault.String())
	}
	return strings.Join(lines, "\n")
}

// streamFaults compares a stream with what it must be. Whatever makes it keep
// more, or longer, than wanted is no fault.
func streamFaults(is, want jetstream.StreamConfig) Faults {
	f := findings{stream: want.Name}
	f.same("subjects", fmt.Sprint(is.Subjects), fmt.Sprint(want.Subjects))
	f.same("storage", is.Storage, want.Storage)
	f.same("retention", is.Retention, want.Retention)
	f.same("discard", is.Discard, want.Discard)
	f.same("republish", republishing(is.RePublish), republishing(want.RePublish))
	f.same("deny_delete", is.DenyDelete, true)
	f.same("deny_purge", is.DenyPurge, true)
	f.same("allow_rollup_hdrs", is.AllowRollup, false)
	f.same("allow_msg_ttl", is.AllowMsgTTL, false)
	f.same("allow_msg_schedules", is.AllowMsgSchedules, false)
	f.same("allow_msg_counter", is.AllowMsgCounter, false)
	f.same("allow_direct", is.AllowDirect, false)
	f.same("no_ack", is.NoAck, false)
	f.same("sealed", is.Sealed, false)
	f.same("mirror", is.Mirror != nil, false)
	f.same("sources", len(is.Sources), 0)
	f.same("subject_transform", is.SubjectTransform != nil, false)
	f.same("persist_mode", is.PersistMode, jetstream.DefaultPersistMode)
	f.same("max_msgs_per_subject", max(is.MaxMsgsPerSubject, -1), -1)
	f.atLeast("duplicate_window", is.Duplicates, want.Duplicates)
	if is.MaxAge != 0 {
		f.atLeast("max_age", is.MaxAge, want.MaxAge)
	}
	if is.Replicas < want.Replicas {
		f.add("num_replicas", is.Replicas, fmt.Sprintf("%d or more", want.Replicas))
	}
	return f.list
}

// bucketFaults compares a bucket's stream with what the bucket must be.
func bucketFaults(is jetstream.StreamConfig, want jetstream.KeyValueConfig) Faults {
	f := findings{stream: want.Bucket}
	f.same("storage", is.Storage, want.Storage)
	f.same("max_age", is.MaxAge, time.Duration(0))
	f.same("allow_direct", is.AllowDirect, true) // workers ask for the policy in no other way
	if is.Replicas < want.Replicas {
		f.add("num_replicas", is.Replicas, fmt.Sprintf("%d or more", want.Replicas))
	}
	return f.list
}

// findings gathers the faults of one stream.
type findings struct {
	stream string
	list   Faults
}

func (f *findings) add(setting string, is, must any) {
	f.list = append(f.list, Fault{Stream: f.stream, Setting: setting, Is: fmt.Sprint(is), Must: fmt.Sprint(must)})
}

func (f *findings) same(setting string, is, must any) {
	if fmt.Sprint(is) != fmt.Sprint(must) {
		f.add(setting, is, must)
	}
}

func (f *findings) atLeast(setting string, is, least time.Duration) {
	if is < least {
		f.add(setting, is, fmt.Sprintf("%v or more", least))
	}
}

func republishing(r *jetstream.RePublish) string {
	if r == nil {
		return "off"
	}
	text := r.Source + " to " + r.Destination
	if r.HeadersOnly {
		text += " (headers only)"
	}
	return text
}
