/** A program that uses the packed client. */

export const program = (url: string): string => `
import { createClient, isProblem } from 'project-management-client';

const client = createClient({ url: '${url}' });
await client.tags.create({ name: 'installed' });
for await (const tag of client.tags.iterate({ name: 'installed' })) {
  console.log(tag.name);
  await client.tags.delete(tag);
}
try {
  await client.tags.get('unknown');
} catch (error) {
  if (isProblem(error, 'not-found')) console.log(error.problem.status, error.problem.type);
}
`;

export const printedBy = (url: string): string => `installed\n404 ${url}/docs/problems#not-found\n`;
