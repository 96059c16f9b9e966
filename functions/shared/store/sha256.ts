/** SHA-256 as the SDK's signer asks for it: twice a request, and twice with a key. */
import { hash } from 'node:crypto';

type Data = string | ArrayBuffer | ArrayBufferView;

const bytesOf = (data: Data): Buffer => {
  if (typeof data === 'string') return Buffer.from(data);
  return ArrayBuffer.isView(data)
    ? Buffer.from(data.buffer, data.byteOffset, data.byteLength)
    : Buffer.from(data);
};

const sha256 = (data: Buffer): Buffer => hash('sha256', data, 'buffer');

/** Bytes that SHA-256 works on at a time. */
const block = 64;

/** The key of an HMAC, as long as a block, with every byte changed by a pad (RFC 2104, section 2). */
function padded(key: Buffer, pad: number): Buffer {
  const bytes = Buffer.alloc(block, pad);
  for (const [place, byte] of key.entries()) bytes[place] = byte ^ pad;
  return bytes;
}

/** What `createHmac` gives, of two digests at once: Node.js makes an object of the key first, which costs more than both. */
function hmac(secret: Buffer, data: Buffer): Buffer {
  const key = secret.length > block ? sha256(secret) : secret;
  const inner = sha256(Buffer.concat([padded(key, 0x36), data]));
  return sha256(Buffer.concat([padded(key, 0x5c), inner]));
}

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
    return Promise.resolve(this.#secret === undefined ? sha256(this.#data) : hmac(this.#secret, this.#data));
  }

  reset(): void {
    this.#data = Buffer.alloc(0);
  }
}
