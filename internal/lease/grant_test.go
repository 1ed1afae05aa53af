package lease

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestGrant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGrant(3, time.Now().Add(time.Second))
		ctx, cancel := g.Bound(t.Context())
		defer cancel()
		if !g.Valid() || g.Permanent() || g.Asked() || ctx.Err() != nil {
			t.Errorf("a fresh grant: %+v, %v", g, ctx.Err())
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if g.Valid() || ctx.Err() != context.DeadlineExceeded {
			t.Errorf("a second later it holds, or its context does: %v", ctx.Err())
		}
		g.extend(time.Now().Add(time.Second))
		if !g.Valid() {
			t.Error("renewed, it does not hold")
		}
		g.End()
		g.extend(time.Now().Add(time.Second))
		if g.Valid() {
			t.Error("ended and renewed, it holds")
		}
	})
}

func TestAlways(t *testing.T) {
	a := NewAlways(2)
	<-a.Changed()
	all := a.Grants()
	if len(all) != 2 || !all[0].Valid() || !all[0].Permanent() || all[0].Partition == all[1].Partition || !a.Settled() {
		t.Fatalf("it grants %+v", all)
	}
	ctx, cancel := all[0].Bound(t.Context())
	if _, bounded := ctx.Deadline(); bounded {
		t.Error("what has no end is bounded")
	}
	cancel()
	a.Release(all[0])
	if left := a.Grants(); len(left) != 1 || left[0] != all[1] || all[0].Valid() {
		t.Errorf("after a release it grants %+v", left)
	}
}
