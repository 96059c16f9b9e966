import { replaceEndpoint } from '../http/replace-endpoint.ts';
import { replaceTag } from './contract.ts';

export const handler = replaceEndpoint(replaceTag);
