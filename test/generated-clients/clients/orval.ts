import { listTasks } from '../dist/orval/client.ts';
import { printTasks, query, wrongQuery } from './request.ts';

const { status, data } = await listTasks(query);
if (status !== 200) throw new Error(`The service responds ${status}.`);
printTasks(data.data);

// @ts-expect-error The field is not sortable.
export const wrong = (): unknown => listTasks(wrongQuery);
