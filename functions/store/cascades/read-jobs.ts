/** The jobs of all tenants, from the partitions of the index that hold them. The index may lag. */
import type { Database } from '../dynamodb/database.ts';
import { decodeJob, type Job, jobPartitions, jobsQuery } from '../model/job.ts';

async function readPartition(database: Database, partition: number): Promise<Job[]> {
  const found: Job[] = [];
  for await (const { items } of database.pages(jobsQuery(partition))) found.push(...items.map(decodeJob));
  return found;
}

/** Reads all jobs that are not complete. */
export async function readJobs(database: Database): Promise<Job[]> {
  const partitions = Array.from({ length: jobPartitions }, (_, partition) =>
    readPartition(database, partition),
  );
  return (await Promise.all(partitions)).flat();
}
