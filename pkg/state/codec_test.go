package state

import (
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// exact compares unexported fields, too.
var exact = cmp.Exporter(func(reflect.Type) bool { return true })

// A field that the codec forgets is zero after a round trip of a value in
// which none is.
func TestEveryFieldIsStored(t *testing.T) {
	for _, many := range []int{1, 3, 20} {
		f := newFiller(t, uint64(many), many)
		run := fill[Run](f)
		got, err := DecodeRun(AppendRun(nil, run))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(run, got, exact); diff != "" {
			t.Errorf("run (-written +read):\n%s", diff)
		}
		task := fill[Task](f)
		if got, err := DecodeTask(AppendTask(nil, task)); err != nil {
			t.Error(err)
		} else if diff := cmp.Diff(task, got, exact); diff != "" {
			t.Errorf("task (-written +read):\n%s", diff)
		}
		meta := fill[Meta](f)
		if got, err := DecodeMeta(AppendMeta(nil, meta)); err != nil {
			t.Error(err)
		} else if diff := cmp.Diff(*meta, got, exact); diff != "" {
			t.Errorf("meta (-written +read):\n%s", diff)
		}
	}
}
