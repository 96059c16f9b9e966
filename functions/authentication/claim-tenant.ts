/**
 * Puts the tenant into access tokens, which know no attributes of users by themselves. The user pool calls this
 * before it signs one.
 * @see https://docs.aws.amazon.com/cognito/latest/developerguide/user-pool-lambda-pre-token-generation.html
 */
import type { PreTokenGenerationV3TriggerEvent } from 'aws-lambda';

/**
 * For a user the administrator's word counts, which the attribute `custom:tenant` holds; else the user is a tenant
 * of its own, and so is a client without a user. What a client sends along as metadata is its own word, and does
 * not count.
 */
export async function handler(
  event: PreTokenGenerationV3TriggerEvent,
): Promise<PreTokenGenerationV3TriggerEvent> {
  const { 'custom:tenant': given, sub } = event.request.userAttributes ?? {};
  const tenant = given || sub || event.callerContext.clientId;
  return {
    ...event,
    response: {
      claimsAndScopeOverrideDetails: { accessTokenGeneration: { claimsToAddOrOverride: { tenant } } },
    },
  };
}
