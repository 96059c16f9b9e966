import type { AddressInfo } from 'node:net';
import { app } from './express.ts';

/** Express as its users start it: what the gateway of this machine is compared with. */
const server = app.listen(0, () => {
  const { port } = server.address() as AddressInfo;
  console.log(`listening on http://localhost:${port}`);
});
