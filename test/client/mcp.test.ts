import { agentToolsModule } from '#lib/openapi/agent-tools.ts';
import { agentToolsFile } from '#lib/openapi/committed-document.ts';
import { openApiDocument } from '#lib/openapi/document.ts';
import { resourceDocs } from '#lib/openapi/resources.ts';
import { Connection } from '../../client/connection.ts';
import { callTool } from '../../client/mcp/call-tool.ts';
import { tools } from '../../client/mcp/tools.ts';
import { expectCurrent } from '../support/complete.ts';
import { startFetchedService } from '../support/in-process-fetch.ts';

let service: Awaited<ReturnType<typeof startFetchedService>>;
let connection: Connection;

beforeAll(async () => {
  service = await startFetchedService();
  connection = new Connection({ url: service.url, fetch: service.fetch });
});

afterAll(() => service.stop());

const call = async (name: string, args: object) => {
  const tool = tools.find((one) => one.name === name);
  if (!tool) throw new Error(`There is no tool ${name}.`);
  const { content, isError } = await callTool(connection, tool, args as never, new AbortController().signal);
  return { isError: isError ?? false, value: JSON.parse((content[0] as { text: string }).text) };
};

describe('the tools', () => {
  test('are those of the contracts', () => {
    expectCurrent(agentToolsFile, agentToolsModule(openApiDocument()));
  });

  test('are eight for all resources, two for each and one for each action, in at most 24,000 characters', () => {
    const listed = tools.map(({ request: _request, ...tool }) => tool);
    const actions = tools.filter(({ request }) => /^\/v1\/[a-z]+\/\{id\}\//.test(request.path));
    const expected = 8 + 2 * Object.keys(resourceDocs).length + actions.length;
    expect(listed.length).toBeLessThanOrEqual(expected);
    expect(JSON.stringify(listed).length).toBeLessThanOrEqual(24_000);
    expect(new Set(listed.map(({ name }) => name)).size).toBe(listed.length);
  });
});

describe('a call', () => {
  test('creates, lists, updates with a version, and deletes', async () => {
    const { value: task } = await call('createTask', { name: 'Draft', priority: 'high', tagIds: [] });
    expect(task).toMatchObject({ name: 'Draft', priority: 'high', version: expect.any(String) });
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
    const tool = tools.find(({ name }) => name === 'delete');
    const args = { collection: 'tasks', id: task.id };
    expect(await callTool(connection, tool as never, args, new AbortController().signal)).toEqual({
      content: [{ type: 'text', text: 'Done.' }],
    });
    expect(await call('read', args)).toMatchObject({ isError: true, value: { code: 'not-found' } });
  });

  test('tells a model what is wrong, as the service says it', async () => {
    const wrong = await call('list', { collection: 'tasks', filters: { prioritty: 'high' } });
    expect(wrong.isError).toBe(true);
    expect(JSON.stringify(wrong.value)).toContain('Did you mean');
    const unknown = await call('createTask', { nmae: 'x' });
    expect(JSON.stringify(unknown.value.errors)).toContain('/nmae');
  });

  test.each([[{ collection: '../x', id: 'y' }], [{ collection: 'tasks', id: '..' }], [{ id: 'y' }]])(
    'with the arguments %j sends nothing',
    async (args) => {
      const sent = jest.fn();
      const silent = new Connection({ url: service.url, fetch: sent });
      const tool = tools.find(({ name }) => name === 'read') as (typeof tools)[number];
      const result = await callTool(silent, tool, args as never, new AbortController().signal);
      expect(result.isError).toBe(true);
      expect(sent).not.toHaveBeenCalled();
    },
  );

  test('is an error that names the address when nothing responds', async () => {
    const nobody = new Connection({ url: 'http://localhost:9', tries: 1 });
    const tool = tools.find(({ name }) => name === 'list') as (typeof tools)[number];
    const result = await callTool(nobody, tool, { collection: 'tags' }, new AbortController().signal);
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('localhost:9') }],
    });
  });
});
