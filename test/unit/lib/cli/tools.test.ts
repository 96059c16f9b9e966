import { npm } from '#lib/cli/tools.ts';

const before = process.env['npm_execpath'];

afterEach(() => {
  if (before === undefined) delete process.env['npm_execpath'];
  else process.env['npm_execpath'] = before;
});

test('npm is run by Node.js, because Windows cannot start npm.cmd without a shell', () => {
  process.env['npm_execpath'] = 'C:\\node\\node_modules\\npm\\bin\\npm-cli.js';
  expect(npm('run', 'lint')).toEqual([
    process.execPath,
    'C:\\node\\node_modules\\npm\\bin\\npm-cli.js',
    'run',
    'lint',
  ]);
});

test.each([undefined, '/usr/bin/yarn.js'])('npm is started by its name when npm_execpath is %s', (path) => {
  if (path === undefined) delete process.env['npm_execpath'];
  else process.env['npm_execpath'] = path;
  expect(npm('ci')).toEqual(['npm', 'ci']);
});
