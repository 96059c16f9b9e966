import { types } from 'node:util';

/**
 * jest runs tests in a realm of their own, and what Node.js throws comes from another: `instanceof Error` is false for it.
 * The SDK wraps such an error in one without a code, so that a connection that breaks looked like a mistake of ours,
 * and was not tried again. Outside of jest there is one realm.
 * @see https://github.com/jestjs/jest/issues/2549
 */
const ordinary = Function.prototype[Symbol.hasInstance];

Object.defineProperty(Error, Symbol.hasInstance, {
  value(this: unknown, value: unknown): boolean {
    return this === Error ? types.isNativeError(value) : ordinary.call(this as typeof Error, value);
  },
});
