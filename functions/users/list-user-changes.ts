import { changesEndpoint } from '../http/changes-endpoint.ts';
import { listUserChanges } from './contract.ts';

export const handler = changesEndpoint(listUserChanges);
