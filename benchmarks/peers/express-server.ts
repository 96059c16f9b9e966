import type { AddressInfo } from 'node:net';
import { app } from './express.ts';

/** An Express server, to compare with the local gateway. */
const server = app.listen(0, () => {
  const { port } = server.address() as AddressInfo;
  console.log(`listening on http://localhost:${port}`);
});
