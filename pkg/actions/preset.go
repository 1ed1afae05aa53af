package actions

import (
	"embed"
	"fmt"
	"strings"
)

// DefaultPreset is the policy of a fleet that chose none.
const DefaultPreset = "default"

//go:embed presets/*.yaml
var presetFiles embed.FS

// Presets returns the names of the policies in the binary, default first.
func Presets() []string { return []string{DefaultPreset, "forty-times", "sundry"} }

// PresetYAML returns the text of a preset; false where there is none of that
// name.
func PresetYAML(name string) ([]byte, bool) {
	for _, p := range Presets() {
		if p == name {
			data, err := presetFiles.ReadFile("presets/" + name + ".yaml")
			return data, err == nil
		}
	}
	return nil, false
}

// Preset returns a policy that ships in the binary.
func Preset(name string) (*Policy, error) {
	yaml, ok := PresetYAML(name)
	if !ok {
		return nil, fmt.Errorf("read preset %q: there are %s", name, strings.Join(Presets(), ", "))
	}
	p, err := Parse(yaml)
	if err != nil {
		return nil, fmt.Errorf("read preset %s: %w", name, err)
	}
	return p, nil
}
