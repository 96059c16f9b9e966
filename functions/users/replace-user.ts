import { replaceEndpoint } from '../http/replace-endpoint.ts';
import { replaceUser } from './contract.ts';

export const handler = replaceEndpoint(replaceUser);
