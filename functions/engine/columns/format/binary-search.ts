/**
 * Returns the first position of a range for which a condition holds; the end of the range if it holds for none.
 * @param holds must hold for all positions after the first one.
 */
export function firstPosition(from: number, to: number, holds: (position: number) => boolean): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
