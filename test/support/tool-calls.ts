import { tools } from '#client/mcp/tools.ts';

const id = '01890000-0000-7000-8000-000000000000';

/** Arguments with which a tool does something. */
const argumentsOf: Readonly<Record<string, object>> = {
  list: { collection: 'tasks', filters: { 'priority[gte]': 'low' }, limit: 2 },
  changes: { collection: 'tasks', limit: 5 },
  listDeleted: { collection: 'tasks' },
  batch: { collection: 'tags', operations: [{ operation: 'create', body: { name: 'urgent' } }] },
  createOrganization: { name: 'Acme' },
  createProject: { name: 'Relaunch', organizationId: id },
  createUser: { name: 'Ada' },
  createTask: { name: 'Draft', priority: 'high' },
  createTag: { name: 'design' },
};

/** A call of each tool. What needs an entity gets the id of none. */
export const toolCalls = tools.map(({ name, inputSchema }) => {
  const { properties } = inputSchema as { properties: Record<string, object> };
  const collection = 'collection' in properties && { collection: 'tasks' };
  return { name, arguments: argumentsOf[name] ?? { ...collection, id } };
});
