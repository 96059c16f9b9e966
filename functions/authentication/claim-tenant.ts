/**
 * Adds the tenant to access tokens, which do not contain attributes of users, and takes away the scopes that the roles of the user do not allow.
 * The user pool calls this function before it signs a token.
 * @see https://docs.aws.amazon.com/cognito/latest/developerguide/user-pool-lambda-pre-token-generation.html
 */
import type { PreTokenGenerationV3TriggerEvent } from 'aws-lambda';
import { environment } from '../runtime/environment.ts';
import { deniedScopes } from './roles.ts';

/** Returns the scopes that the token must not have. A program has no groups: it has the scopes of its client. */
function suppressedScopes({ triggerSource, request }: PreTokenGenerationV3TriggerEvent): string[] {
  if (triggerSource === 'TokenGeneration_ClientCredentials') return [];
  const { scopes = [], groupConfiguration } = request;
  return deniedScopes(scopes, groupConfiguration?.groupsToOverride ?? [], environment.requireGroup());
}

/**
 * Returns the event with the claim `tenant`: the attribute `custom:tenant`, which only an administrator can write. A user without it
 * becomes a tenant of their own, and so does a client without a user. Metadata that a client sends is ignored.
 */
export async function handler(
  event: PreTokenGenerationV3TriggerEvent,
): Promise<PreTokenGenerationV3TriggerEvent> {
  const { 'custom:tenant': assigned, sub } = event.request.userAttributes ?? {};
  const tenant = assigned || sub || event.callerContext.clientId;
  const scopesToSuppress = suppressedScopes(event);
  return {
    ...event,
    response: {
      claimsAndScopeOverrideDetails: {
        accessTokenGeneration: { claimsToAddOrOverride: { tenant }, scopesToSuppress },
      },
    },
  };
}
