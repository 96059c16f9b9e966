/**
 * Runs a benchmark: `node --import tsx benchmarks/run.ts lists --sizes 10000`. The comment at the start of a benchmark is its
 * help, and names all its flags.
 */
import { readFileSync } from 'node:fs';
import { suggestion } from '../functions/shared/http/suggestion.ts';
import { runCommand, UsageError } from '../lib/cli/command-line.ts';

const [name = '', ...args] = process.argv.slice(2);

const source = readFileSync(new URL(`${name}.ts`, import.meta.url), 'utf8');
const comment = /^\/\*\*(.*?)\*\//s.exec(source)?.[1] ?? '';
const help = comment.replaceAll(/^ *\* ?/gm, '').trim();
const [command = ''] = /npm run [\w:-]+/.exec(help) ?? [];

await runCommand(command, async () => {
  if (args.includes('--help')) {
    console.log(`${help}\n\n--help prints this text.`);
    return 0;
  }
  const known = ['--help', ...(help.match(/--[a-z][a-z-]*/g) ?? [])];
  const unknown = args.find((arg) => arg.startsWith('-') && !known.includes(arg.split('=')[0] ?? ''));
  if (unknown !== undefined) {
    throw new UsageError(`There is no option ${unknown}. ${suggestion(unknown, known)}`);
  }
  process.argv.splice(2, 1);
  await import(`./${name}.ts`);
  return Number(process.exitCode ?? 0);
});
