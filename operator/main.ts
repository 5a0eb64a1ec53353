const MINIMUM_NODE_MAJOR = 24;

if (Number(process.versions.node.split('.')[0]) < MINIMUM_NODE_MAJOR) {
  console.error(
    `The operator requires Node ${MINIMUM_NODE_MAJOR} or newer; this is ${process.versions.node}. Run it with node_modules/.bin/node, which npm ci installs.`,
  );
  process.exit(1);
}

// Imported after the version check: these modules do not load on an older Node.
const { ConfigError, loadConfig, readKubeConfig } = await import('./config.ts');

if (process.argv[2] === 'import') {
  const { runImportCommand } = await import('./commands.ts');
  await runImportCommand(process.argv.slice(3), readKubeConfig);
}
if (process.argv[2] === 'kubectl') {
  const { runKubectl } = await import('./commands.ts');
  await runKubectl(process.argv.slice(3), readKubeConfig);
}
const { registerBuildInfo } = await import('../guardrail/guardrail.ts');
const { GuardrailOperator } = await import('./operator.ts');
const { startTelemetry, telemetryRequest, traceFields } = await import('../guardrail/guardrail.ts');
const { FLUSH_MS } = await import('./telemetry/telemetry.ts');
const { OPERATOR_NAME } = await import('./operatorName.ts');
const { LeaseLostError, RuntimeMetrics, StartError, createLogger } = await import('./runtime/runtime.ts');

try {
  const config = loadConfig(process.argv.slice(2), process.env);
  if ('help' in config) {
    process.stdout.write(config.help);
    process.exit(0);
  }
  const log = createLogger(config.logLevel, undefined, telemetryRequest(process.env) && traceFields);
  const metrics = new RuntimeMetrics();
  metrics.collectProcess();
  registerBuildInfo(metrics.registry, 'gateway_guardrail_operator_build_info');
  const operator = new GuardrailOperator(config, log, { metrics });
  const telemetry = await startTelemetry({
    env: process.env,
    serviceName: OPERATOR_NAME,
    logger: log,
    registry: metrics.registry,
    observe: () => {
      operator.observeMetrics();
    },
  });

  let signals = 0;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      signals += 1;
      // A second signal does not wait for running reconciles.
      if (signals > 1) process.exit(1);
      operator.stop();
    });
  }
  await operator.start();
  await operator.finished();
  await telemetry.shutdown(FLUSH_MS);
  process.exit(0);
} catch (error) {
  const expected = [ConfigError, StartError, LeaseLostError].some((type) => error instanceof type);
  console.error(error instanceof Error ? (expected ? error.message : error.stack) : error);
  process.exit(1);
}
