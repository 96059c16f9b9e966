import type { update } from '../contract/contract.ts';
import { updateEntity } from '../engine/entities/update-entity.ts';
import { endpoint } from './endpoint.ts';
import type { Handler } from './middleware.ts';

export const updateEndpoint = (contract: ReturnType<typeof update>): Handler =>
  endpoint(contract, ({ session, id, body, expected }) =>
    updateEntity(session, { kind: contract.resource.kind, id, expected }, body),
  );
