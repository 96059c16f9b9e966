/** The event bus for other systems (docs/guides/events.md), with an archive from which events can be replayed. */
import { CfnOutput, Duration } from 'aws-cdk-lib';
import { Archive, EventBus } from 'aws-cdk-lib/aws-events';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { busSource } from '../../functions/jobs/cloud-events.ts';
import { eventBusArn, eventBusName } from './names.ts';
import type { Settings } from './settings.ts';

/** Returns the permission to put events on the bus, and on no other. */
export const putEvents = (settings: Settings): PolicyStatement =>
  new PolicyStatement({ actions: ['events:PutEvents'], resources: [eventBusArn(settings)] });

export function createEventBus(scope: Construct, settings: Settings): EventBus {
  const bus = new EventBus(scope, 'EventBus', { eventBusName: eventBusName(settings) });
  new Archive(scope, 'EventArchive', {
    archiveName: eventBusName(settings),
    sourceEventBus: bus,
    eventPattern: { source: [busSource] },
    // As long as the records that the events are made from.
    retention: Duration.days(settings.historyDays),
  });
  new CfnOutput(scope, 'EventBusName', { value: eventBusName(settings) });
  return bus;
}
