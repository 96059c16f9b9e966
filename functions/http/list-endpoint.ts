import type { list, listOf } from '../contract/contract.ts';
import { listEntities } from '../engine/lists/list-entities.ts';
import { endpoint } from './endpoint.ts';

export const listEndpoint = (contract: ReturnType<typeof list | typeof listOf>) =>
  endpoint(contract, ({ session, query }) => listEntities(session, contract.resource.kind, query));
