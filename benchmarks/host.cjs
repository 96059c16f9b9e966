/**
 * Runs one bundle in a process of its own, as Lambda does: `node host.cjs <bundle>`. Sends the duration of the import,
 * then runs the events that it receives, one after the other.
 *
 * Plain CommonJS, so that the process loads nothing before the bundle.
 */
const before = performance.now();
const { handler } = require(process.argv[2]);
const importMs = performance.now() - before;

const context = { getRemainingTimeInMillis: () => 10_000, callbackWaitsForEmptyEventLoop: true };

process.on('message', async (events) => {
  const cpu = process.cpuUsage();
  const started = performance.now();
  let failed;
  let response;
  for (const event of events) {
    response = await handler(event, context);
    const { statusCode, body } = response;
    if (statusCode >= 400) failed ??= `${statusCode} ${body}`;
  }
  const wallMs = performance.now() - started;
  const { user, system } = process.cpuUsage(cpu);
  const residentBytes = process.memoryUsage().rss;
  process.send({ wallMs, cpuMs: (user + system) / 1_000, residentBytes, failed, response });
});
process.send({ importMs });
