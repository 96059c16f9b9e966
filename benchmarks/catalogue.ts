/** The benchmarks by name. Each is the file of this name in this folder. The comment at its start is its help, and names all its options. */
export const benchmarks: Readonly<Record<string, string>> = {
  lists: 'Pages of tasks in collections of several sizes, and on PostgreSQL.',
  screens: 'Ten screens of an app, and on PostgreSQL.',
  writes: 'Mixed writes, their compaction, and the background work of a write by the rate of writes.',
  compaction: 'The steps of compaction after an import.',
  'own-ids': 'Compaction and lists when some creates have ids of the last week.',
  records: 'Bytes and CPU time of the records of the change log.',
  audit: 'Time and memory of the audit, by the size of the table.',
  starts: 'Start of each function.',
  memory: 'First and warm responses with the CPU share of each memory setting.',
  requests: 'A warm request of every operation.',
  contention: 'Parallel creates on an engine that rejects conflicting transactions.',
  changes: 'Requests of the change feed while others write.',
  'hostile-requests': 'Searches for requests that use many units or much CPU time.',
};
