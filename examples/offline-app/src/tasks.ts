import { createCollection } from '@tanstack/react-db';
import { createClient, ProblemError, Replication } from 'project-management-client';
import { listCollection } from 'project-management-client/tanstack-db';
import { accessToken, signIn } from './sign-in.ts';

export const client = createClient({ url: 'http://localhost:3000', token: accessToken });

/** The open and completed tasks, equal to the list of the service. Changes that are made offline are sent later. */
export const tasks = createCollection(
  listCollection(new Replication(client.tasks, { status: { in: ['active', 'completed'] } }), {
    live: true,
    // Where the service announces no changes.
    interval: 1_000,
    // The session has ended.
    onError: (error) => error instanceof ProblemError && error.problem.status === 401 && signIn(),
  }),
);
