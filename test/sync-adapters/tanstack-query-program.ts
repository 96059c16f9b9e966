/** Shows a list with the example of docs/client.md while another client changes it: `node --import tsx tanstack-query-program.ts <url>`. */
import assert from 'node:assert/strict';
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { createClient } from '../../client/index.ts';
import { until } from '../support/until.ts';
import { followTasks } from './tanstack-query-live.ts';

const [url = ''] = process.argv.slice(2);
const [client, other] = [createClient({ url }), createClient({ url })];
const { id: organizationId } = await other.organizations.create({ name: 'Acme' });
const { id: projectId } = await other.projects.create({ name: 'p', organizationId });
const task = await other.tasks.create({ name: 'first', projectId });
const queries = new QueryClient();
const list = new QueryObserver(queries, {
  queryKey: ['tasks', { projectId }],
  queryFn: ({ signal }) => client.tasks.list({ projectId }, { signal }),
});
list.subscribe(() => undefined);
const namesBecome = (names: string) =>
  until(
    () =>
      list
        .getCurrentResult()
        .data?.data.map(({ name }) => name)
        .join() === names,
  );
const stop = new AbortController();
const onError = (error: unknown) => assert.fail(String(error));
const following = followTasks(client, queries, { signal: stop.signal, interval: 20, onError });
await namesBecome('first');
await other.tasks.update(task, { name: 'renamed' });
await namesBecome('renamed');
await other.tasks.delete(task.id);
await namesBecome('');
stop.abort();
await following;
console.log('The query is the list.');
process.exit(0);
