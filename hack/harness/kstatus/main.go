// Command kstatus reads Kubernetes objects, one JSON document a line, and writes for each what clients make of its status:
// kstatus, which Flux and kpt use, and an Argo CD health check, whose Lua script is the argument.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	lua "github.com/yuin/gopher-lua"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/cli-utils/pkg/kstatus/status"
)

// The longest line: an object can have 1.5 MiB.
const maxLine = 4 << 20

// Argo CD ends a script after one second.
const scriptTimeout = time.Second

type health struct {
	Status  string `json:"status"`
	Message string `json:"message"`
}

type result struct {
	Kstatus string `json:"kstatus"`
	Message string `json:"message"`
	Health  health `json:"health"`
}

func main() {
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(scriptFile string) error {
	script, err := os.ReadFile(scriptFile)
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, maxLine)
	output := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		object := &unstructured.Unstructured{}
		if err := object.UnmarshalJSON(lines.Bytes()); err != nil {
			return err
		}
		computed, err := status.Compute(object)
		if err != nil {
			return err
		}
		checked, err := checkHealth(object, string(script))
		if err != nil {
			return err
		}
		if err := output.Encode(result{string(computed.Status), computed.Message, checked}); err != nil {
			return err
		}
	}
	return lines.Err()
}

// checkHealth runs a script as Argo CD does: with the object as the global obj, and without the libraries for strings,
// mathematics, input and output.
func checkHealth(object *unstructured.Unstructured, script string) (health, error) {
	state := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer state.Close()
	libraries := map[string]lua.LGFunction{
		lua.LoadLibName: lua.OpenPackage,
		lua.BaseLibName: lua.OpenBase,
		lua.TabLibName:  lua.OpenTable,
	}
	for _, name := range []string{lua.LoadLibName, lua.BaseLibName, lua.TabLibName} {
		call := lua.P{Fn: state.NewFunction(libraries[name]), NRet: 0, Protect: true}
		if err := state.CallByParam(call, lua.LString(name)); err != nil {
			return health{}, err
		}
	}
	deadline, cancel := context.WithTimeout(context.Background(), scriptTimeout)
	defer cancel()
	state.SetContext(deadline)
	state.SetGlobal("obj", luaValue(state, object.Object))
	if err := state.DoString(script); err != nil {
		return health{}, err
	}
	table, ok := state.Get(-1).(*lua.LTable)
	if !ok {
		return health{}, fmt.Errorf("the script returns %s instead of a table", state.Get(-1).Type())
	}
	return health{table.RawGetString("status").String(), table.RawGetString("message").String()}, nil
}

func luaValue(state *lua.LState, value any) lua.LValue {
	switch known := value.(type) {
	case bool:
		return lua.LBool(known)
	case int64:
		return lua.LNumber(known)
	case float64:
		return lua.LNumber(known)
	case string:
		return lua.LString(known)
	case []any:
		list := state.CreateTable(len(known), 0)
		for _, item := range known {
			list.Append(luaValue(state, item))
		}
		return list
	case map[string]any:
		table := state.CreateTable(0, len(known))
		for key, item := range known {
			table.RawSetString(key, luaValue(state, item))
		}
		return table
	default:
		return lua.LNil
	}
}
