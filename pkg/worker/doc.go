// Package worker is the Go SDK for agents: it reports what an agent does, asks
// before a tool is dispatched, hands back the earlier result instead of
// executing a duplicate, and obeys control messages.
//
// The agent never suffers because the bus is away: nothing here waits for it
// longer than Config.Wait (End: Config.Linger), events wait in a bounded queue
// and are sent in order once it is back, and the guard, the same engine as the
// processor's, decides in process when no answer comes in time. What is too
// large to send is cut, never refused later.
//
// Start at Start, then Run.Do. Controls are obeyed in obey.go.
package worker
