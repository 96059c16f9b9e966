/**
 * What runs one bundle in a process of its own, as Lambda does: `node host.cjs <bundle>`. It says how long the import
 * took, and then runs the events that it is sent, one after the other.
 *
 * Plain CommonJS, so that nothing but Node.js is loaded before the bundle.
 */
const before = performance.now();
const { handler } = require(process.argv[2]);
const imported = performance.now() - before;

const context = { getRemainingTimeInMillis: () => 10_000, callbackWaitsForEmptyEventLoop: true };

process.on('message', async (events) => {
  const cpu = process.cpuUsage();
  const started = performance.now();
  let failed;
  for (const event of events) {
    const { statusCode, body } = await handler(event, context);
    if (statusCode >= 400) failed ??= `${statusCode} ${body}`;
  }
  const wall = performance.now() - started;
  const { user, system } = process.cpuUsage(cpu);
  process.send({ wall, cpu: (user + system) / 1_000, failed });
});
process.send({ imported });
