import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { type Service, startService } from '#lib/local/service.ts';
import { run } from './run.ts';

describe('npm run seed', () => {
  let service: Service;

  beforeAll(async () => {
    service = await startService({ port: 0, databaseFile: ':memory:' });
  });

  afterAll(() => service?.stop());

  test('prints what it created, the rate and an example', async () => {
    const flags = '--organizations 1 --users 2 --tags 3 --projects 4 --tasks 5 --url'.split(' ');
    const { code, output } = await run('seed', [...flags, service.url]);
    expect(code).toBe(0);
    expect(output).toMatch(
      /^Created 1 organization, 2 users, 3 tags, 4 projects, 5 tasks in [\d.]+ s: \d+ a second\.$/m,
    );
    expect(output).toMatch(/^tasks: 5$/m);
    const exampleUrl = /^Example: (\S+)$/m.exec(output)?.[1] ?? '';
    expect((await fetch(exampleUrl)).status).toBe(200);
  });

  test('prints one line when no service responds', async () => {
    const { code, output, errors } = await run('seed', ['--url', 'http://localhost:1']);
    expect({ code, output }).toEqual({ code: 1, output: '' });
    expect(errors).toMatch(/^No service responds at http:\/\/localhost:1\. Start one with "npm start".*\n$/);
  });

  test('prints one line when the address belongs to another service', async () => {
    const other = createHttpServer((_, response) => response.writeHead(404).end('Nothing is here.'));
    other.listen(0, '127.0.0.1');
    await once(other, 'listening');
    const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const { code, output, errors } = await run('seed', ['--url', url]);
    other.close();
    expect({ code, output }).toEqual({ code: 1, output: '' });
    expect(errors).toMatch(/^http:\S+ is not a project-management service: .*\n$/);
  });

  test('says what the address is without its path', async () => {
    const { code, output, errors } = await run('seed', ['--url', `${service.url}/v1`]);
    expect({ code, output }).toEqual({ code: 2, output: '' });
    expect(errors).toMatch(
      `--url must be the scheme, host and port of a service: ${service.url}, not "${service.url}/v1".`,
    );
  });

  test('prints one line when the address accepts connections and never responds', async () => {
    const silent = createServer();
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const { code, output, errors } = await run('seed', ['--url', url, '--tasks', '1']);
    silent.close();
    expect({ code, output }).toEqual({ code: 1, output: '' });
    expect(errors).toMatch(/^No service responds at .* Start one with "npm start".*\n$/);
  });

  test('names the wrong flag and the help', async () => {
    const { code, errors } = await run('seed', ['--tasks', 'many']);
    expect(code).toBe(2);
    expect(errors).toBe(
      '--tasks must be a whole number from 0 to 10000000, not "many".\nSee "npm run seed -- --help".\n',
    );
  });
});
