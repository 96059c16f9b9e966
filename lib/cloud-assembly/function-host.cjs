/**
 * Runs the handler of one bundle in a process of its own, as an execution environment of Lambda does: `node function-host.cjs <file> <export>`.
 * It loads the bundle when the first event arrives, so that a limit of its CPU share holds for the import as well.
 *
 * Plain CommonJS, so that the process loads nothing but the bundle.
 */
const [, , file, name] = process.argv;

let handler;

process.on('message', async ({ event, context, timeoutMs }) => {
  const end = performance.now() + timeoutMs;
  try {
    handler ??= require(file)[name];
    const result = await handler(event, {
      ...context,
      getRemainingTimeInMillis: () => end - performance.now(),
    });
    process.send({ result });
  } catch (error) {
    process.send({ error: error instanceof Error ? error.message : String(error) });
  }
});

// Ctrl-C reaches all processes of the terminal. The service ends this one.
process.on('SIGINT', () => {});

process.send('ready');

// The service has gone.
process.on('disconnect', () => process.exit(0));
