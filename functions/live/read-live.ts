import { endpoint } from '../http/endpoint.ts';
import { channelsOf } from '../http/live-channels.ts';
import { Problem } from '../http/problems.ts';
import { renderValue } from '../http/renderers.ts';
import { environment } from '../runtime/environment.ts';
import { readLive } from './contract.ts';

/** Stands for the host of the request in the settings of the local service, which has no name that all its callers know. */
const hostOfRequest = '{host}';

export const handler = endpoint(
  readLive,
  async ({ caller }) => {
    const url = environment.liveUrl();
    if (!url) throw new Problem('live-is-off', 'This service does not announce changes.');
    return {
      url,
      host: environment.liveHost(),
      channels: channelsOf(caller),
      spreadMs: environment.liveSpreadMs(),
    };
  },
  {
    render: (rendering, live) => {
      const at = (text: string) => text.replace(hostOfRequest, rendering.event.headers['host'] ?? '');
      const [url, host] = [at(live.url), at(live.host)];
      const endpoint = `${url.startsWith('wss:') ? 'https' : 'http'}://${host}/event`;
      return renderValue(rendering, { ...live, url, host, endpoint });
    },
  },
);
