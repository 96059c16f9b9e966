import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { tools } from '../../client/mcp/tools.ts';
import { provideTestService } from '../support/local-service.ts';

/** The official clients of the Model Context Protocol list and call the tools: that of 2026-07-28, and that of the revisions before, by the program and over HTTP. */

const root = join(__dirname, '../..');
const service = provideTestService();

interface Result {
  readonly tools: readonly object[];
  readonly answers: readonly {
    readonly content: readonly { readonly text: string }[];
    readonly isError?: boolean;
  }[];
  readonly instructions: string;
}

const id = '01890000-0000-7000-8000-000000000000';

/** Arguments with which each tool gets an answer of the service. */
const argumentsOf: Readonly<Record<string, object>> = {
  list: { collection: 'tasks', filters: { 'status[in]': 'active,planned' }, limit: 2 },
  changes: { collection: 'tasks', limit: 5 },
  listDeleted: { collection: 'tasks' },
  batch: { collection: 'tags', operations: [{ operation: 'create', body: { name: 'urgent' } }] },
  createOrganization: { name: 'Acme' },
  createProject: { name: 'Relaunch', organizationId: id },
  createUser: { name: 'Ada' },
  createTask: { name: 'Draft', priority: 'high' },
  createTag: { name: 'design' },
};

test('the official clients list and call every tool', async () => {
  const calls = tools.map(({ name, inputSchema }) => {
    const { properties } = inputSchema as { properties: Record<string, object> };
    const collection = 'collection' in properties && { collection: 'tasks' };
    return { name, arguments: argumentsOf[name] ?? { ...collection, id } };
  });
  const command = [process.execPath, join(root, 'bin/pm-api.mjs'), 'mcp', '--url', service.url];
  const program = join(__dirname, 'program.mjs');
  const args = [program, JSON.stringify(command), JSON.stringify(calls), `${service.url}/mcp`];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, maxBuffer: 50_000_000 });
  const results = JSON.parse(stdout) as Record<string, Result>;
  expect(Object.keys(results)).toHaveLength(5);
  for (const { tools: listed, answers, instructions } of Object.values(results)) {
    expect(instructions).toContain('version');
    expect(listed).toEqual(tools.map(({ request: _request, ...tool }) => tool));
    for (const [position, { content, isError = false }] of answers.entries()) {
      const { name, arguments: args } = calls[position] as (typeof calls)[number];
      // What needs an entity gets the problem that there is none.
      expect([name, isError]).toEqual([name, 'id' in args || name === 'createProject']);
      const answer = JSON.parse(content[0]?.text ?? '') as { code?: string };
      if (isError) expect(answer.code).toMatch(/^(?:not-found|invalid-request)$/);
    }
  }
});
