import { type Service, startService } from '../../lib/local/service.ts';
import { run } from './run.ts';

describe('npm run seed', () => {
  let service: Service;

  beforeAll(async () => {
    service = await startService({ port: 0, databaseFile: ':memory:' });
  });

  afterAll(() => service?.stop());

  test('says what it created, how fast, and where to look', async () => {
    const flags = '--organizations 1 --users 2 --tags 3 --projects 4 --tasks 5 --url'.split(' ');
    const { code, output } = await run('seed', [...flags, service.url]);
    expect(code).toBe(0);
    expect(output).toMatch(
      /^Created 1 organization, 2 users, 3 tags, 4 projects, 5 tasks in [\d.]+ s: 16 requests, \d+ per second\.$/m,
    );
    expect(output).toMatch(/^tasks: 5$/m);
    const lookAt = /^Look at: (\S+)$/m.exec(output)?.[1] ?? '';
    expect((await fetch(lookAt)).status).toBe(200);
  });

  test('says when nothing is there, in one line', async () => {
    const { code, output, errors } = await run('seed', ['--url', 'http://localhost:1']);
    expect(code).toBe(1);
    expect(output).toBe('');
    expect(errors).toMatch(/^No server answers at http:\/\/localhost:1\. Start one with "npm start".*\n$/);
  });

  test('says which flag is wrong, and where to read more', async () => {
    const { code, errors } = await run('seed', ['--tasks', 'many']);
    expect(code).toBe(2);
    expect(errors).toBe(
      '--tasks must be a whole number from 0 to 10000000, not "many".\nSee "npm run seed -- --help".\n',
    );
  });
});
