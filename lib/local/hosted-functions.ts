/** What the local service needs from the functions that it hosts, and what they need from the service. */
import type { Authentication } from './authorizer.ts';
import type { GatewayOptions } from './gateway.ts';
import type { EventsApi } from './live/events-api.ts';
import type { TableShape } from './table.ts';

export interface HostingOptions {
  /** Origins whose pages may call, in addition to those of this machine; `*` allows any. */
  readonly allowedOrigins?: readonly string[] | undefined;
  /** Timeout of a function behind the gateway. Default: the timeout in the cloud. */
  readonly timeoutMs?: number | undefined;
  /** Issuer whose tokens are required. Default: requests need no token. */
  readonly authentication?: Authentication | undefined;
  readonly tenantClaim?: string | undefined;
  /** Capacity units per second that the requests of a tenant may use. Default: no limit. */
  readonly tenantRate?: number | undefined;
  /** Address to which events of changes are posted. Default: none. */
  readonly eventsAddress?: string | undefined;
}

export interface TableLocation {
  readonly endpoint: string;
  readonly tableName: string;
}

interface HostedFunctions {
  readonly table: TableShape;
  readonly tableName: string;
  readonly needsStream: boolean;
  readonly gateway: Omit<GatewayOptions, 'onEvent' | 'onResponse'>;
  readonly onSchedule: () => Promise<void>;
  /** Where clients hear of changes. Absent where they are not announced. */
  readonly live?: EventsApi | undefined;
  /** Tells functions that use the service from outside its address. */
  setAddress(url: string): void;
  /** Starts the event sources other than the gateway and the schedule. The table exists by then. */
  startEventSources?(): Promise<void>;
  stop(): Promise<void>;
}

export type FunctionHost = (location: TableLocation, options: HostingOptions) => Promise<HostedFunctions>;
