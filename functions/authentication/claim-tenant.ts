/**
 * Adds the tenant to access tokens, which do not contain attributes of users. The user pool calls this function before it signs a
 * token.
 * @see https://docs.aws.amazon.com/cognito/latest/developerguide/user-pool-lambda-pre-token-generation.html
 */
import type { PreTokenGenerationV3TriggerEvent } from 'aws-lambda';

/**
 * Returns the event with the claim `tenant`: the attribute `custom:tenant`, which only an administrator can write. A user without it
 * becomes a tenant of their own, and so does a client without a user. Metadata that a client sends is ignored.
 */
export async function handler(
  event: PreTokenGenerationV3TriggerEvent,
): Promise<PreTokenGenerationV3TriggerEvent> {
  const { 'custom:tenant': assigned, sub } = event.request.userAttributes ?? {};
  const tenant = assigned || sub || event.callerContext.clientId;
  return {
    ...event,
    response: {
      claimsAndScopeOverrideDetails: { accessTokenGeneration: { claimsToAddOrOverride: { tenant } } },
    },
  };
}
