/** The benchmarks by name. Each is the file of this name in this folder. The comment at its start is its help, and names all its options. */
export const benchmarks: Readonly<Record<string, string>> = {
  lists: 'Pages of tasks in collections of several sizes, and on PostgreSQL.',
  deleted: 'Pages of tasks beside deleted ones.',
  screens: 'Ten screens of an app, and on PostgreSQL.',
  writes: 'Mixed writes, their compaction, and the background work of a write by the rate of writes.',
  compaction: 'The steps of compaction after an import.',
  starts: 'Start of each function.',
  requests: 'A warm request of every operation.',
  changes: 'Requests of the change feed while others write.',
  memory: 'Hit rate and read units by the memory of a process, for 1,000 tenants.',
  live: 'A thousand clients that follow announced changes.',
  'hostile-requests': 'Searches for requests that use many units or much CPU time.',
};
