/**
 * Follows a channel with `events.connect` of Amplify, which is unmodified, and prints what it receives. Amplify speaks TLS alone, so a proxy with a certificate of its own
 * is in front of the service.
 *
 * Arguments: the URL of the service, a channel, and a token.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { createServer } from 'node:tls';
import { Amplify } from 'aws-amplify';
import { events } from 'aws-amplify/data';
import { generate } from 'selfsigned';
import WebSocket from 'ws';

// The certificate is that of this process.
process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
process.removeAllListeners('warning');

const [url, channel, authToken] = process.argv.slice(2);

// That of Node.js 20 does not exist, and that of later versions would refuse the certificate.
globalThis.WebSocket = class extends WebSocket {
  constructor(address, protocols) {
    super(address, protocols, { rejectUnauthorized: false });
  }
};

const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }]);
const proxy = createServer({ key, cert }, (socket) => {
  const { hostname, port } = new URL(url);
  const service = connect(Number(port), hostname);
  socket.pipe(service).pipe(socket);
  for (const one of [socket, service]) one.on('error', () => one.destroy());
});
await once(proxy.listen(0, '127.0.0.1'), 'listening');

const endpoint = `https://localhost:${proxy.address().port}/event`;
// "lambda" is the mode in which the library takes a token that the app has: it sends it as for any issuer.
Amplify.configure({ API: { Events: { endpoint, region: 'eu-central-1', defaultAuthMode: 'lambda' } } });

const followed = await events.connect(channel, { authMode: 'lambda', authToken });
followed.subscribe(
  {
    next: ({ event }) => {
      console.log(JSON.stringify(event));
      followed.close();
      setTimeout(() => process.exit(), 100);
    },
    error: (error) => {
      console.error(JSON.stringify(error));
      process.exit(1);
    },
  },
  { authMode: 'lambda', authToken },
);
console.log('connected');
