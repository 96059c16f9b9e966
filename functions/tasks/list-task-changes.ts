import { changesEndpoint } from '../http/changes-endpoint.ts';
import { listTaskChanges } from './contract.ts';

export const handler = changesEndpoint(listTaskChanges);
