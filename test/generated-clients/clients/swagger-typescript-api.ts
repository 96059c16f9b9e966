import { Api } from '../dist/swagger-typescript-api/client.ts';
import { printTasks, query, url, wrongQuery } from './request.ts';

const api = new Api({ baseUrl: url });

const { data } = await api.v1.listTasks(query);
printTasks(data.data);

// @ts-expect-error The field is not sortable.
export const wrong = (): unknown => api.v1.listTasks(wrongQuery);
