// Command promrules evaluates alerts as Prometheus does.
//
// It reads one JSON object from its standard input: the groups of rules in YAML, the samples in the notation of promtool's
// unit tests, and the times at which to report. It writes, for each time, the alerts that fire, with their texts.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sort"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/common/promslog"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/promql/promqltest"
	"github.com/prometheus/prometheus/rules"
)

type input struct {
	Rules string `json:"rules"`
	// Each line: a series and its values, one a minute, for example `up{job="a"} 1x10 0x5`.
	Series []string `json:"series"`
	// In minutes, in ascending order.
	At []int `json:"at"`
}

type alert struct {
	Name        string            `json:"name"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	var in input
	if err := json.NewDecoder(os.Stdin).Decode(&in); err != nil {
		return err
	}
	alerting, err := readRules(in.Rules)
	if err != nil {
		return err
	}
	load := "load 1m\n"
	for _, series := range in.Series {
		load += "  " + series + "\n"
	}
	loader, err := promqltest.NewLazyLoader(load, promqltest.LazyLoaderOpts{EnableAtModifier: true})
	if err != nil {
		return err
	}
	defer loader.Close()

	wanted := map[int]bool{}
	last := 0
	for _, minute := range in.At {
		wanted[minute] = true
		last = max(last, minute)
	}
	query := rules.EngineQueryFunc(loader.QueryEngine(), loader.Queryable())
	ctx := context.Background()
	reports := [][]alert{}
	for minute := 0; minute <= last; minute++ {
		now := time.Unix(0, 0).UTC().Add(time.Duration(minute) * time.Minute)
		var failed error
		loader.WithSamplesTill(now, func(err error) { failed = err })
		if failed != nil {
			return failed
		}
		firing := []alert{}
		for _, rule := range alerting {
			if _, err := rule.Eval(ctx, 0, now, query, nil, 0); err != nil {
				return fmt.Errorf("%s: %w", rule.Name(), err)
			}
			for _, active := range rule.ActiveAlerts() {
				if active.State != rules.StateFiring {
					continue
				}
				firing = append(firing, alert{rule.Name(), active.Labels.Map(), active.Annotations.Map()})
			}
		}
		if wanted[minute] {
			sort.SliceStable(firing, func(i, j int) bool { return firing[i].Name < firing[j].Name })
			reports = append(reports, firing)
		}
	}
	return json.NewEncoder(os.Stdout).Encode(reports)
}

func readRules(text string) ([]*rules.AlertingRule, error) {
	promql := parser.NewParser(parser.Options{})
	logger := promslog.NewNopLogger()
	groups, problems := rulefmt.Parse([]byte(text), false, model.UTF8Validation, promql, logger)
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	var all []*rules.AlertingRule
	for _, group := range groups.Groups {
		for _, rule := range group.Rules {
			expression, err := promql.ParseExpr(rule.Expr)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", rule.Alert, err)
			}
			all = append(all, rules.NewAlertingRule(
				rule.Alert, expression, time.Duration(rule.For), time.Duration(rule.KeepFiringFor),
				labels.FromMap(rule.Labels), labels.FromMap(rule.Annotations),
				labels.EmptyLabels(), "", false, logger,
			))
		}
	}
	return all, nil
}
