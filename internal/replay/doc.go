// Package replay runs recorded events through the engine and returns the
// decisions it would have made: the same code and the same answers as the live
// processor gives on the same events.
//
// It reads traces, it never touches a bus or a clock. Start at Replay.Feed.
package replay
