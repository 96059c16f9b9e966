import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';

const engineModule = pathToFileURL('lib/local/dynamodb-engine.ts').href;

/** A program that starts an engine, prints its process id, and has nothing more to do. */
const program = `
const { startEngine } = await import('${engineModule}');
const engine = await startEngine(':memory:');
engine.unref();
console.log(engine.processGroup);
`;

const isRunning = (processId: number): boolean => {
  try {
    return process.kill(processId, 0);
  } catch {
    return false;
  }
};

test('after unref, the process ends although its engine runs, and then the engine ends', async () => {
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  expect(code).toBe(0);
  const engine = Number(output);
  expect(engine).toBeGreaterThan(0);
  while (isRunning(engine)) await new Promise((resolve) => setTimeout(resolve, 20));
});
