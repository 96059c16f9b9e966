/** The list that each program requests, and what it prints. */

declare const process: { readonly argv: readonly string[] };

/** URL of the service: the argument of the program. */
export const url = process.argv[2] ?? '';

const list = <T extends string>(...values: T[]): T[] => values;

export const query = {
  'dueDate[lt]': '2026-06-01',
  'status[in]': list('active', 'planned'),
  'name[notIn]': list('Draft, old', 'Print'),
  expand: list('project', 'user'),
  sortBy: list('priority', 'dueDate'),
  sortOrder: list('desc', 'asc'),
};

/** A query that must not compile: no list sorts by tags. */
export const wrongQuery = { ...query, sortBy: list('tagIds') };

/** The fields that the programs read. A generated type that lacks one does not compile. */
interface ListedTask {
  readonly name?: string;
  readonly priority?: 'none' | 'low' | 'medium' | 'high' | 'urgent';
  readonly dueDate?: string | null;
  readonly project?: { readonly name: string } | null;
  readonly user?: { readonly name: string } | null;
}

export function printTasks(tasks: readonly ListedTask[]): void {
  const rows = tasks.map(({ name, priority, dueDate, project, user }) => [
    name,
    priority,
    dueDate,
    project?.name,
    user?.name,
  ]);
  console.log(JSON.stringify(rows));
}
