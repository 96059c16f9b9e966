/**
 * The program that `npm run dev` starts after every change: `npm start`, when all files compile. It imports nothing else of
 * the service, because each file of the service can have errors.
 */
import { fileURLToPath } from 'node:url';
import { compileErrors } from '../lib/local/compile-errors.ts';

const errors = await compileErrors(fileURLToPath(new URL('..', import.meta.url)));
if (errors.length === 0) {
  const { runCommand } = await import('./program.ts');
  await runCommand(['start', ...process.argv.slice(2)]);
} else {
  for (const error of errors) console.error(error);
  process.exitCode = 1;
}
