/**
 * Data that looks as if people had worked with it. Every entity is a function of the seed, its kind and its
 * position, so that it is the same in every run, in whichever order the requests are done.
 */
import type { Faker } from '@faker-js/faker';
import { faker as german } from '@faker-js/faker/locale/de';
import { faker as english } from '@faker-js/faker/locale/en';
import { faker as spanish } from '@faker-js/faker/locale/es';
import { faker as polish } from '@faker-js/faker/locale/pl';
import type { Kind } from '../../functions/shared/store/model/relations.ts';
import { draw, phrase, prose, type Shares, skewed, workingDay } from './drawing.ts';
import * as habits from './habits.ts';
import { type Amounts, type Source, source } from './source.ts';
import { type Structure, structure } from './structure.ts';
import { projectNames, sentences, tagNames, taskNames } from './vocabulary.ts';

/** The ids of what exists already, by position. */
export type Ids = Readonly<Record<Kind, readonly string[]>>;

export type Body = Readonly<Record<string, unknown>>;

/** Where people's names are from. */
const origins: Shares<Faker> = [
  [70, english],
  [12, german],
  [10, spanish],
  [8, polish],
];

export class BelievableData {
  readonly #amounts: Amounts;
  readonly #today: Date;
  readonly #source: Source;
  readonly #structure: Structure;

  /** @param today the day around which dates are. */
  constructor(amounts: Amounts, seed: number, today: Date) {
    this.#amounts = amounts;
    this.#today = today;
    this.#source = source(seed);
    this.#structure = structure(amounts, this.#source);
  }

  /**
   * What to create.
   * @param ids of all kinds that come before this one.
   */
  body(kind: Kind, position: number, ids: Ids): Body {
    switch (kind) {
      case 'organization':
        return this.#organization(position);
      case 'user':
        return this.#user(position, ids);
      case 'tag':
        return this.#tag(position, ids);
      case 'project':
        return this.#project(position, ids);
      case 'task':
        return this.#task(position, ids);
    }
  }

  #organization(position: number): Body {
    const faker = this.#source('organization', position, 'members');
    return { ...this.#structure.organizations[position], description: `${faker.company.catchPhrase()}.` };
  }

  #user(position: number, ids: Ids): Body {
    const organization = this.#structure.users[position] ?? -1;
    const employer = this.#structure.organizations[organization]?.name ?? 'freelance';
    const origin = draw(this.#source('user', position, 'origin'), origins);
    const faker = this.#source('user', position, 'members', origin);
    const [firstName, lastName] = [faker.person.firstName(), faker.person.lastName()];
    // A domain that nobody can have (RFC 2606, 2).
    const provider = `${employer.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.example`;
    return {
      name: `${firstName} ${lastName}`,
      status: draw(faker, habits.userStatuses),
      email: faker.datatype.boolean(0.95)
        ? faker.internet.email({ firstName, lastName, provider }).toLowerCase()
        : null,
      organizationId: ids.organization[organization] ?? null,
    };
  }

  #tag(position: number, ids: Ids): Body {
    const faker = this.#source('tag', position, 'members');
    const release = position - tagNames.length;
    return {
      name: tagNames[position] ?? `release ${Math.floor(release / 10) + 1}.${release % 10}`,
      color: faker.color.rgb({ casing: 'lower' }),
      description: faker.datatype.boolean(0.4) ? prose(faker, sentences, 1) : '',
      organizationId: ids.organization[this.#structure.tags[position] ?? -1] ?? null,
    };
  }

  #project(position: number, ids: Ids): Body {
    const { organization, status } = this.#structure.projects[position] ?? {
      organization: 0,
      status: 'active',
    };
    const days = habits.projectDays[habits.stageOf(status)];
    const faker = this.#source('project', position, 'members');
    return {
      name: phrase(faker, projectNames),
      status,
      description: prose(faker, sentences, faker.number.int({ min: 1, max: 6 })),
      organizationId: ids.organization[organization],
      startDate: faker.datatype.boolean(0.92) ? workingDay(faker, this.#today, days.start) : null,
      dueDate: faker.datatype.boolean(0.85) ? workingDay(faker, this.#today, days.due) : null,
    };
  }

  /** Project, person and tags of a task are of one organization, or everyone's. */
  #task(position: number, ids: Ids): Body {
    const { projects, usersOf, tagsOf } = this.#structure;
    const faker = this.#source('task', position, 'members');
    const project = faker.datatype.boolean(0.96) ? skewed(faker, projects.length) : -1;
    const anyOrganization = skewed(faker, this.#amounts.organization);
    const { organization = anyOrganization, status: projectStatus = 'active' } = projects[project] ?? {};
    const users = usersOf(organization);
    const user = faker.datatype.boolean(0.82) ? (users[skewed(faker, users.length)] ?? -1) : -1;
    const tags = faker.helpers.arrayElements(tagsOf(organization), draw(faker, habits.tagsPerTask));
    const status = draw(faker, habits.taskStatuses[habits.stageOf(projectStatus)]);
    const days = draw(faker, habits.isFinished(status) ? habits.finishedTaskDays : habits.taskDays);
    return {
      name: phrase(faker, taskNames),
      status,
      priority: draw(faker, habits.priorities),
      description: prose(faker, sentences, draw(faker, habits.sentencesPerTask)),
      projectId: ids.project[project] ?? null,
      userId: ids.user[user] ?? null,
      dueDate: days && workingDay(faker, this.#today, days),
      tagIds: tags.map((tag) => ids.tag[tag]),
    };
  }
}
