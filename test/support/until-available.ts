/** Requests after which a service that stays unavailable is an error of the service, and not of a busy machine. */
const maxRequests = 5;

/**
 * Sends a request again while the response is 503: on a machine that is busy for seconds, the store stops waiting for DynamoDB and says when to repeat.
 * @param send sends the request once.
 * @returns the first other response, or the last one.
 */
export async function untilAvailable<T extends { readonly status: number }>(
  send: () => Promise<T>,
): Promise<T> {
  for (let count = 1; ; count += 1) {
    const response = await send();
    if (response.status !== 503 || count === maxRequests) return response;
  }
}
