import { types } from 'node:util';

/**
 * jest runs tests in a realm of their own, so `instanceof Error` is false for errors of Node.js. The SDK wraps such an
 * error in another one without a code, and then does not retry broken connections. Outside jest, there is one realm.
 * @see https://github.com/jestjs/jest/issues/2549
 */
const ordinary = Function.prototype[Symbol.hasInstance];

Object.defineProperty(Error, Symbol.hasInstance, {
  value(this: unknown, value: unknown): boolean {
    return this === Error ? types.isNativeError(value) : ordinary.call(this as typeof Error, value);
  },
});
