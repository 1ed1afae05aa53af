// Package ingest reads transcripts that other systems wrote and tells them as
// events: OpenAI chat messages and responses items, Anthropic messages, Claude
// Code sessions, SWE-agent trajectories and OpenTelemetry GenAI spans. Formats
// are told apart by content; docs/formats.md says what becomes of each field.
//
// What cannot be read is named with file, line, path and what was wanted, and
// the rest is told. Every event it hands out passes events.Decode. A trace of
// our own goes straight to package replay. Start at ReadFile, then one format.
package ingest
