// Package schema writes JSON Schemas (draft 2020-12) from Go types, so that
// the published contract cannot drift from the code that reads it. It knows
// nothing of loopwatch: what a field may hold beyond its type, the caller says.
//
// Tests use it to compare docs/schemas with the types; no command does. Start
// at Generator.
package schema
