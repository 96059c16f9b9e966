/** The jobs of all tenants, from the partitions of the index that hold them. The index may lag. */
import type { Database } from '../dynamodb/database.ts';
import { decodeJob, type Job, jobShards, jobsQuery } from '../model/job.ts';

async function readShard(database: Database, shard: number): Promise<Job[]> {
  const found: Job[] = [];
  for await (const items of database.pages(jobsQuery(shard))) found.push(...items.map(decodeJob));
  return found;
}

/** Reads all jobs that are not complete. */
export async function readJobs(database: Database): Promise<Job[]> {
  const shards = Array.from({ length: jobShards }, (_, shard) => readShard(database, shard));
  return (await Promise.all(shards)).flat();
}
