import type * as define from '../contract/contract.ts';
import { listDeleted } from '../engine/lists/list-deleted.ts';
import { endpoint } from './endpoint.ts';

export const deletedListEndpoint = (contract: ReturnType<typeof define.listDeleted>) =>
  endpoint(contract, ({ session, query }) => listDeleted(session, contract.resource.kind, query));
