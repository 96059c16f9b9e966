import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { tools } from '../../client/mcp/tools.ts';
import { provideTestService } from '../support/local-service.ts';
import { toolCalls } from '../support/tool-calls.ts';

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

test('the official clients list and call every tool', async () => {
  const command = [process.execPath, join(root, 'bin/pm-api.mjs'), 'mcp', '--url', service.url];
  const program = join(__dirname, 'program.mjs');
  const args = [program, JSON.stringify(command), JSON.stringify(toolCalls), `${service.url}/mcp`];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root, maxBuffer: 50_000_000 });
  const results = JSON.parse(stdout) as Record<string, Result>;
  expect(Object.keys(results)).toHaveLength(5);
  for (const { tools: listed, answers, instructions } of Object.values(results)) {
    expect(instructions).toContain('version');
    expect(listed).toEqual(tools.map(({ request: _request, ...tool }) => tool));
    for (const [position, { content, isError = false }] of answers.entries()) {
      const { name, arguments: args } = toolCalls[position] as (typeof toolCalls)[number];
      // What needs an entity gets the problem that there is none.
      expect([name, isError]).toEqual([name, 'id' in args || name === 'createProject']);
      const answer = JSON.parse(content[0]?.text ?? '') as { code?: string };
      if (isError) expect(answer.code).toMatch(/^(?:not-found|invalid-request)$/);
    }
  }
});
