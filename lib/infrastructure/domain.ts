/** A domain of the owner. It is in the data stack, so its address and its record outlive a replaced API stack. */
import { CfnApiMapping, DomainName, type HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { CfnRecordSet } from 'aws-cdk-lib/aws-route53';
import type { Construct } from 'constructs';
import type { Settings } from './settings.ts';

/** Creates the domain of the settings, if there is one, with a record in the hosted zone, if there is one. */
export function createDomain(scope: Construct, settings: Settings): void {
  const { domainName, certificateArn, hostedZoneId } = settings;
  if (!domainName) return;
  const own = new DomainName(scope, 'Domain', {
    domainName,
    certificate: Certificate.fromCertificateArn(scope, 'Certificate', certificateArn),
  });
  if (!hostedZoneId) return;
  new CfnRecordSet(scope, 'Record', {
    hostedZoneId,
    name: domainName,
    type: 'A',
    aliasTarget: { dnsName: own.regionalDomainName, hostedZoneId: own.regionalHostedZoneId },
  });
}

/** Returns the URL of the API for clients: that of the domain, or the API's own. */
export const urlOf = ({ domainName }: Settings, api: HttpApi): string =>
  domainName ? `https://${domainName}` : api.apiEndpoint;

export function mapDomain(scope: Construct, { domainName }: Settings, api: HttpApi): void {
  if (!domainName) return;
  const mapping = new CfnApiMapping(scope, 'Mapping', { apiId: api.apiId, domainName, stage: '$default' });
  // The mapping needs the API stage, which is a child of the API.
  mapping.node.addDependency(api);
}
