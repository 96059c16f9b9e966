/** Returns a function that makes a value at its first call, and returns this one from then on. */
export function lazy<Value>(make: () => Value): () => Value {
  let value: Value | undefined;
  return () => {
    value ??= make();
    return value;
  };
}
