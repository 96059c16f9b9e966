import type { update } from '../contract/contract.ts';
import { updateEntity } from '../engine/entities/update-entity.ts';
import { endpoint } from './endpoint.ts';

export const updateEndpoint = (contract: ReturnType<typeof update>) =>
  endpoint(contract, ({ session, id, body, expected }) =>
    updateEntity(session, { kind: contract.resource.kind, id, expected }, body),
  );
