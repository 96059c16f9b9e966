import { agentToolsModule } from '#lib/openapi/agent-tools.ts';
import { agentToolsFile } from '#lib/openapi/committed-document.ts';
import { openApiDocument } from '#lib/openapi/document.ts';
import { Connection } from '../../client/connection.ts';
import { newId } from '../../client/ids.ts';
import { instructions } from '../../client/mcp/agent-server.ts';
import { callTool } from '../../client/mcp/call-tool.ts';
import { tools } from '../../client/mcp/tools.ts';
import { expectCurrent } from '../support/complete.ts';
import { provideFetchedService } from '../support/in-process-fetch.ts';

const service = provideFetchedService();
const connection = new Connection({
  url: service.url,
  // As a server or a gateway does.
  fetch: async (...args) => {
    const response = await service.fetch(...args);
    response.headers.set('date', 'Mon, 02 Mar 2026 09:15:27 GMT');
    return response;
  },
});

const resultOf = (of: Connection, name: string, args: object) => {
  const tool = tools.find((one) => one.name === name);
  if (!tool) throw new Error(`There is no tool ${name}.`);
  return callTool(of, tool, args as never, new AbortController().signal);
};

const call = async (name: string, args: object) => {
  const { content, isError } = await resultOf(connection, name, args);
  const { text } = content[0] as { text: string };
  return { isError: isError ?? false, value: text === 'Done.' ? text : JSON.parse(text) };
};

describe('the tools', () => {
  test('are those of the contracts', () => {
    expectCurrent(agentToolsFile, agentToolsModule(openApiDocument()));
  });

  test('have names of their own, and at most 24,000 characters', () => {
    const listed = tools.map(({ request: _request, ...tool }) => tool);
    expect(JSON.stringify(listed).length).toBeLessThanOrEqual(24_000);
    expect(new Set(listed.map(({ name }) => name)).size).toBe(listed.length);
  });
});

describe('a call', () => {
  test('takes null for no filters', async () => {
    const { value } = await call('list', { collection: 'tags', filters: null });
    expect(value.data).toEqual([]);
  });

  test('creates, lists, updates with a version, and deletes', async () => {
    const { value: task } = await call('createTask', { name: 'Draft', priority: 'high', tagIds: [] });
    expect(task).toMatchObject({
      name: 'Draft',
      version: expect.any(String),
      date: '2026-03-02T09:15:27.000Z',
    });
    const { value: list } = await call('list', {
      collection: 'tasks',
      filters: { 'priority[gte]': 'medium', id: task.id },
      sortBy: ['priority', 'name'],
      sortOrder: ['desc', 'asc'],
      fields: ['name'],
    });
    expect(list).toMatchObject({ total: 1, data: [{ id: task.id, name: 'Draft', version: task.version }] });
    const changed = await call('updateTask', { id: task.id, version: task.version, name: 'Final' });
    expect(changed.value).toMatchObject({ name: 'Final', priority: 'high' });
    const stale = await call('updateTask', { id: task.id, version: task.version, name: 'Lost' });
    expect(stale).toMatchObject({ isError: true, value: { code: 'version-mismatch', status: 412 } });
    const { value: history } = await call('history', { collection: 'tasks', id: task.id });
    expect(history.data[0]).toMatchObject({ changes: { name: { from: 'Draft', to: 'Final' } } });
    const args = { collection: 'tasks', id: task.id };
    expect(await call('delete', args)).toMatchObject({ value: 'Done.' });
    expect(await call('read', args)).toMatchObject({ isError: true, value: { code: 'not-found' } });
  });

  test('takes the number of a task for its id', async () => {
    const { value: parent } = await call('createTask', { name: 'With a number', tagIds: [] });
    const own = `#${parent.number}`;
    const args = { collection: 'tasks', id: own };
    expect((await call('read', args)).value).toMatchObject({ id: parent.id, number: parent.number });
    const { value: child } = await call('createTask', { name: own, parentId: own, tagIds: [] });
    expect(child).toMatchObject({ name: own, parentId: parent.id });
    const operations = [
      { operation: 'update', id: `#${child.number}`, body: { description: `{"id":"${own}"}` } },
      { operation: 'update', id: own, body: { name: 'Renamed' } },
    ];
    const { value: changed } = await call('batch', { collection: 'tasks', operations });
    expect(changed.results).toMatchObject([{ id: child.id }, { id: parent.id }]);
    for (const [id, fields] of [
      [child.id, { description: `{"id":"${own}"}` }],
      [parent.id, { name: 'Renamed' }],
    ] as const)
      expect((await call('read', { collection: 'tasks', id })).value).toMatchObject(fields);
    for (const filters of [{ number: own }, { 'number[in]': `#${child.number},${own}`, name: 'Renamed' }])
      expect((await call('list', { collection: 'tasks', filters })).value).toMatchObject({
        total: 1,
        data: [{ id: parent.id }],
      });
    expect((await call('delete', args)).value).toBe('Done.');
    expect((await call('restore', args)).value).toMatchObject({ id: parent.id, number: parent.number });
    const missing = await resultOf(connection, 'read', { collection: 'tasks', id: '#99999' });
    expect(missing).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('99999') }] });
    expect(await call('read', { collection: 'tags', id: own })).toMatchObject({ isError: true });
  });

  test('takes each operator that a model is told of', async () => {
    const [, listed = ''] = /Operators: (.*?)\./.exec(JSON.stringify(tools)) ?? [];
    const parameters = Object.values(openApiDocument().components.parameters).map(({ name }) => name);
    const examples = listed.split(', ').map((operator) => {
      const known = parameters.filter((name) => name.endsWith(`[${operator}]`));
      return known.find((name) => /^(?:name|tagIds|userId|estimate)\[/.test(name)) ?? operator;
    });
    const named = [...instructions.matchAll(/`(\w+\[\w+\])`/g)].map(([, name = '']) => name);
    expect(named.length).toBeGreaterThan(3);
    for (const name of [...named, ...examples]) {
      const value = /isNull|isEmpty/.test(name) ? true : name.startsWith('dueDate') ? '2026-12-01' : newId();
      const { value: list } = await call('list', { collection: 'tasks', filters: { [name]: value } });
      expect([name, list]).toEqual([name, expect.objectContaining({ data: expect.any(Array) })]);
    }
  });

  test('leaves long texts out unless it is asked for them, and says what day it is', async () => {
    const { value: tag } = await call('createTag', { name: 'Long', description: 'long '.repeat(99) });
    const of = async (name: string, more: object = {}) =>
      (await call(name, { collection: 'tags', ...more })).value;
    for (const name of ['list', 'changes']) {
      expect(JSON.stringify(await of(name))).not.toContain('long long');
      expect(JSON.stringify(await of(name, { fields: ['description'] }))).toContain('long long');
    }
    expect((await of('list')).data[0]).toMatchObject({ name: 'Long', version: tag.version });
    await call('delete', { collection: 'tags', id: tag.id });
    expect(JSON.stringify(await of('listDeleted'))).toMatch(/"Long"(?!.*long long)/);
    expect(JSON.stringify(await of('listDeleted', { fields: ['description'] }))).toContain('long long');
  });

  test('gives a hint when ids or exact texts were guessed', async () => {
    const hintOf = async (filters: object, collection = 'tasks') =>
      (await call('list', { collection, filters })).value.hint as string | undefined;
    expect(await hintOf({ userId: 'Ada' })).toContain('"userId" needs an id.');
    expect(await hintOf({ 'userId[in]': [newId(), 'Ada'] })).toContain('"userId[in]" needs an id.');
    expect(await hintOf({ 'tagIds[all]': 'urgent' })).toContain('"tagIds[all]" needs an id.');
    expect(await hintOf({ name: 'No such name' })).toContain('Try "name[contains]"');
    expect(await hintOf({ email: 'Nobody@example.com' }, 'users')).toContain('Try "email[contains]"');
    expect(await hintOf({ userId: newId() })).toBeUndefined();
    expect(await hintOf({ 'userId[in]': [newId(), newId()] })).toBeUndefined();
  });

  test('names the values in use, how several are given, and the signed-in user', async () => {
    await call('createTask', { name: 'With a status', status: 'in-progress', tagIds: [] });
    const hintOf = async (filters: object) =>
      (await call('list', { collection: 'tasks', filters })).value.hint as string | undefined;
    for (const filters of [
      { status: 'In Progress' },
      { 'status[in]': 'planned,In Progress' },
      { 'status[notIn]': 'completed,In Progress' },
    ])
      expect(await hintOf({ ...filters, name: '-' })).toMatch(
        /^No status is ".*In Progress"\. In use: .*in-progress/,
      );
    expect(await hintOf({ 'status[ne]': 'completed' })).toBeUndefined();
    expect(await hintOf({ priority: 'High' })).toMatch(/^No priority is "High"\. In use: .*none/);
    expect(await hintOf({ dueDate: '<2026-12-05' })).toContain('"dueDate[gte]" and "dueDate[lte]"');
    expect(await hintOf({ 'userId[ne]': 'Ada' })).toContain('"userId[ne]" needs an id.');
    const search = { collection: 'tasks', search: 'no such words' };
    expect((await call('list', search)).value.hint).toContain('Each word');
    expect(await hintOf({ status: 'active,planned' })).toContain('Try "status[in]" for several.');
    const mine = await call('list', { collection: 'tasks', filters: { userId: 'me' } });
    expect(JSON.stringify(mine.value.errors)).toContain('/v1/users/me');
    expect(instructions).toContain('`me`');
  });

  test('leaves out what is null and times, unless it is asked for them', async () => {
    const { value: task } = await call('createTask', { name: 'Short', tagIds: [] });
    const filters = { id: task.id };
    const of = async (more: object) =>
      (await call('list', { collection: 'tasks', filters, ...more })).value.data[0];
    const short = await of({});
    expect(short).toMatchObject({ name: 'Short', version: task.version });
    expect(Object.keys(short).filter((name) => short[name] === null || /At$/.test(name))).toEqual([]);
    expect(await of({ sortBy: ['updatedAt'] })).toMatchObject({ updatedAt: task.updatedAt });
    expect(await of({ filters: { 'createdAt[lte]': task.createdAt } })).toHaveProperty('createdAt');
    expect(await of({ fields: ['dueDate'] })).toMatchObject({ dueDate: null });
    // An agent reads this text once for each task of a list.
    const whole = (await call('read', { collection: 'tasks', id: task.id })).value;
    expect(JSON.stringify(short).length).toBeLessThan(0.5 * JSON.stringify(whole).length);
  });

  test('separates the values of a filter at commas', async () => {
    for (const name of ['Comma, a', 'Comma b']) await call('createTag', { name });
    const totalOf = async (filters: object) =>
      (await call('list', { collection: 'tags', filters })).value.total;
    expect(await totalOf({ 'name[in]': 'Comma\\, a,Comma b' })).toBe(2);
    expect(await totalOf({ 'name[contains]': 'Comma', 'name[notIn]': 'Comma b,x' })).toBe(1);
  });

  test('takes and returns versions in a batch', async () => {
    const batch = (operations: readonly object[]) => call('batch', { collection: 'tags', operations });
    const { value: created } = await batch([{ operation: 'create', body: { name: 'Batched' } }]);
    const { id, version } = created.results[0];
    expect(created.results).toEqual([{ status: 201, id: expect.any(String), version: expect.any(String) }]);
    const operations = [{ operation: 'create', body: { name: 'Numbered' } }];
    const { value: tasks } = await call('batch', { collection: 'tasks', operations });
    expect(tasks.results).toEqual([expect.objectContaining({ number: expect.any(Number) })]);
    const { value: changed } = await batch([{ operation: 'update', id, version, body: { name: 'Changed' } }]);
    expect(changed.results).toEqual([{ status: 200, id, version: expect.any(String) }]);
    const conflict = await batch([{ operation: 'delete', id, version }]);
    expect(conflict).toMatchObject({
      isError: true,
      value: { errors: [{ pointer: '/operations/0/version' }] },
    });
    expect(JSON.stringify(conflict)).not.toContain('ifMatch');
    for (const wrong of ['create', null]) {
      const { errors } = (await batch([wrong as never])).value;
      expect(errors).toEqual([expect.objectContaining({ pointer: '/operations/0' })]);
    }
  });

  test('has its result as structured content too', async () => {
    const { structuredContent, content } = await resultOf(connection, 'list', { collection: 'tags' });
    expect(structuredContent).toEqual(JSON.parse((content[0] as { text: string }).text));
  });

  test('tells a model what is wrong, as the service says it', async () => {
    const wrong = await call('list', { collection: 'tasks', filters: { prioritty: 'high' } });
    expect(wrong.isError).toBe(true);
    expect(JSON.stringify(wrong.value)).toContain('Did you mean');
    const invalid = await call('createTask', { name: '' });
    expect(JSON.stringify(invalid.value.errors)).toContain('/name');
    // Each sentence once.
    expect(Object.keys(invalid.value)).toEqual(['code', 'status', 'errors', 'requestId']);
    const missing = await call('read', { collection: 'tasks', id: newId() });
    expect(Object.keys(missing.value)).toEqual(['code', 'status', 'detail', 'requestId']);
  });

  test('says why the signed-in user is not there, and gives no version that an update could not take', async () => {
    const { value } = await call('read', { collection: 'users', id: 'me' });
    expect(value).not.toHaveProperty('version');
    const withoutUsers = new Connection({
      url: service.url,
      fetch: async () => Response.json({ subject: 'ada', user: null, scopes: ['tasks:read'] }),
    });
    const { content } = await resultOf(withoutUsers, 'read', { collection: 'users', id: 'me' });
    expect(JSON.stringify(content)).toContain('the token lacks the scope');
  });

  test.each([
    ['read', { collection: '../x', id: 'y' }, 'collection'],
    ['read', { collection: 'tasks', id: '..' }, 'id'],
    ['read', { id: 'y' }, '"collection" is missing'],
    ['read', { collection: 'tasks' }, '"id" is missing'],
    ['createTask', { name: 'x', project: 'p' }, '"project" is not an argument of createTask, which'],
    ['updateTask', { id: 'x', user: null }, '"user" is not an argument of updateTask'],
    ['list', { collection: 'tasks', filters: '{"status":"active"}' }, '"filters" must be an object'],
  ])('%s with the arguments %j sends nothing', async (name, args, message) => {
    const sent = jest.fn();
    const silent = new Connection({ url: service.url, fetch: sent });
    const refused = await resultOf(silent, name, args);
    expect(refused.isError).toBe(true);
    expect(JSON.stringify(refused.content).replaceAll('\\"', '"')).toContain(message);
    expect(sent).not.toHaveBeenCalled();
  });

  test('is an error that names the address when nothing responds', async () => {
    const nobody = new Connection({ url: 'http://localhost:9', tries: 1 });
    const content = [{ text: expect.stringContaining('localhost:9') }];
    expect(await resultOf(nobody, 'list', { collection: 'tags' })).toMatchObject({ isError: true, content });
  });
});
