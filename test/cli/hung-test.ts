import { appendFileSync } from 'node:fs';
import { testWorker } from '#test/support/test-worker.ts';
import { killLeftovers, start } from './started-service.ts';

afterEach(killLeftovers);

// `killed-run.test.ts` kills the run while this test waits for the end of the service.
test('starts an engine and a service, and hangs', async () => {
  const { sharedEngine } = await testWorker();
  const engine = await sharedEngine();
  const service = await start({ DATABASE_FILE: ':memory:' });
  const processes = [process.pid, engine.processGroup, service.process.pid];
  appendFileSync(String(process.env['PROCESSES_FILE']), `${processes.join(' ')}\n`);
  await service.ended();
});
