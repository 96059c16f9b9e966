import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

const engineModule = pathToFileURL('lib/local/dynamodb-engine.ts').href;

/** A program that starts an engine, and prints its process id. */
const program = `
const { startEngine } = await import('${engineModule}');
const engine = await startEngine(':memory:');
console.log(engine.processGroup);
`;

const isRunning = (processId: number): boolean => {
  try {
    return process.kill(processId, 0);
  } catch {
    return false;
  }
};

function run(source: string) {
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return { child, exit: once(child, 'exit') };
}

async function untilEnded(engine: number): Promise<void> {
  expect(engine).toBeGreaterThan(0);
  while (isRunning(engine)) await delay(20);
}

test('after unref, the process ends although its engine runs, and then the engine ends', async () => {
  const { child, exit } = run(`${program} engine.unref();`);
  const [output, [code]] = await Promise.all([text(child.stdout), exit]);
  expect(code).toBe(0);
  await untilEnded(Number(output));
});

test('the engine of a process that is killed ends', async () => {
  const { child, exit } = run(program);
  const [output] = await once(child.stdout, 'data');
  expect(isRunning(Number(output))).toBe(true);
  child.kill('SIGKILL');
  await exit;
  await untilEnded(Number(output));
});
