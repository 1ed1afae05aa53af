// Package timeline tells a run as a person reads it: its events line by line,
// equal calls under the same short code, the decisions beside the events that
// caused them, the events that are their evidence marked, and whether controls
// were obeyed.
//
// It joins what others read, from a trace or from the bus, and asks nobody.
// Start at Build.
package timeline
