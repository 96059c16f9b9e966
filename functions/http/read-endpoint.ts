import type { read } from '../contract/contract.ts';
import { readEntity } from '../engine/entities/read-entity.ts';
import { endpoint } from './endpoint.ts';

export const readEndpoint = (contract: ReturnType<typeof read>) =>
  endpoint(contract, ({ session, id }) => readEntity(session, contract.resource.kind, id));
