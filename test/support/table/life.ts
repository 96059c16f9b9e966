import type { DynamoDb } from '#functions/engine/table/operations.ts';

const never = (): Promise<never> => new Promise(() => {});

/** The calls of a process. One that is not there any more does nothing, so whoever waits for it waits for ever. */
export class Life {
  isOver = false;
  readonly dynamodb: DynamoDb;

  /** @param beforeCall returns whether the process continues after the call, which the table performs in any case. */
  constructor(table: DynamoDb, beforeCall: () => boolean, clockErrorMs = () => table.clockErrorMs) {
    this.dynamodb = new Proxy(table, {
      get: (_, name: keyof DynamoDb) => {
        if (name === 'clockErrorMs') return clockErrorMs();
        const operation = table[name] as (...values: never[]) => Promise<unknown>;
        return async (...values: never[]): Promise<unknown> => {
          if (this.isOver) return never();
          this.isOver = !beforeCall();
          const settled = await Promise.resolve(operation.apply(table, values)).then(
            (output) => () => output,
            (error: unknown) => () => {
              throw error;
            },
          );
          return this.isOver ? never() : settled();
        };
      },
    });
  }
}
