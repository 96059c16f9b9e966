import type { Faker } from '@faker-js/faker';
import { faker as english } from '@faker-js/faker/locale/en';
import type { Kind } from '../../functions/shared/store/model/relations.ts';

/** The order in which they can be created: what is referred to comes first. */
export const kinds = ['organization', 'user', 'tag', 'project', 'task'] as const satisfies readonly Kind[];

/** How many there are of each kind. */
export type Amounts = Readonly<Record<Kind, number>>;

/** What is decided of an entity: what it belongs to, how far it is, where a person is from, and all else. */
const aspects = ['owner', 'status', 'origin', 'members'] as const;

/**
 * Random choices about one aspect of one entity. They are the same in every run, in whichever order they are
 * asked for; but only until the next call, because the library has one state for each language.
 */
export type Source = (
  kind: Kind,
  position: number,
  aspect: (typeof aspects)[number],
  language?: Faker,
) => Faker;

export const source =
  (seed: number): Source =>
  (kind, position, aspect, language = english) => {
    language.seed([seed, kinds.indexOf(kind), position, aspects.indexOf(aspect)]);
    return language;
  };
