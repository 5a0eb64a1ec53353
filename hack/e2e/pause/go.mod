module gateway.guardrail.dev/hack/e2e/pause

go 1.26.0
