import { changesEndpoint } from '../http/changes-endpoint.ts';
import { listProjectChanges } from './contract.ts';

export const handler = changesEndpoint(listProjectChanges);
