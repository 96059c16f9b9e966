import { accessMutations } from './access.ts';
import { batchMutations } from './batches.ts';
import { cascadeMutations } from './cascades.ts';
import { changeFeedMutations } from './change-feed.ts';
import { clientMutations } from './client.ts';
import { deletedEntityMutations } from './deleted-entities.ts';
import { deletedRowMutations } from './deleted-rows.ts';
import { dueWorkMutations } from './due-work.ts';
import { dynamodbMutations } from './dynamodb.ts';
import { eventMutations } from './events.ts';
import { firstListMutations } from './first-lists.ts';
import { formatMutations } from './formats.ts';
import { historyMutations } from './histories.ts';
import { httpMutations } from './http.ts';
import { infrastructureMutations } from './infrastructure.ts';
import { listEngineMutations } from './list-engine.ts';
import { liveMutations } from './live.ts';
import { longTextMutations } from './long-texts.ts';
import type { Mutation } from './mutation.ts';
import { numberMutations } from './numbers.ts';
import { pacedJobMutations } from './paced-jobs.ts';
import { replicationMutations } from './replication.ts';
import { requestMutations } from './requests.ts';
import { responseMutations } from './responses.ts';
import { searchMutations } from './search.ts';
import { sharedLogMutations } from './shared-log.ts';
import { writeMutations } from './writes.ts';

export const mutations: readonly Mutation[] = [
  ...accessMutations,
  ...changeFeedMutations,
  ...replicationMutations,
  ...clientMutations,
  ...historyMutations,
  ...dynamodbMutations,
  ...writeMutations,
  ...batchMutations,
  ...cascadeMutations,
  ...deletedEntityMutations,
  ...deletedRowMutations,
  ...longTextMutations,
  ...numberMutations,
  ...pacedJobMutations,
  ...dueWorkMutations,
  ...requestMutations,
  ...httpMutations,
  ...responseMutations,
  ...listEngineMutations,
  ...firstListMutations,
  ...searchMutations,
  ...sharedLogMutations,
  ...eventMutations,
  ...formatMutations,
  ...infrastructureMutations,
  ...liveMutations,
];
