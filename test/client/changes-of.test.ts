import { createClient } from '#client/index.ts';
import { changesOf } from '../support/changes-of.ts';
import { provideFetchedService } from '../support/in-process-fetch.ts';

const client = createClient(provideFetchedService());

test('the feeds say what a request changes, with everything that it changes besides', async () => {
  const organization = await client.organizations.create({ name: 'a' });
  const project = await client.projects.create({ name: 'p', organizationId: organization.id });
  const user = await client.users.create({ name: 'u', organizationId: organization.id });
  const task = await client.tasks.create({ name: 't', projectId: project.id, userId: user.id });
  const nothing = { changed: [], removed: [] };
  const none = { organizations: nothing, projects: nothing, users: nothing, tasks: nothing, tags: nothing };
  const changed = await changesOf(client, () => client.users.delete(user.id));
  expect(changed).toEqual({
    ...none,
    users: { changed: [], removed: [user.id] },
    tasks: { changed: [task.id], removed: [] },
  });
  expect(await changesOf(client, () => client.organizations.delete(organization.id))).toEqual({
    ...none,
    organizations: { changed: [], removed: [organization.id] },
    projects: { changed: [], removed: [project.id] },
    tasks: { changed: [], removed: [task.id] },
  });
  expect(await changesOf(client, () => client.tags.list())).toEqual(none);
});
