package processor

import (
	"github.com/loopwatch/loopwatch/internal/report"
	"github.com/loopwatch/loopwatch/pkg/state"
)

// maxCourses bounds the runs of one partition whose savings are reckoned; what
// further ones save is not counted.
const maxCourses = 4096

// courses follows the runs of a partition for what they do not spend. It lasts
// as long as the owner: of runs that began before, nothing is known.
type courses map[state.RunID]*report.Course

// begin opens a course with the event just stepped, where its run has only just
// begun too.
func (c courses) begin(w *work) {
	id := w.run()
	if w.event.Kind.Ours() || w.reject != nil || len(c) >= maxCourses || c[id] != nil {
		return
	}
	if r := w.owner.part.Run(id); r != nil && r.Usage.Turns <= 1 && r.Phase == state.Live {
		c[r.ID] = new(report.Course) // the event's own strings do not outlive it
	}
}

// follow takes in an applied event with its decisions, and returns what the
// runs that it closed did not spend.
func (c courses) follow(w *work) (saved report.Saved) {
	if w.reject != nil || w.result.Order == state.Duplicate {
		return saved
	}
	if course := c[w.run()]; course != nil {
		course.Event(&w.event)
	}
	for i := range w.out {
		if course := c[w.out[i].decision.Target]; course != nil {
			course.Decision(&w.out[i].message)
		}
	}
	if w.event.End != nil {
		saved = c.end(w.run(), string(w.event.End.Status), w.owner.part)
	}
	for _, l := range w.result.Lost {
		s := c.end(l.Run, lost, w.owner.part)
		saved.Turns, saved.USD = saved.Turns+s.Turns, saved.USD+s.USD
	}
	return saved
}

// run is the run of the event, zero for one of ours.
func (w *work) run() state.RunID {
	return state.RunID{Tenant: w.event.Tenant, Task: w.event.Task, Run: w.event.Run}
}

func (c courses) end(id state.RunID, status string, part *state.Partition) (none report.Saved) {
	course, r := c[id], part.Run(id)
	delete(c, id)
	if course == nil || r == nil {
		return none
	}
	return course.End(status, r.Limits, r.Granted)
}
