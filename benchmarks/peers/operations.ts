/**
 * The operations of all peers: the store and the schemas of the service without its pipeline, and one unchanged SDK client
 * per process. The peers and the service differ only in the framework and in the parts of the SDK that the service leaves
 * out.
 */

import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as v from 'valibot';
import { createEntity } from '../../functions/engine/entities/create-entity.ts';
import { readEntity } from '../../functions/engine/entities/read-entity.ts';
import { listEntities } from '../../functions/engine/lists/list-entities.ts';
import { EntityNotFound, ReferenceNotFound } from '../../functions/engine/model/errors.ts';
import { SdkDynamoDb } from '../../functions/engine/table/client.ts';
import { Database } from '../../functions/engine/table/database.ts';
import { Deadline } from '../../functions/engine/table/deadline.ts';
import type { Session } from '../../functions/engine/table/session.ts';
import { createProject as creation } from '../../functions/projects/contract.ts';
import { project } from '../../functions/projects/resource.ts';
import { environment } from '../../functions/runtime/environment.ts';
import '../../functions/schema.ts';

/** The store retries itself. */
const client = new SdkDynamoDb(new DynamoDBClient({ maxAttempts: 1 }));

const session = (): Session => ({
  tenant: 'public',
  database: new Database(client, environment.tableName(), new Deadline(9_500)),
});

/** Creates a project. @param body parsed request body. */
export async function createProject(body: unknown): Promise<unknown> {
  const fields = v.parse(creation.body.schema(), body);
  return project.show((await createEntity(session(), 'project', fields)).entity);
}

export async function readProject(id: string): Promise<unknown> {
  return project.show((await readEntity(session(), 'project', id)).entity);
}

export async function listProjects(page: number, limit: number): Promise<unknown> {
  const sort = [{ field: 'createdAt', direction: 'desc' }] as const;
  const query = { filters: [], sort, countBy: [], sumBy: [], page, limit, withTexts: true };
  const { entities, total } = await listEntities(session(), 'project', query);
  const data = entities.map((entity) => project.show(entity));
  return { data, total, page, totalPages: Math.ceil(total / limit) };
}

/** Returns the status for an error. */
export function statusOf(error: unknown): 400 | 404 | 500 {
  if (error instanceof EntityNotFound) return 404;
  return error instanceof v.ValiError || error instanceof ReferenceNotFound ? 400 : 500;
}

/** Returns the response body for an error. */
export const messageOf = (error: unknown): { readonly message: string } => ({
  message: statusOf(error) === 500 ? 'Internal Server Error' : (error as Error).message,
});
