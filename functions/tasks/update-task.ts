import { readChildIds } from '../engine/lists/children.ts';
import { updateEndpoint } from '../http/update-endpoint.ts';
import { updateTask } from './contract.ts';

export const handler = updateEndpoint(updateTask, readChildIds);
