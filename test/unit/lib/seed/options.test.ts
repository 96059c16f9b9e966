import { UsageError } from '#lib/cli/command-line.ts';
import { seedOptions } from '#lib/seed/options.ts';

describe('the options of npm run seed', () => {
  test('have defaults', () => {
    expect(seedOptions([])).toEqual({
      amounts: { organizations: 3, users: 20, tags: 12, projects: 30, tasks: 2_000 },
      seed: 1,
      url: 'http://localhost:3000',
      concurrency: 8,
      reset: false,
    });
  });

  test('come from the flags', () => {
    const flags =
      '--organizations 1 --users 2 --tags 3 --projects=4 --tasks 0 --seed 6 --url http://h:1/ --concurrency 8';
    expect(seedOptions(flags.split(' '))).toEqual({
      amounts: { organizations: 1, users: 2, tags: 3, projects: 4, tasks: 0 },
      seed: 6,
      url: 'http://h:1',
      concurrency: 8,
      reset: false,
    });
  });

  test('return the help for --help', () => {
    expect(seedOptions(['--help'])).toBe('help');
  });

  test.each([
    ['--tasks ten', '--tasks must be a whole number from 0 to 10000000, not "ten".'],
    ['--tasks 1.5', '--tasks must be a whole number from 0 to 10000000, not "1.5".'],
    ['--tasks=-1', '--tasks must be a whole number from 0 to 10000000, not "-1".'],
    ['--tasks -5', '--tasks must be a whole number from 0 to 10000000, not "-5".'],
    ['--concurrency 0', '--concurrency must be a whole number from 1 to 256, not "0".'],
    [
      '--url localhost:3000',
      '--url must be an HTTP URL, for example http://localhost:3000, not "localhost:3000".',
    ],
    [
      '--reset --url http://api.example.com',
      '--reset deletes everything, so it is only for a service on this machine, not http://api.example.com.',
    ],
    ['--organizations 0', 'Every project belongs to an organization.'],
    ['--task 5', 'There is no option --task. Did you mean "--tasks"?'],
    ['5', 'The command takes no argument "5".'],
  ])('reject %s', (flags, message) => {
    const read = (): unknown => seedOptions(flags.split(' '));
    expect(read).toThrow(UsageError);
    expect(read).toThrow(message);
  });
});
