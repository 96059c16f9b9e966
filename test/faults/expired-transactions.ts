import { recordPrefix } from '#functions/store/model/change-log.ts';
import type { Call, EngineResponse, Injector } from './engine-proxy.ts';

/** When DynamoDB executes a transaction to which no response arrives: relative to the next transaction of the same change set. */
export const executions = ['before the next one', 'after the next one', 'never'] as const;
export type Execution = (typeof executions)[number];

/** Attributes as DynamoDB's protocol has them. */
type RawItem = Readonly<Record<string, { readonly S?: string }>>;

const isPutItem = (call: Call): boolean => call.operation === 'PutItem';

export function putItems(call: Call): RawItem[] {
  if (isPutItem(call)) return [call.body['Item'] as RawItem];
  const items = call.body['TransactItems'] as readonly { readonly Put?: { readonly Item: RawItem } }[];
  return items.flatMap(({ Put }) => (Put ? [Put.Item] : []));
}

export const recordKeyOf = (call: Call): string | undefined =>
  putItems(call)
    .map(({ sk }) => sk?.S ?? '')
    .find((sk) => sk.startsWith(recordPrefix));

const tokenOf = ({ body }: Call): string => body['ClientRequestToken'] as string;

/** The transactions of one request, of which no response to the first one arrives. */
export interface Expired {
  readonly injector: Injector;
  /** One call of each transaction. */
  readonly transactions: readonly Call[];
  /** Calls that withdraw the first one. */
  withdrawals: number;
  /** DynamoDB's response to the first transaction, if it was executed. */
  executed?: EngineResponse;
  /** Executes the first transaction. */
  execute: () => Promise<EngineResponse>;
}

export interface ExpiredOptions {
  /** A text that only the transactions of the request contain. */
  readonly subject: string;
  readonly execution: Execution;
  /** Called at each attempt at the first transaction. Its time is over when it returns. */
  readonly expire: () => void;
  /** Whether the first response to a withdrawal is lost. */
  readonly losesWithdrawal?: boolean;
}

/** Loses every response to the first transaction of a request. */
export function expireFirst({ subject, execution, expire, losesWithdrawal }: ExpiredOptions): Expired {
  const transactions: Call[] = [];
  const isFirst = (call: Call): boolean => tokenOf(call) === tokenOf(transactions[0] as Call);

  const withdraw = async (pass: () => Promise<EngineResponse>): Promise<EngineResponse | undefined> => {
    expired.withdrawals += 1;
    if (execution === 'before the next one') expired.executed ??= await expired.execute();
    const response = await pass();
    return losesWithdrawal && expired.withdrawals === 1 ? undefined : response;
  };

  const transact = async (
    call: Call,
    pass: () => Promise<EngineResponse>,
  ): Promise<EngineResponse | undefined> => {
    if (!transactions.some((known) => tokenOf(known) === tokenOf(call))) transactions.push(call);
    if (isFirst(call)) {
      expired.execute = pass;
      expire();
      return undefined;
    }
    const response = await pass();
    if (execution === 'after the next one') expired.executed ??= await expired.execute();
    return response;
  };

  const expired: Expired = {
    transactions,
    withdrawals: 0,
    execute: () => Promise.reject(new Error('The request sent no transaction.')),
    injector: async (call, pass) => {
      const [first] = transactions;
      if (first && isPutItem(call) && recordKeyOf(call) === recordKeyOf(first)) return withdraw(pass);
      const isOfRequest =
        call.operation === 'TransactWriteItems' && JSON.stringify(call.body).includes(subject);
      return isOfRequest ? transact(call, pass) : pass();
    },
  };
  return expired;
}
