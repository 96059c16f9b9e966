import { parseFlags, UsageError, wholeNumber } from '#lib/cli/command-line.ts';

const read = (...args: string[]) =>
  parseFlags({ args, options: { port: { type: 'string' }, help: { type: 'boolean' } } });

test.each([
  [['--prot', '1'], 'There is no option --prot. Did you mean "--port"?'],
  [['--unrelated-name'], 'There is no option --unrelated-name. Allowed: --port, --help.'],
  [['-p'], 'There is no option -p.'],
  [['help'], 'The command takes no argument "help". Did you mean "--help"?'],
  [['--port'], "Option '--port <value>' argument missing."],
])('rejects %j and says what is right', (args, message) => {
  expect(() => read(...args)).toThrow(UsageError);
  expect(() => read(...args)).toThrow(message);
});

test('passes a negative number as the value of an option', () => {
  const { port } = read('--port', '-5').values;
  expect(port).toBe('-5');
  expect(() => wholeNumber('--port', String(port), 0, 9)).toThrow(
    '--port must be a whole number from 0 to 9, not "-5".',
  );
});

describe('when npm takes an option for itself', () => {
  const outer = { ...process.env };

  afterEach(() => {
    process.env = { ...outer };
  });

  test.each([
    ['start', 'npm start -- --port 4613'],
    ['board', 'npm run board -- --port 4613'],
  ])('npm run %s says what to type', (script, command) => {
    // npm 11 sets these for `npm start --port 4613`.
    process.env['npm_config_port'] = 'true';
    process.env['npm_lifecycle_event'] = script;
    expect(() => read('4613')).toThrow(
      new UsageError(`npm took --port for itself. Write two dashes before it: ${command}`),
    );
  });

  test('an option with its value, which leaves no argument, is not ignored', () => {
    // npm sets these for `npm start --port=4613`.
    process.env['npm_config_port'] = '4613';
    process.env['npm_lifecycle_event'] = 'start';
    expect(() => read()).toThrow(
      new UsageError('npm took --port for itself. Write two dashes before it: npm start -- --port 4613'),
    );
  });
});
