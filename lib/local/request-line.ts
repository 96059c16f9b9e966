import { styleText } from 'node:util';
import type { TimedResponse } from './http-api.ts';

/** Returns the usage from the header `Server-Timing`, which every function of the local service sends. */
export function databaseUsage(serverTiming = '') {
  const amount = (pattern: RegExp): number => Number(pattern.exec(serverTiming)?.[1] ?? 0);
  return {
    calls: amount(/\bcalls=([\d.]+)/),
    readUnits: amount(/\bread=([\d.]+)/),
    writeUnits: amount(/\bwrite=([\d.]+)/),
  };
}

export function usageText(serverTiming: string | undefined): string {
  const { calls, readUnits, writeUnits } = databaseUsage(serverTiming);
  return `${calls} database ${calls === 1 ? 'call' : 'calls'}, ${readUnits} read and ${writeUnits} write units`;
}

/** Query parameters whose values the request log does not show. Operators follow the name in brackets. */
const maskedParameters = /^(?:access_token|after|email|since)(?:\[|$)/i;

function decodedName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/** Returns a query without the values of tokens, e-mail addresses and cursors, which have values of entities. */
const maskedQuery = (rawQueryString: string): string =>
  rawQueryString
    .split('&')
    .map((pair) => {
      const end = pair.indexOf('=');
      const name = end < 0 ? pair : pair.slice(0, end);
      return end >= 0 && maskedParameters.test(decodedName(name)) ? `${name}=***` : pair;
    })
    .join('&');

const targetOf = ({ path, rawQueryString }: TimedResponse): string =>
  // Bytes outside ASCII could be control sequences of the terminal.
  (rawQueryString ? `${path}?${maskedQuery(rawQueryString)}` : path).replaceAll(
    /[^\x21-\x7e]/g,
    encodeURIComponent,
  );

function colorOf({ status, isAborted }: TimedResponse): 'red' | 'yellow' | 'cyan' | 'green' {
  if (isAborted) return 'yellow';
  if (status >= 500) return 'red';
  if (status >= 400) return 'yellow';
  return status >= 300 ? 'cyan' : 'green';
}

const resultOf = ({ isAborted, status }: TimedResponse): number | 'aborted' =>
  isAborted ? 'aborted' : status;

/** Returns a request as a line in columns: method, status or `aborted`, time, capacity units, path. A terminal gets the status in colour. */
export function requestLine(response: TimedResponse): string {
  const { method, durationMs, headers } = response;
  const { readUnits, writeUnits } = databaseUsage(headers.get('server-timing'));
  return [
    method.padEnd(7),
    styleText(colorOf(response), String(resultOf(response)), { stream: process.stdout }),
    `${durationMs.toFixed(0).padStart(6)} ms`,
    `${String(readUnits).padStart(6)} read`,
    `${String(writeUnits).padStart(4)} write`,
    ` ${targetOf(response)}`,
  ].join(' ');
}

export function requestJson(response: TimedResponse, now: Date): string {
  const { method, path, rawQueryString, durationMs, headers } = response;
  return JSON.stringify({
    time: now.toISOString(),
    requestId: headers.get('apigw-requestid'),
    method,
    path,
    ...(rawQueryString && { query: maskedQuery(rawQueryString) }),
    status: resultOf(response),
    durationMs: Math.round(durationMs * 10) / 10,
    ...databaseUsage(headers.get('server-timing')),
  });
}
