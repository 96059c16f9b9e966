import { endpoint } from '../http/endpoint.ts';
import { json, noStore } from '../http/renderers.ts';
import { checkHealth } from './contract.ts';

export const handler = endpoint(
  checkHealth,
  async ({ session }) => {
    // The item never exists: the response of DynamoDB is what is checked.
    await session.database.get({ pk: '#health', sk: 'health' });
    return { status: 'ok' };
  },
  { render: (_, health) => json(200, JSON.stringify(health), { ...noStore }) },
);
