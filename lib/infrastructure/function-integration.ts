/** How the gateway calls functions. */
import {
  HttpIntegrationType,
  HttpRouteIntegration,
  IntegrationCredentials,
  PayloadFormatVersion,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';

/**
 * The role with which the gateway calls the functions of one stack. It takes the place of a permission for each function. It names each function,
 * and the inline policies of a role have at most 10,240 characters, so each stack has a role of its own.
 * @see https://docs.aws.amazon.com/apigatewayv2/latest/api-reference/apis-apiid-integrations.html
 */
export class GatewayRole extends Role {
  readonly #allowed: PolicyDocument;

  constructor(scope: Construct, id: string) {
    const allowed = new PolicyDocument();
    super(scope, id, {
      description: 'Calls the functions of the API.',
      assumedBy: new ServicePrincipal('apigateway.amazonaws.com'),
      inlinePolicies: { invoke: allowed },
    });
    this.#allowed = allowed;
  }

  allow({ functionArn }: IFunction): void {
    this.#allowed.addStatements(
      new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [functionArn] }),
    );
  }
}

/** CDK's own integration creates a permission for each route. */
export class FunctionIntegration extends HttpRouteIntegration {
  readonly #function: IFunction;
  readonly #role: GatewayRole;

  constructor(id: string, target: IFunction, role: GatewayRole) {
    super(id);
    this.#function = target;
    this.#role = role;
    role.allow(target);
  }

  bind() {
    return {
      type: HttpIntegrationType.AWS_PROXY,
      payloadFormatVersion: PayloadFormatVersion.VERSION_2_0,
      uri: this.#function.functionArn,
      credentials: IntegrationCredentials.fromRole(this.#role),
    };
  }
}
