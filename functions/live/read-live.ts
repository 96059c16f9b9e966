import { endpoint } from '../http/endpoint.ts';
import { channelsOf, seenThroughOf } from '../http/live-channels.ts';
import { Problem } from '../http/problems.ts';
import { renderValue } from '../http/renderers.ts';
import { environment } from '../runtime/environment.ts';
import { readLive } from './contract.ts';

/** Stands for the host of the request in the settings of the local service, which has no name that all its callers know. */
const hostOfRequest = '{host}';

export const handler = endpoint(
  readLive,
  async ({ caller }) => {
    if (!environment.liveUrl()) throw new Problem('live-is-off', 'This service does not announce changes.');
    return { channels: channelsOf(caller), seenThrough: seenThroughOf(caller) };
  },
  {
    render: (rendering, ofCaller) => {
      const { host: own = '' } = rendering.event.headers;
      const [url, host] = [environment.liveUrl() ?? '', environment.liveHost()].map((text) =>
        text.replace(hostOfRequest, own),
      );
      const endpoint = `${url?.startsWith('wss:') ? 'https' : 'http'}://${host}/event`;
      return renderValue(rendering, {
        url,
        host,
        endpoint,
        ...ofCaller,
        spreadMs: environment.liveSpreadMs(),
      });
    },
  },
);
