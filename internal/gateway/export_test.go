package gateway

import "reflect"

// Bodies are what requests and answers hold, by their name in the document.
var Bodies = map[string]reflect.Type{
	"Taken": reflect.TypeFor[taken](), "Fault": reflect.TypeFor[faultBody](), "Controls": reflect.TypeFor[polled](),
	"Runs": reflect.TypeFor[listed](), "Halts": reflect.TypeFor[halted](), "Halt": reflect.TypeFor[haltRequest](),
	"Acted": reflect.TypeFor[acted](), "Probe": reflect.TypeFor[probe](),
}

// Document is the OpenAPI document.
var Document = document

// Split cuts a body into its items.
var Split = split

// Routes lists the gateway's own routes.
func (g *Gateway) Routes() []Route { return g.routes() }

// Polls is how many polls wait.
func (g *Gateway) Polls() int64 { return g.cfg.MaxPolls - g.polls.left.Load() }

// Deafen makes the gateway hear nothing live any more.
func (g *Gateway) Deafen() {
	for _, s := range g.subs {
		_ = s.Unsubscribe()
	}
}
