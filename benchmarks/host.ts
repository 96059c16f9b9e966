/** A bundle in a process of its own. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Milliseconds that events took. */
export interface Taken {
  readonly wall: number;
  /** Of this process, in user and kernel mode. */
  readonly cpu: number;
}

export class Host {
  readonly #process: ChildProcess;
  /** Milliseconds that the import of the bundle took. */
  readonly imported: number;

  private constructor(process: ChildProcess, imported: number) {
    this.#process = process;
    this.imported = imported;
  }

  /** Starts one. @param environment all that the bundle finds in its environment. */
  static async start(bundle: string, environment: Readonly<Record<string, string>>): Promise<Host> {
    const child = fork(fileURLToPath(new URL('host.cjs', import.meta.url)), [bundle], {
      env: environment,
      execArgv: [],
    });
    const [message] = (await once(child, 'message')) as [{ imported: number }];
    return new Host(child, message.imported);
  }

  /**
   * Runs events, one after the other.
   * @throws Error when one is not answered well: what fails fast is no measure.
   */
  async run(events: readonly unknown[]): Promise<Taken> {
    const answered = once(this.#process, 'message');
    this.#process.send(events as object);
    const [{ failed, ...taken }] = (await answered) as [Taken & { failed?: string }];
    if (failed) throw new Error(failed);
    return taken;
  }

  async stop(): Promise<void> {
    const gone = once(this.#process, 'exit');
    this.#process.kill();
    await gone;
  }
}
