import { faker } from '@faker-js/faker/locale/en';
import type { NewOrganization, NewProject, NewTag, NewTask, NewUser } from '../../client/index.ts';
import type { CollectionName } from '../command-line/collections.ts';

export type Amounts = Readonly<Record<CollectionName, number>>;

/** Ids of the created entities by kind, in the order in which they were generated. */
export type Ids = Readonly<Record<CollectionName, readonly string[]>>;

const tagNames = ['bug', 'feature', 'design', 'documentation', 'legal', 'research', 'security', 'finance'];
const projectNames = [
  'Website relaunch',
  'Mobile app {{number.int({"min":2,"max":5})}}.0',
  'Office move to {{location.city}}',
  '{{company.name}} integration',
  'Onboarding of {{company.name}}',
  'Trade fair in {{location.city}}',
];
const taskNames = [
  'Fix the {{hacker.noun}} {{hacker.noun}} on Android',
  'Call {{person.fullName}} about the contract',
  'Review the offer from {{company.name}}',
  'Update the {{hacker.abbreviation}} documentation',
  'Test the {{commerce.productName}} page',
  'Book a room in {{location.city}}',
  'Agree on the budget for {{date.month}}',
];
const sentences = [
  'Reported by {{person.fullName}}.',
  'See the notes of the call on {{date.weekday}}.',
  'It happens about {{number.int({"min":2,"max":40})}} times a day.',
  'The customer expects a response by {{date.weekday}}.',
  '{{hacker.phrase}}',
];

const weighted = <const Value>(...choices: readonly (readonly [weight: number, value: Value])[]): Value =>
  faker.helpers.weightedArrayElement(choices.map(([weight, value]) => ({ weight, value })));

const phrase = (patterns: readonly string[]): string =>
  faker.helpers.fake(faker.helpers.arrayElement(patterns));

const prose = (count: number): string => Array.from({ length: count }, () => phrase(sentences)).join(' ');

/** Returns a position below `amount`. Low positions are more frequent: a few parents have most of the children. */
const skewed = (amount: number): number => Math.floor(amount * faker.number.float({ max: 0.999_999 }) ** 2);

function append(groups: number[][], group: number, position: number): void {
  const positions = groups[group] ?? [];
  positions.push(position);
  groups[group] = positions;
}

interface Stage {
  readonly status: string;
  readonly taskStatuses: readonly string[];
  /** Days from today. */
  readonly due: readonly [min: number, max: number];
}

const active: Stage = {
  status: 'active',
  taskStatuses: ['planned', 'active', 'completed'],
  due: [-10, 200],
};
const planned: Stage = { status: 'planned', taskStatuses: ['planned'], due: [100, 300] };
const completed: Stage = { status: 'completed', taskStatuses: ['completed', 'archived'], due: [-180, -5] };
const projectStage = (): Stage => weighted([60, active], [20, planned], [20, completed]);

/**
 * Generates entities from a seed, kind by kind in the order of `collections`. The methods take the ids of the kinds before.
 * Only one generator can be used at a time: faker has one state.
 */
export class DataGenerator {
  readonly #amounts: Amounts;
  readonly #today: Date;
  readonly #organizationNames: string[] = [];
  /** Positions of users and tags by the position of their organization. */
  readonly #usersOf: number[][] = [];
  readonly #tagsOf: number[][] = [];
  readonly #projects: { readonly organization: number; readonly stage: Stage }[] = [];

  /** @param today day to which dates are relative. */
  constructor(amounts: Amounts, seed: number, today: Date) {
    faker.seed(seed);
    this.#amounts = amounts;
    this.#today = today;
  }

  /** Returns the position of an organization. Each one gets an entity of every kind before one gets a second. */
  #owner(position: number): number {
    const { organizations } = this.#amounts;
    return position < organizations ? position : skewed(organizations);
  }

  #date(min: number, max: number): string {
    const days = faker.number.int({ min, max });
    return new Date(this.#today.getTime() + days * 86_400_000).toISOString().slice(0, 10);
  }

  organizations(position: number): NewOrganization {
    const name = faker.company.name();
    this.#organizationNames[position] = name;
    return { name, description: `${faker.company.catchPhrase()}.` };
  }

  users(position: number, ids: Ids): NewUser {
    const organization = this.#owner(position);
    append(this.#usersOf, organization, position);
    const [firstName, lastName] = [faker.person.firstName(), faker.person.lastName()];
    const employer = this.#organizationNames[organization] ?? 'freelance';
    // The top-level domain "example" is reserved (RFC 2606, section 2).
    const provider = `${employer.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.example`;
    return {
      name: `${firstName} ${lastName}`,
      status: weighted([95, 'active'], [5, 'archived']),
      email: faker.internet.email({ firstName, lastName, provider }).toLowerCase(),
      organizationId: ids.organizations[organization] ?? null,
    };
  }

  tags(position: number, ids: Ids): NewTag {
    const organization = this.#owner(position);
    append(this.#tagsOf, organization, position);
    return {
      name: tagNames[position] ?? `release ${position - tagNames.length + 1}`,
      color: faker.color.rgb({ casing: 'lower' }),
      organizationId: ids.organizations[organization] ?? null,
    };
  }

  projects(position: number, ids: Ids): NewProject {
    const organization = this.#owner(position);
    const stage = projectStage();
    this.#projects[position] = { organization, stage };
    const [min, max] = stage.due;
    const users = (this.#usersOf[organization] ?? []).flatMap((user) => ids.users[user] ?? []);
    const memberIds = faker.helpers.arrayElements(users, { min: Math.min(1, users.length), max: 5 });
    return {
      name: phrase(projectNames),
      status: stage.status,
      description: prose(faker.number.int({ min: 1, max: 6 })),
      organizationId: ids.organizations[organization] ?? '',
      startDate: this.#date(min - 300, min - 50),
      dueDate: this.#date(min, max),
      visibility: weighted([2, 'tenant'], [1, 'members']),
      memberIds,
    };
  }

  /** Project, user and tags of a task belong to one organization. */
  tasks(_position: number, ids: Ids): NewTask {
    const position = skewed(this.#projects.length);
    const { organization, stage } = this.#projects[position] ?? { organization: 0, stage: projectStage() };
    const users = this.#usersOf[organization] ?? [];
    const user = faker.datatype.boolean(0.8) ? (users[skewed(users.length)] ?? -1) : -1;
    const tagCount = weighted([25, 0], [40, 1], [25, 2], [10, 3]);
    const tags = faker.helpers.arrayElements(this.#tagsOf[organization] ?? [], tagCount);
    const dueDate = this.#date(...stage.due);
    return {
      name: phrase(taskNames),
      status: faker.helpers.arrayElement(stage.taskStatuses),
      priority: weighted([30, 'none'], [20, 'low'], [30, 'medium'], [15, 'high'], [5, 'urgent']),
      description: prose(weighted([35, 0], [40, 1], [20, 3], [5, 9])),
      projectId: ids.projects[position] ?? null,
      userId: ids.users[user] ?? null,
      dueDate: faker.datatype.boolean(0.6) ? dueDate : null,
      tagIds: tags.flatMap((tag) => ids.tags[tag] ?? []),
      estimate: weighted([40, null], [10, 0.5], [15, 1], [15, 2], [10, 3], [7, 5], [3, 8]),
    };
  }
}
