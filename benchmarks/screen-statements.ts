/** The two statements with which an engineer fills a screen from PostgreSQL: its page with what it expands, and its counts. */
import { defaultLimit } from '../functions/http/parse-list-query.ts';
import type { Screen } from './app-screens.ts';
import { columnOf } from './postgres.ts';

/** Values of a field that are counted, at most, as in the service. */
const maxCounts = 100;

interface Join {
  readonly select: string;
  readonly join: string;
}

const joinOne = (name: string, table: string): Join => ({
  select: `to_jsonb(${name}) as ${name}`,
  join: `left join ${table} ${name} on ${name}.id = listed.${name}_id`,
});

/** What joins the rows of references, by the name in `expand`. "user" is a reserved word. */
const joins: Readonly<Record<string, Join>> = {
  organization: joinOne('organization', 'organizations'),
  project: joinOne('project', 'projects'),
  user: {
    select: 'to_jsonb(assignee) as assignee',
    join: 'left join users assignee on assignee.id = listed.user_id',
  },
  tags: {
    select: 'tags.tags',
    join: 'left join lateral (select jsonb_agg(tag) as tags from tags tag where tag.id = any (listed.tag_ids)) tags on true',
  },
};

const fromOf = ({ collection, where }: Screen): string =>
  `from ${collection} listed${where && ` where ${where}`}`;

const namesIn = (parameters: URLSearchParams, name: string): string[] =>
  parameters.get(name)?.split(',') ?? [];

/** Returns the statement that reads the page of a screen, its first column being the id. */
export function pageStatement(screen: Screen): string {
  const parameters = new URLSearchParams(screen.query);
  const limit = parameters.get('limit') ?? defaultLimit;
  const joined = namesIn(parameters, 'expand').flatMap((name) => joins[name] ?? []);
  const fields = namesIn(parameters, 'fields').map((field) => `listed.${columnOf(field)}`);
  const columns = fields.length > 0 ? fields.join(', ') : 'listed.*';
  const page = `select ${columns} ${fromOf(screen)} order by ${screen.order} limit ${limit}`;
  if (joined.length === 0) return page;
  const selected = joined.map(({ select }) => select).join(', ');
  const joinClauses = joined.map(({ join }) => join).join(' ');
  return `select listed.*, ${selected} from (${page}) listed ${joinClauses} order by ${screen.order}`;
}

/** Returns the statement that counts what matches; if the screen has counts, each value with its count and the total. */
export function countStatement(screen: Screen): string {
  const [field] = namesIn(new URLSearchParams(screen.query), 'countBy');
  if (field === undefined) return `select count(*) ${fromOf(screen)}`;
  const column = `listed.${columnOf(field)}`;
  return `select ${column}, count(*), sum(count(*)) over () ${fromOf(screen)} group by 1 order by 2 desc, 1 nulls first limit ${maxCounts}`;
}
