/** Ten screens of an app for project management: the request that fills each, and the same list in SQL. */
import type { ListRequest } from './list-process.ts';

/** What the requests of screens ask for. */
export interface ScreenValues {
  readonly user: string;
  readonly tag: string;
  readonly project: string;
  readonly projects: readonly string[];
  /** What somebody has typed so far. */
  readonly search: string;
  readonly today: string;
  /** The last of seven days that begin today. */
  readonly weekEnd: string;
}

/** The table of the SQL has the name of the collection and the alias `listed`. */
export interface Screen extends ListRequest {
  readonly name: string;
  /** A condition; '' for all rows. */
  readonly where: string;
  readonly order: string;
}

/** The status of open tasks. */
const open = 'status[notIn]=completed,archived';
const openInSql = "listed.status not in ('completed', 'archived')";

/** Ties are broken in the direction of the first field. */
const ascending = 'listed.created_at, listed.id';
const descending = 'listed.created_at desc, listed.id desc';

function ownScreens({ user, today, tag, search }: ScreenValues): Screen[] {
  return [
    {
      name: 'my overdue tasks, by priority, with projects and counts',
      collection: 'tasks',
      query: `userId=${user}&dueDate[lt]=${today}&${open}&sortBy=priority,dueDate&sortOrder=desc,asc&expand=project&countBy=status`,
      where: `listed.user_id = '${user}' and listed.due_date < '${today}' and ${openInSql}`,
      order: `listed.priority desc, listed.due_date, ${descending}`,
    },
    {
      name: 'tasks with a label, last changed first, with labels and counts',
      collection: 'tasks',
      query: `tagIds=${tag}&sortBy=updatedAt&sortOrder=desc&expand=tags&countBy=status`,
      where: `listed.tag_ids @> array['${tag}']::uuid[]`,
      order: `listed.updated_at desc, ${descending}`,
    },
    {
      name: 'search by name while typing',
      collection: 'tasks',
      query: `name[contains]=${search}&sortBy=updatedAt&sortOrder=desc&fields=id,name,status&limit=10`,
      where: `listed.name ilike '%${search}%'`,
      order: `listed.updated_at desc, ${descending}`,
    },
    {
      name: 'recent activity, with projects',
      collection: 'tasks',
      query: 'sortBy=updatedAt&sortOrder=desc&expand=project',
      where: '',
      order: `listed.updated_at desc, ${descending}`,
    },
  ];
}

function projectScreens({ project, projects, today, weekEnd }: ScreenValues): Screen[] {
  const quoted = projects.map((id) => `'${id}'`).join(', ');
  return [
    {
      name: 'board of a project, by status, with users and counts',
      collection: 'tasks',
      query: `projectId=${project}&sortBy=status,priority,dueDate&sortOrder=asc,desc,asc&expand=user&countBy=status`,
      where: `listed.project_id = '${project}'`,
      order: `listed.status, listed.priority desc, listed.due_date nulls first, ${ascending}`,
    },
    {
      name: 'unassigned tasks of a project, by due date',
      collection: 'tasks',
      query: `projectId=${project}&userId[isNull]=true&${open}&sortBy=dueDate&sortOrder=asc`,
      where: `listed.project_id = '${project}' and listed.user_id is null and ${openInSql}`,
      order: `listed.due_date nulls first, ${ascending}`,
    },
    {
      name: 'tasks of five projects that are due in seven days, with users',
      collection: 'tasks',
      query: `projectId[in]=${projects.join(',')}&dueDate[gte]=${today}&dueDate[lte]=${weekEnd}&${open}&sortBy=dueDate,priority&sortOrder=asc,desc&expand=user`,
      where: `listed.project_id in (${quoted}) and listed.due_date between '${today}' and '${weekEnd}' and ${openInSql}`,
      order: `listed.due_date, listed.priority desc, ${ascending}`,
    },
  ];
}

/** Screens of all tasks or projects, which nobody's values narrow. */
const overviews: readonly Screen[] = [
  {
    name: 'open tasks of each user, counts only',
    collection: 'tasks',
    query: `${open}&countBy=userId&fields=id&limit=1`,
    where: openInSql,
    order: descending,
  },
  {
    name: 'projects by due date, with organizations and counts',
    collection: 'projects',
    query: 'status[in]=active,planned&sortBy=dueDate&sortOrder=asc&expand=organization&countBy=status',
    where: "listed.status in ('active', 'planned')",
    order: `listed.due_date nulls first, ${ascending}`,
  },
  {
    name: 'tasks of high priority without a due date, by priority and name, with projects',
    collection: 'tasks',
    query: `dueDate[isNull]=true&priority[gte]=high&${open}&sortBy=priority,name&sortOrder=desc,asc&expand=project`,
    where: `listed.due_date is null and listed.priority >= 3 and ${openInSql}`,
    order: `listed.priority desc, listed.name, ${descending}`,
  },
];

/** Returns the screens. */
export const screensOf = (values: ScreenValues): Screen[] => [
  ...ownScreens(values),
  ...projectScreens(values),
  ...overviews,
];
