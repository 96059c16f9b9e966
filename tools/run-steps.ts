import { runProgram } from '../lib/command-line/run-program.ts';

export interface Step {
  readonly name: string;
  /** A program with its arguments, or a function that returns an exit code. */
  readonly command: readonly [program: string, ...args: string[]] | (() => Promise<number>);
  readonly environment?: Readonly<Record<string, string>>;
  /** Why it cannot run here, if it cannot. */
  readonly unavailable?: string | undefined;
}

async function runStep({ name, command, environment, unavailable }: Step) {
  if (unavailable) return { name, seconds: 0, result: `did not run: ${unavailable}`, hasFailed: false };
  const started = performance.now();
  const code = await (typeof command === 'function'
    ? command()
    : runProgram(command, { env: { ...process.env, ...environment } }));
  const seconds = (performance.now() - started) / 1_000;
  return { name, seconds, result: code === 0 ? 'passed' : 'FAILED', hasFailed: code !== 0 };
}

/** Runs one step after the other until one fails. Returns the exit code: 1 when a step has failed. */
export async function runSteps(steps: readonly Step[]): Promise<number> {
  const outcomes: Awaited<ReturnType<typeof runStep>>[] = [];
  for (const step of steps) {
    const outcome = await runStep(step);
    outcomes.push(outcome);
    if (outcome.hasFailed) break;
  }
  for (const { name, seconds, result } of outcomes) {
    console.log(`${name.padEnd(30)} ${seconds.toFixed(1).padStart(7)} s  ${result}`);
  }
  const left = steps.slice(outcomes.length).map(({ name }) => name);
  if (left.length > 0) console.log(`Not run, because a step failed: ${left.join(', ')}`);
  const failed = outcomes.filter(({ hasFailed }) => hasFailed).length;
  console.log(`${outcomes.length - failed} passed, ${failed} failed`);
  return failed > 0 ? 1 : 0;
}
