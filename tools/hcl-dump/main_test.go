package main

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestDump(t *testing.T) {
	cases := []struct{ name, text, want string }{
		{"attribute", `a = "$${b}\n"`, `{"items":[{"kind":"attribute","name":"a","value":{"kind":"string","value":"${b}\n"}}]}`},
		{"negative number", `a = -9007199254740991`, `{"items":[{"kind":"attribute","name":"a","value":{"kind":"number","value":"-9007199254740991"}}]}`},
		{"block", "# b\na c \"d\" {\n}", `{"items":[{"items":[],"kind":"block","labels":["c","d"],"type":"a"}]}`},
		{"order", "b = 1\na {}\nc = 1", `{"items":[{"kind":"attribute","name":"b","value":{"kind":"number","value":"1"}},{"items":[],"kind":"block","labels":[],"type":"a"},{"kind":"attribute","name":"c","value":{"kind":"number","value":"1"}}]}`},
		{"reference", `a = b.c[d.e]["f"].g`, `{"items":[{"kind":"attribute","name":"a","value":{"kind":"reference","root":"b","steps":[{"kind":"attribute","name":"c"},{"key":{"kind":"reference","root":"d","steps":[{"kind":"attribute","name":"e"}]},"kind":"index"},{"key":{"kind":"string","value":"f"},"kind":"index"},{"kind":"attribute","name":"g"}]}}]}`},
		{"template", `a = "x${b}"`, `{"items":[{"kind":"attribute","name":"a","value":{"kind":"template"}}]}`},
	}
	for _, c := range cases {
		got, err := json.Marshal(dump(c.text))
		// Marshal escapes what HTML would read; none of it is in these texts.
		if err != nil || string(got) != c.want {
			t.Errorf("%s: got %s, %v, want %s", c.name, got, err, c.want)
		}
	}
}

func TestDumpOfWhatIsNoHCL(t *testing.T) {
	for _, text := range []string{"}", "a", "a = <<E\n", `a "b${c}" {}`} {
		if found, ok := dump(text)["error"].(string); !ok || !strings.Contains(found, "text:") {
			t.Errorf("%q: expected an error with its place, got %v", text, found)
		}
	}
}
