import type { create } from '../contract/contract.ts';
import { newFields } from '../contract/resource.ts';
import { createEntity } from '../engine/entities/create-entity.ts';
import { writeEndpoint } from './write-endpoint.ts';

export const createEndpoint = (contract: ReturnType<typeof create>) =>
  writeEndpoint(contract, ({ session, body }) =>
    createEntity(session, contract.resource.kind, newFields(contract.resource, body)),
  );
