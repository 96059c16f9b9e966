import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileErrors } from '#lib/local/compile-errors.ts';

const root = join(__dirname, '../../../..');
const copy = mkdtempSync(join(tmpdir(), 'compile-'));

beforeAll(() => {
  for (const name of ['bin', 'functions', 'lib', 'package.json', 'tsconfig.json']) {
    cpSync(join(root, name), join(copy, name), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
});
afterAll(() => rmSync(copy, { recursive: true }));

const handler = 'functions/health/check-health.ts';
const contract = 'functions/tags/contract.ts';

test('finds nothing in a project that compiles', async () => {
  expect(await compileErrors(root)).toEqual([]);
});

test.each([
  ['wrong syntax', 'const = 1;', /^functions\/health\/check-health\.ts:1:7 does not compile: .+$/],
  [
    'a missing file',
    "import './missing.ts';",
    /^functions\/health\/check-health\.ts:1:8 .*"\.\/missing\.ts"/,
  ],
  ['a missing export', "import { none } from './contract.ts';\nnone();", /check-health\.ts:1:10 .*"none"/],
])('names a handler with %s in one line', async (_, text, line) => {
  writeFileSync(join(copy, handler), text);
  const errors = await compileErrors(copy);
  expect(errors).toEqual([expect.stringMatching(line)]);
  expect(errors[0]).not.toContain('\n');
});

test('names each file once', async () => {
  writeFileSync(join(copy, handler), 'const = 1;\nlet = ;');
  writeFileSync(join(copy, contract), '}');
  const files = (await compileErrors(copy)).map((line) => line.split(':')[0]);
  expect(files.toSorted()).toEqual([handler, contract]);
});
