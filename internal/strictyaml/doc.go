// Package strictyaml reads YAML that people write into Go structs and reports
// every fault at once: unknown keys, wrong types, values out of range, each
// with its line, path, value and bound. It also writes such structs back.
//
// It does no I/O and knows nothing of what the values mean. The schema is in
// the struct tags: yaml names the key, bound says "lo..hi" with both ends
// allowed (either may be absent) or "a|b|c" for words, doc says what it is.
// Aliases, tags and merge keys are refused: a file says what it says in place.
// Start at Open and Value.Into.
package strictyaml
