import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Argument, Command, InvalidArgumentError } from '@commander-js/extra-typings';
import { suggestion } from '../functions/http/suggestion.ts';
import '../functions/schema.ts';
import { CommandFailure } from '../lib/command-line/command-line.ts';
import { runSteps } from '../tools/run-steps.ts';
import { benchmarks } from './catalogue.ts';
import { isSmallest } from './form.ts';
import { source } from './source.ts';

const names = Object.keys(benchmarks);
const width = Math.max(...names.map((name) => name.length));

/** Returns the help of a benchmark: the comment at the start of its file. */
function helpOf(name: string): string {
  const text = readFileSync(new URL(`${name}.ts`, import.meta.url), 'utf8');
  const comment = /^\/\*\*(.*?)\*\//s.exec(text)?.[1] ?? '';
  return comment.replaceAll(/^ *\* ?/gm, '').trim();
}

const listOfBenchmarks = (): string =>
  Object.entries(benchmarks)
    .map(([name, summary]) => `  ${name.padEnd(width)}   ${summary}`)
    .join('\n');

/** @throws InvalidArgumentError when an argument is an option that the help does not name. */
function requireKnownOptions(args: readonly string[], text: string): void {
  const known = ['--smallest', ...new Set(text.match(/--[a-z][a-z-]*/g))];
  const unknown = args.find((arg) => arg.startsWith('-') && !known.includes(arg.split('=')[0] ?? ''));
  if (unknown !== undefined)
    throw new InvalidArgumentError(`There is no option ${unknown}. ${suggestion(unknown, known)}`);
}

/** Runs each benchmark in its smallest form, in a process of its own. */
function runAllSmallest(): Promise<number> {
  const program = [
    ...process.execArgv,
    fileURLToPath(new URL('../bin/pm-api.mjs', import.meta.url)),
    'bench',
  ];
  return runSteps(
    names.map((name) => ({ name, command: [process.execPath, ...program, name, '--smallest'] })),
  );
}

export const command = new Command('bench')
  .description('Runs a benchmark, which writes its figures to benchmarks/results.')
  .addArgument(new Argument('[name]').choices(names))
  .argument('[options...]', 'those of the benchmark: npm run bench -- <name> --help')
  .option(
    '--smallest',
    'measures tiny amounts within seconds, and writes no file. Without a name, all benchmarks',
  )
  .allowUnknownOption()
  .addHelpText('after', ({ command: { args } }) =>
    args[0] && names.includes(args[0]) ? `\n${helpOf(args[0])}` : `\nBenchmarks:\n${listOfBenchmarks()}`,
  )
  .action(async (name, args) => {
    if (name === undefined) {
      if (!isSmallest) return command.help();
      process.exitCode = await runAllSmallest();
      return;
    }
    requireKnownOptions(args, helpOf(name));
    if (!isSmallest && !source)
      throw new CommandFailure('This is not a git checkout. The tables name the commit of their figures.');
    // A benchmark reads its own options.
    process.argv.splice(2, 2);
    await import(`./${name}.ts`);
  });
