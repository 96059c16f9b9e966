import createClient from 'openapi-fetch';
import type { paths } from '../dist/openapi-fetch.ts';
import { printTasks, query, url, wrongQuery } from './request.ts';

const client = createClient<paths>({ baseUrl: url });

const { data, error } = await client.GET('/v1/tasks', { params: { query } });
if (!data) throw new Error(JSON.stringify(error));
printTasks(data.data);

// @ts-expect-error The field is not sortable.
export const wrong = (): unknown => client.GET('/v1/tasks', { params: { query: wrongQuery } });
