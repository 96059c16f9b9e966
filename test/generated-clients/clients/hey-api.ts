import { client } from '../dist/hey-api/client/client.gen.ts';
import { listTasks } from '../dist/hey-api/client/index.ts';
import { printTasks, query, url, wrongQuery } from './request.ts';

client.setConfig({ baseUrl: url });

const { data, error } = await listTasks({ query });
if (!data) throw new Error(JSON.stringify(error));
printTasks(data.data);

// @ts-expect-error The field is not sortable.
export const wrong = (): unknown => listTasks({ query: wrongQuery });
