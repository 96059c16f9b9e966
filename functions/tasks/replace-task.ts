import { readChildIds } from '../engine/lists/children.ts';
import { replaceEndpoint } from '../http/replace-endpoint.ts';
import { replaceTask } from './contract.ts';

export const handler = replaceEndpoint(replaceTask, readChildIds);
