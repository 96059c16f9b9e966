import { endpoint } from '../shared/http/endpoint.ts';
import { checkHealth } from './contract.ts';

export const handler = endpoint(checkHealth, async ({ session }) => {
  // An item that never exists: what counts is that the database answers.
  await session.database.get({ pk: '#health', sk: 'health' });
  return { status: 'ok' };
});
