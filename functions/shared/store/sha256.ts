/** SHA-256 as the SDK's signer asks for it: twice a request, and once with a key. */
import { createHmac, hash } from 'node:crypto';

type Data = string | ArrayBuffer | ArrayBufferView;

const bytesOf = (data: Data): Buffer => {
  if (typeof data === 'string') return Buffer.from(data);
  return ArrayBuffer.isView(data)
    ? Buffer.from(data.buffer, data.byteOffset, data.byteLength)
    : Buffer.from(data);
};

/** Digests at once: the SDK's own keeps a state for each, which costs more than what it digests here. */
export class Sha256 {
  readonly #secret: Buffer | undefined;
  #data: Buffer = Buffer.alloc(0);

  /** @param secret the key of an HMAC; without it, it is a digest. */
  constructor(secret?: Data) {
    this.#secret = secret === undefined ? undefined : bytesOf(secret);
  }

  update(data: Data): void {
    this.#data = this.#data.length === 0 ? bytesOf(data) : Buffer.concat([this.#data, bytesOf(data)]);
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(
      this.#secret === undefined
        ? hash('sha256', this.#data, 'buffer')
        : createHmac('sha256', this.#secret).update(this.#data).digest(),
    );
  }

  reset(): void {
    this.#data = Buffer.alloc(0);
  }
}
