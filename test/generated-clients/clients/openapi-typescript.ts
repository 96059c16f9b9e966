import createClient from 'openapi-fetch';
import type { paths } from '../dist/openapi-typescript/api.ts';
import { printTasks, query, url, wrongQuery } from './request.ts';

const client = createClient<paths>({ baseUrl: url });

const { data, error } = await client.GET('/v1/tasks', { params: { query } });
if (!data) throw new Error(JSON.stringify(error));
printTasks(data.data);

/** Fields with defaults are optional in a body. */
export const create = (): unknown => client.POST('/v1/tasks', { body: { name: 'Draft' } });

// @ts-expect-error The field is not sortable.
export const wrong = (): unknown => client.GET('/v1/tasks', { params: { query: wrongQuery } });
