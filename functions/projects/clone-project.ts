import { Problem } from '../http/problems.ts';
import { writeEndpoint } from '../http/write-endpoint.ts';
import { CloneTooLarge, cloneProjectWithTasks } from './clone.ts';
import { cloneProject } from './contract.ts';

export const handler = writeEndpoint(cloneProject, async ({ session, id, expected, body }) => {
  try {
    return await cloneProjectWithTasks(session, id, expected, {
      name: body.name,
      includesTasks: body.include.includes('tasks'),
    });
  } catch (error) {
    if (!(error instanceof CloneTooLarge)) throw error;
    const detail = `${error.message} Clone it without its tasks, with "include": [].`;
    throw new Problem('clone-too-large', detail, { cause: error });
  }
});
