import type { update } from '../contract/contract.ts';
import { updateEntity } from '../engine/entities/update-entity.ts';
import type { readChildIds } from '../engine/lists/children.ts';
import { writeEndpoint } from './write-endpoint.ts';

/** @param readBelow `readChildIds` for a kind whose entities can be below each other. */
export const updateEndpoint = (contract: ReturnType<typeof update>, readBelow?: typeof readChildIds) =>
  writeEndpoint(contract, ({ session, id, body, expected }) =>
    updateEntity(session, { kind: contract.resource.kind, id, expected }, body, readBelow),
  );
