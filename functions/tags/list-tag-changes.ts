import { changesEndpoint } from '../http/changes-endpoint.ts';
import { listTagChanges } from './contract.ts';

export const handler = changesEndpoint(listTagChanges);
