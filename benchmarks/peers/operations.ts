/**
 * What every peer does behind its own routing, parsing and answering: the service's store, its schemas and nothing of
 * its pipeline; and the SDK's client as it comes, one for the process, as everyone has it. So what differs between the
 * peers and the service is the framework, and what the service leaves out of the SDK.
 */

import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as v from 'valibot';
import { createProject as creation, project } from '../../functions/projects/contract.ts';
import { environment } from '../../functions/shared/environment.ts';
import { Database } from '../../functions/shared/store/dynamodb/database.ts';
import { Deadline } from '../../functions/shared/store/dynamodb/deadline.ts';
import { createEntity } from '../../functions/shared/store/entities/create-entity.ts';
import { listEntities } from '../../functions/shared/store/lists/list-entities.ts';
import { EntityNotFound, ReferenceNotFound } from '../../functions/shared/store/model/errors.ts';
import { readEntity } from '../../functions/shared/store/unit-of-work/read-entity.ts';
import type { Session } from '../../functions/shared/store/unit-of-work/session.ts';

/** The store tries again by itself. */
const client = new DynamoDBClient({ maxAttempts: 1 });

const session = (): Session => ({
  tenant: 'public',
  database: new Database(client, environment.tableName(), new Deadline(9_500)),
});

/** @param body the parsed body of the request. */
export async function createProject(body: unknown): Promise<unknown> {
  const fields = v.parse(creation.body.schema(), body);
  return project.show((await createEntity(session(), 'project', fields)).entity);
}

export async function readProject(id: string): Promise<unknown> {
  return project.show((await readEntity(session(), 'project', id)).entity);
}

export async function listProjects(page: number, limit: number): Promise<unknown> {
  const { members } = project;
  const query = { filters: [], sortBy: 'createdAt', sortOrder: 'desc', page, limit, members } as const;
  const { entities, total } = await listEntities(session(), 'project', query);
  const data = entities.map((entity) => project.show(entity));
  return { data, total, page, totalPages: Math.ceil(total / limit) };
}

/** The status for what went wrong. */
export function statusOf(error: unknown): 400 | 404 | 500 {
  if (error instanceof EntityNotFound) return 404;
  return error instanceof v.ValiError || error instanceof ReferenceNotFound ? 400 : 500;
}

/** What the answer says of it. */
export const messageOf = (error: unknown): { readonly message: string } => ({
  message: statusOf(error) === 500 ? 'Internal Server Error' : (error as Error).message,
});
