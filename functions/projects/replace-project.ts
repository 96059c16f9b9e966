import { replaceEndpoint } from '../http/replace-endpoint.ts';
import { replaceProject } from './contract.ts';

export const handler = replaceEndpoint(replaceProject);
