/**
 * Runs a benchmark: `node --import tsx benchmarks/run.ts lists --sizes 10000`. Without a name, it lists the benchmarks; with `--smallest` and
 * no name, it runs all of them in their smallest form.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { suggestion } from '../functions/http/suggestion.ts';
import '../functions/schema.ts';
import { CommandFailure, parseFlags, runCommand, UsageError } from '../lib/cli/command-line.ts';
import { runSteps } from '../lib/cli/run-steps.ts';
import { benchmarks } from './catalogue.ts';
import { formOption, isSmallest } from './form.ts';
import { source } from './source.ts';

const optionsOfAll = `  --smallest   measures tiny amounts within seconds, and writes no file
  --help       prints this text`;

const names = Object.keys(benchmarks);
const width = Math.max(...names.map((name) => name.length));

const help = `Runs a benchmark, which writes its figures to benchmarks/results.

  npm run bench -- <name> [options]
  npm run bench -- <name> --help      prints what it measures, and its options
  npm run bench -- --smallest         runs all benchmarks in their smallest form, as CI does

${Object.entries(benchmarks)
  .map(([name, summary]) => `  ${name.padEnd(width)}   ${summary}`)
  .join('\n')}

Options of every benchmark:

${optionsOfAll}`;

/** Returns the help of a benchmark: the comment at the start of its file. */
function helpOf(name: string): string {
  const text = readFileSync(new URL(`${name}.ts`, import.meta.url), 'utf8');
  const comment = /^\/\*\*(.*?)\*\//s.exec(text)?.[1] ?? '';
  return `${comment.replaceAll(/^ *\* ?/gm, '').trim()}\n\n${optionsOfAll}`;
}

/** @throws UsageError when an argument is an option that the help does not name. */
function requireKnownOptions(args: readonly string[], text: string): void {
  const known = [...new Set(text.match(/--[a-z][a-z-]*/g))];
  const unknown = args.find((arg) => arg.startsWith('-') && !known.includes(arg.split('=')[0] ?? ''));
  if (unknown !== undefined) {
    throw new UsageError(`There is no option ${unknown}. ${suggestion(unknown, known)}`);
  }
}

/** Runs each benchmark in its smallest form, in a process of its own. */
function runAllSmallest(): Promise<number> {
  const program = [...process.execArgv, fileURLToPath(import.meta.url)];
  return runSteps(
    names.map((name) => ({ name, command: [process.execPath, ...program, name, '--smallest'] })),
  );
}

async function runBenchmark(name: string): Promise<number> {
  if (!isSmallest && !source) {
    throw new CommandFailure('This is not a git checkout. The tables name the commit of their figures.');
  }
  process.argv.splice(2, 1);
  await import(`./${name}.ts`);
  return Number(process.exitCode ?? 0);
}

const [first = '', ...others] = process.argv.slice(2);
const name = first.startsWith('-') ? '' : first;
const args = name === '' ? [first, ...others] : others;

await runCommand('npm run bench', async () => {
  if (name !== '' && !names.includes(name)) {
    throw new UsageError(`There is no benchmark "${name}". ${suggestion(name, names)}`);
  }
  // Rejects `--smallest` without two dashes before it, which npm takes for itself: the usual form would run.
  parseFlags({ options: formOption, args: [] });
  const ownHelp = name === '' ? help : helpOf(name);
  requireKnownOptions(args, ownHelp);
  if (name === '' && isSmallest && !args.includes('--help')) return runAllSmallest();
  if (name === '' || args.includes('--help')) {
    console.log(ownHelp);
    return 0;
  }
  return runBenchmark(name);
});
