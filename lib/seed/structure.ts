/** Who belongs to whom, before there is anything: entities are known by their positions. */
import { draw, skewed } from './drawing.ts';
import * as habits from './habits.ts';
import type { Amounts, Source } from './source.ts';

export interface Structure {
  readonly organizations: readonly { readonly name: string; readonly status: string }[];
  /** The organization of each. */
  readonly users: readonly (number | undefined)[];
  /** The organization of each; some are everyone's. */
  readonly tags: readonly (number | undefined)[];
  readonly projects: readonly { readonly organization: number; readonly status: string }[];
  /** Those of one organization, by its position. */
  usersOf(organization: number): readonly number[];
  /** Those of one organization, and everyone's. */
  tagsOf(organization: number): readonly number[];
}

/** The project that gets most tasks. */
export const largestProject = 0;

const list = <Value>(amount: number, make: (position: number) => Value): Value[] =>
  Array.from({ length: amount }, (_, position) => make(position));

/** Positions by what they belong to. */
function grouped(owners: readonly (number | undefined)[]): ReadonlyMap<number | undefined, number[]> {
  const groups = new Map<number | undefined, number[]>();
  for (const [position, owner] of owners.entries()) {
    const group = groups.get(owner);
    if (group) group.push(position);
    else groups.set(owner, [position]);
  }
  return groups;
}

export function structure(amounts: Amounts, source: Source): Structure {
  const organizations = list(amounts.organization, (position) => {
    const faker = source('organization', position, 'status');
    // The first is the largest.
    const status = position === 0 ? 'active' : draw(faker, habits.organizationStatuses);
    return { name: faker.company.name(), status };
  });

  /** Each organization gets one, as long as there are enough; of the others, the first ones get most. */
  const owner = (kind: 'user' | 'tag' | 'project', position: number): number | undefined => {
    if (amounts.organization === 0) return undefined;
    const faker = source(kind, position, 'owner');
    return position < amounts.organization ? position : skewed(faker, amounts.organization);
  };
  const users = list(amounts.user, (position) => owner('user', position));
  const tags = list(amounts.tag, (position) => (position % 3 === 0 ? undefined : owner('tag', position)));
  const projects = list(amounts.project, (position) => {
    const organization = owner('project', position) ?? 0;
    const drawn = draw(source('project', position, 'status'), habits.projectStatuses);
    const status = position === largestProject ? 'active' : drawn;
    const isArchived = organizations[organization]?.status === 'archived';
    return { organization, status: isArchived ? 'archived' : status };
  });

  const byUsers = grouped(users);
  const byTags = grouped(tags);
  return {
    organizations,
    users,
    tags,
    projects,
    usersOf: (organization) => byUsers.get(organization) ?? [],
    tagsOf: (organization) => [...(byTags.get(undefined) ?? []), ...(byTags.get(organization) ?? [])],
  };
}
