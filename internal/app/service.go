package app

import "github.com/loopwatch/loopwatch/internal/fleet"

// serve offers the operators' micro service.
func (a *App) serve() error {
	s := fleet.Service{
		Instance: a.instance, Version: a.opts.Version, Processor: a.Processor,
		Operator: a.Keys.Operator, Now: a.opts.Now, Sole: a.opts.Embedded,
	}
	svc, err := s.Serve(a.nc)
	if err != nil {
		return err
	}
	a.onClose(svc.Stop)
	return nil
}
