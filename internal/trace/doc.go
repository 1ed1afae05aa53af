// Package trace reads the small language in which detectors are tested: a run
// as a person would tell it, one step a line, `# want` on the lines that must
// fire. It turns sections into events; what they are held against is the
// caller's business. Start at Parse.
//
//	-- the same search three times --
//	turn   let me look {"cost_usd":0.1}
//	call   grep {"q":"foo"}
//	| call ls {}
//	result no matches
//	result {"files":[]} [unchanged]
//	call   grep {"q":"foo"}
//	error  no such file [code=ENOENT]
//	call   grep {"q":"foo"}           # want
//
// A turn opens a round and may end with a JSON object of its other fields; the
// call after it belongs to it. Any other call opens a round of its own, unless
// a bar joins it to the call before it. Arguments that are no JSON begin with
// raw. Calls are named c1, c2 … in the order of their section; a result or an
// error answers the oldest open one, or the one named.
//
//	start JSON              run_start        user TEXT, say TEXT, tell RUN TEXT
//	end STATUS REASON       run_end          blocked JSON   its proper giving up
//	ack OUTCOME             of the newest control
//	again                   the event before, delivered a second time
//	wait 30s                the clock goes on; every event takes a second anyway
//	round 4                 what follows belongs to round 4
//	run NAME parent=NAME    what follows is of that run of the task
//	origin loopwatch        the next event is an injection of ours
//	set KEY VALUE           a setting for whoever runs the section
//
// Options stand in brackets at the end: of a result and an error call=c2,
// changed, unchanged, replayed, truncated, sha=, ms=; of an error code= and
// retryable too; of a call timeout=30s. `# want` may be followed by kinds of controls and detectors.
// Lines that begin with # are comments. Ids, seqs, times and stream positions
// follow from the lines alone: the same text gives the same events.
package trace
