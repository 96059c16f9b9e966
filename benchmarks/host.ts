/** Runs a bundle in a process of its own. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

interface Response {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Time that events took. */
export interface Duration {
  readonly wallMs: number;
  /** CPU time of the process, in user and kernel mode. */
  readonly cpuMs: number;
  /** Memory of the process after the events. */
  readonly residentBytes: number;
  /** That of the last event. */
  readonly response: Response;
}

/** Returns the environment of a function on a local engine. */
export const functionEnvironment = (endpoint: string, tableName: string): Record<string, string> => ({
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
  AWS_ENDPOINT_URL_DYNAMODB: endpoint,
  TABLE_NAME: tableName,
  // Nothing is announced, but `readLive` says where it would be.
  LIVE_URL: 'wss://example.com/event/realtime',
  LIVE_HOST: 'example.com',
  LOG_LEVEL: 'ERROR',
});

export class Host {
  readonly #process: ChildProcess;
  readonly #exit: Promise<unknown>;
  /** Duration of the import of the bundle. */
  readonly importMs: number;

  private constructor(process: ChildProcess, importMs: number) {
    this.#process = process;
    this.#exit = once(process, 'exit');
    this.importMs = importMs;
  }

  /** Starts a process. @param environment the only environment variables of the process. */
  static async start(bundle: string, environment: Readonly<Record<string, string>>): Promise<Host> {
    const child = fork(fileURLToPath(new URL('host.cjs', import.meta.url)), [bundle], {
      env: environment,
      execArgv: [],
      // Recorded calls contain binary values.
      serialization: 'advanced',
    });
    const [message] = (await once(child, 'message')) as [{ importMs: number }];
    return new Host(child, message.importMs);
  }

  /**
   * Runs events, one after the other.
   * @throws Error when a response is an error: its duration would say nothing.
   */
  async run(events: readonly unknown[]): Promise<Duration> {
    const response = once(this.#process, 'message');
    // A process that ends would never respond.
    const ended = this.#exit.then(() => {
      throw new Error('The process of the bundle ended.');
    });
    this.#process.send(events as object);
    const [{ failed, ...duration }] = (await Promise.race([response, ended])) as [
      Duration & { failed?: string },
    ];
    if (failed) throw new Error(failed);
    return duration;
  }

  async stop(): Promise<void> {
    this.#process.kill();
    await this.#exit;
  }
}
